//! Resolves a name with one look-up and judges every address.
//!
//! The connection goes only to these addresses.

use super::{AddressRefusal, AllowList, judge_address};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// A look-up under way.
pub type LookupFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Looks names up.
///
/// A trait, so that tests can answer like an attacker's server.
pub trait Lookup: Send + Sync + 'static {
    /// All addresses of a name.
    fn lookup<'a>(&'a self, name: &'a str) -> LookupFuture<'a>;
}

/// No more look-ups run at once.
///
/// A silent name server holds a thread until the system gives up.
const THREADS: usize = 32;
/// The longest wait for an answer, waiting for a thread included.
const PATIENCE: Duration = Duration::from_secs(5);

/// The look-up of the system, on separate threads.
///
/// Look-ups block, and no other work may wait for them.
#[derive(Clone, Debug)]
pub struct SystemLookup {
    threads: Arc<Semaphore>,
    patience: Duration,
}

impl Default for SystemLookup {
    fn default() -> Self {
        Self {
            threads: Arc::new(Semaphore::new(THREADS)),
            patience: PATIENCE,
        }
    }
}

impl Lookup for SystemLookup {
    fn lookup<'a>(&'a self, name: &'a str) -> LookupFuture<'a> {
        // A final dot keeps the system from trying its own search domains.
        let name = if name.ends_with('.') {
            name.to_owned()
        } else {
            format!("{name}.")
        };
        Box::pin(self.on_a_thread(move || {
            let addresses = (name.as_str(), 0).to_socket_addrs()?;
            Ok(addresses.map(|address| address.ip()).collect())
        }))
    }
}

impl SystemLookup {
    /// Runs a blocking look-up on a thread.
    ///
    /// A caller that gives up returns immediately.
    /// The thread ends with the answer of the system.
    async fn on_a_thread(
        &self,
        look_up: impl FnOnce() -> io::Result<Vec<IpAddr>> + Send + 'static,
    ) -> io::Result<Vec<IpAddr>> {
        let answer = async {
            let threads = Arc::clone(&self.threads);
            let permit = threads.acquire_owned().await.map_err(io::Error::other)?;
            let (sender, answer) = oneshot::channel();
            std::thread::Builder::new()
                .name("ibid-dns".to_owned())
                .spawn(move || {
                    // The caller may have given up.
                    let _ = sender.send(look_up());
                    drop(permit);
                })?;
            answer.await.map_err(io::Error::other)?
        };
        let answer = tokio::time::timeout(self.patience, answer).await;
        answer.unwrap_or_else(|_| {
            Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "no answer to the look-up in time",
            ))
        })
    }
}

/// The client's resolver.
///
/// The client connects only to addresses that this resolver returns.
pub(super) struct Judge {
    pub(super) lookup: Arc<dyn Lookup>,
    pub(super) allow_list: AllowList,
}

impl Resolve for Judge {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = Arc::clone(&self.lookup);
        let name = name.as_str().to_ascii_lowercase();
        let exempt = Some(self.allow_list.clone()).filter(|list| list.holds_name(&name));
        Box::pin(async move {
            let addresses = lookup.lookup(&name).await?;
            judge(&addresses, exempt.as_ref())?;
            let all: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(all)
        })
    }
}

/// Refuses all addresses of a name if one is refused.
///
/// A name with both public and private addresses is an attack.
fn judge(addresses: &[IpAddr], exempt: Option<&AllowList>) -> Result<(), AddressRefusal> {
    if addresses.is_empty() {
        return Err(AddressRefusal::NoAddress);
    }
    match addresses
        .iter()
        .find(|address| !(judge_address(**address) || exempt.is_some_and(|list| list.permits(**address))))
    {
        Some(address) => Err(AddressRefusal::Address(*address)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[tokio::test]
    async fn silent_look_ups_end_in_time_and_use_no_thread_of_the_runtime() {
        let mut lookup = SystemLookup {
            patience: Duration::from_millis(50),
            ..SystemLookup::default()
        };
        let (answer, silence) = std::sync::mpsc::channel::<()>();
        let silence = Arc::new(std::sync::Mutex::new(silence));
        let silent = (0..100).map(|_| {
            let silence = Arc::clone(&silence);
            lookup.on_a_thread(move || {
                let _ = silence.lock().map(|silence| silence.recv());
                Ok(Vec::new())
            })
        });
        let ended = futures_util::future::join_all(silent).await;
        let in_time = |ended: &io::Result<_>| {
            ended
                .as_ref()
                .is_err_and(|error| error.kind() == io::ErrorKind::TimedOut)
        };
        assert!(ended.iter().all(in_time));
        // The threads are still silent; the next look-up has one again once they end.
        assert_eq!(lookup.threads.available_permits(), 0);
        drop(answer);
        lookup.patience = Duration::from_secs(60);
        let address: IpAddr = Ipv4Addr::LOCALHOST.into();
        let answered = lookup.on_a_thread(move || Ok(vec![address])).await;
        assert_eq!(answered.unwrap(), [address]);
    }

    #[test]
    fn one_bad_answer_refuses_all() {
        let parse = |list: &str| -> Vec<IpAddr> {
            list.split_whitespace()
                .map(|one| one.parse().expect(one))
                .collect()
        };
        let list = AllowList::for_tests("a.test:80", Ipv4Addr::LOCALHOST.into()).expect("a list");
        for (answers, is_test, allowed) in [
            ("8.8.8.8", false, true),
            ("8.8.8.8 2606:4700::1", false, true),
            ("", false, false),
            ("8.8.8.8 127.0.0.1", false, false),
            ("127.0.0.1 8.8.8.8", false, false),
            ("8.8.8.8 ::1", false, false),
            ("127.0.0.1", true, true),
            ("127.0.0.1 169.254.169.254", true, false),
            ("169.254.169.254", true, false),
            ("10.0.0.1", true, false),
        ] {
            let exempt = is_test.then_some(&list);
            assert_eq!(judge(&parse(answers), exempt).is_ok(), allowed, "{answers}");
        }
    }
}
