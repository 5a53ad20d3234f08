//! A web server that sends the bytes a test gives it, on a loopback port of its own.

use ibid_audit::fetch::{AllowList, FetchConfig, Fetcher, Lookup, LookupFuture};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One request as it came.
pub(crate) struct Asked {
    /// Path with query.
    pub(crate) path: String,
    /// The whole head.
    pub(crate) head: String,
}

/// A running server. It ends with the value.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    connections: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server; `say` gets the path and the connection.
    pub(crate) fn start(say: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        Self::by_agent(move |_, path, connection| say(path, connection))
    }

    /// Starts a server; `say` gets the `User-Agent`, the path and the connection.
    pub(crate) fn by_agent(say: impl Fn(&str, &str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let server = Self {
            address: listener.local_addr().expect("an address"),
            asked: Arc::default(),
            connections: Arc::default(),
            stop: Arc::default(),
        };
        let (asked, connections, stop) = (
            Arc::clone(&server.asked),
            Arc::clone(&server.connections),
            Arc::clone(&server.stop),
        );
        let say = Arc::new(say);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(mut connection) = connection else { continue };
                connections.fetch_add(1, Ordering::SeqCst);
                let (asked, say) = (Arc::clone(&asked), Arc::clone(&say));
                std::thread::spawn(move || {
                    let Some(head) = read_head(&mut connection) else {
                        return;
                    };
                    let path = head.split(' ').nth(1).unwrap_or("").to_owned();
                    let agent = header(&head, "user-agent").to_owned();
                    asked.lock().expect("no panic").push(Asked {
                        path: path.clone(),
                        head,
                    });
                    say(&agent, &path, &mut connection);
                    let _ = connection.shutdown(Shutdown::Both);
                });
            }
        });
        server
    }

    /// A server with fixed answers by path; anything else is 404.
    pub(crate) fn with(answers: &[(&str, &str, &[&str], &str)]) -> Self {
        let answers: BTreeMap<String, Vec<u8>> = answers
            .iter()
            .map(|(path, status, headers, body)| {
                ((*path).to_owned(), answer(status, headers, body.as_bytes()))
            })
            .collect();
        Self::start(move |path, connection| {
            let missing = answer("404 Not Found", &[], b"");
            let _ = connection.write_all(answers.get(path).unwrap_or(&missing));
        })
    }

    /// An address of this server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Paths that were asked, in order.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.asked
            .lock()
            .expect("no panic")
            .iter()
            .map(|asked| asked.path.clone())
            .collect()
    }

    /// The head of the first request.
    pub(crate) fn first_head(&self) -> String {
        self.asked.lock().expect("no panic")[0].head.clone()
    }

    /// The `User-Agent` of every request for a path, in order.
    pub(crate) fn agents(&self, path: &str) -> Vec<String> {
        let asked = self.asked.lock().expect("no panic");
        let of = asked.iter().filter(|asked| asked.path == path);
        of.map(|asked| header(&asked.head, "user-agent").to_owned())
            .collect()
    }

    /// Connections that were made.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// A fetcher that may ask this server and nothing else that is not public, and that has little patience.
    pub(crate) fn fetcher(&self) -> Fetcher {
        Fetcher::new(self.config("")).expect("a fetcher")
    }

    /// The configuration of such a fetcher, with more entries on its list.
    pub(crate) fn config(&self, more: &str) -> FetchConfig {
        let list = format!("{},{more}", self.address);
        FetchConfig {
            allow_list: AllowList::for_tests(&list, IpAddr::V4(Ipv4Addr::LOCALHOST)).expect("a list"),
            connect_timeout: Duration::from_millis(2_000),
            read_timeout: Duration::from_millis(400),
            page_timeout: Duration::from_millis(1_500),
            file_timeout: Duration::from_millis(1_000),
            ..FetchConfig::default()
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the listener, which then sees that it is to stop.
        let _ = TcpStream::connect(self.address);
    }
}

/// The value of a header of a request.
fn header<'h>(head: &'h str, name: &str) -> &'h str {
    let pairs = head.lines().filter_map(|line| line.split_once(':'));
    let mut values = pairs.filter(|(key, _)| key.eq_ignore_ascii_case(name));
    values.next().map_or("", |(_, value)| value.trim())
}

/// An answer with a length.
pub(crate) fn answer(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
    for header in headers {
        out.push_str(header);
        out.push_str("\r\n");
    }
    out.push_str("\r\n");
    let mut out = out.into_bytes();
    out.extend_from_slice(body);
    out
}

/// Waits until the other side hangs up or a moment has passed; a server's way of being slow.
pub(crate) fn linger(connection: &mut TcpStream, time: Duration) -> bool {
    let _ = connection.set_read_timeout(Some(time));
    match connection.read(&mut [0; 16]) {
        Ok(count) => count > 0,
        Err(_) => true,
    }
}

fn read_head(connection: &mut TcpStream) -> Option<String> {
    let _ = connection.set_read_timeout(Some(Duration::from_secs(5)));
    let mut head = Vec::new();
    let mut byte = [0; 1];
    while !head.ends_with(b"\r\n\r\n") {
        if connection.read(&mut byte).ok()? == 0 || head.len() > 16_384 {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

/// A look-up that answers from a script: the first call for a name gives its first answer, and so on; the last
/// answer is repeated. It counts.
#[derive(Default)]
pub(crate) struct Scripted {
    answers: BTreeMap<String, Vec<Vec<IpAddr>>>,
    calls: Mutex<Vec<String>>,
}

impl Scripted {
    /// `("name", ["first answer", "second answer"])`, each a list of addresses.
    pub(crate) fn new(script: &[(&str, &[&str])]) -> Arc<Self> {
        let parse = |list: &&str| {
            list.split_whitespace()
                .map(|one| one.parse().expect("an address"))
                .collect()
        };
        Arc::new(Self {
            answers: script
                .iter()
                .map(|(name, answers)| ((*name).to_owned(), answers.iter().map(parse).collect()))
                .collect(),
            calls: Mutex::default(),
        })
    }

    /// Names that were looked up, in order.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().expect("no panic").clone()
    }
}

impl Lookup for Scripted {
    fn lookup<'a>(&'a self, name: &'a str) -> LookupFuture<'a> {
        let mut calls = self.calls.lock().expect("no panic");
        let before = calls.iter().filter(|call| *call == name).count();
        calls.push(name.to_owned());
        let found = self
            .answers
            .get(name)
            .and_then(|answers| answers.get(before).or(answers.last()).cloned());
        Box::pin(async move { found.ok_or_else(|| std::io::Error::other("no such name")) })
    }
}
