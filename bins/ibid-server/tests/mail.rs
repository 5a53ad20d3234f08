//! Mail of the real program to a small mail server on loopback: confirmed, sent again under the same id, ended by one click.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

use ibid_tests::{ApiClient, Database, Method, Reply};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// A mail server: it answers the data of each mail with the next of its answers, and 250 when there is none.
struct MailServer {
    port: u16,
    mails: Receiver<String>,
    answers: Arc<Mutex<Vec<&'static str>>>,
}

impl MailServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, mails) = channel();
        let answers = Arc::new(Mutex::new(Vec::new()));
        let given = Arc::clone(&answers);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (sender, answers) = (sender.clone(), Arc::clone(&given));
                std::thread::spawn(move || talk(&stream, &sender, &answers));
            }
        });
        Self { port, mails, answers }
    }

    fn answer_next(&self, line: &'static str) {
        self.answers.lock().unwrap().push(line);
    }

    fn next(&self) -> String {
        self.mails.recv_timeout(PATIENCE).unwrap()
    }
}

/// One connection. It ends when the client leaves.
fn talk(stream: &TcpStream, mails: &Sender<String>, answers: &Mutex<Vec<&'static str>>) -> Option<()> {
    let (mut lines, mut writer) = (BufReader::new(stream), stream);
    writer.write_all(b"220 mail.example ESMTP\r\n").ok()?;
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line).ok()? == 0 {
            return Some(());
        }
        let answer = match line.split_whitespace().next()?.to_uppercase().as_str() {
            "EHLO" => "250 mail.example\r\n".to_owned(),
            "DATA" => {
                writer.write_all(b"354 go on\r\n").ok()?;
                let mut mail = String::new();
                while !mail.ends_with("\r\n.\r\n") {
                    lines.read_line(&mut mail).ok()?;
                }
                mails.send(mail).ok()?;
                let mut answers = answers.lock().unwrap();
                match answers.is_empty() {
                    true => "250 taken\r\n".to_owned(),
                    false => format!("{}\r\n", answers.remove(0)),
                }
            }
            "QUIT" => "221 bye\r\n".to_owned(),
            _ => "250 ok\r\n".to_owned(),
        };
        writer.write_all(answer.as_bytes()).ok()?;
    }
}

struct Program {
    child: Child,
    url: String,
}

impl Program {
    async fn start(database: &Database, mail: &MailServer) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let child = Command::new(env!("CARGO_BIN_EXE_ibid-server"))
            .args(["--sandbox", "--no-demo"])
            .env_clear()
            .env("BIND", format!("127.0.0.1:{port}"))
            .env("DATABASE_URL", database.url())
            .env("SMTP_URL", format!("smtp://127.0.0.1:{}", mail.port))
            .env("SMTP_FROM", "ibid <news@ibid.example>")
            .env("LOG", "warn")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let url = format!("http://127.0.0.1:{port}");
        let program = Self { child, url };
        let begun = std::time::Instant::now();
        while program.http().bare(Method::GET, "/healthz").send().await.is_err() {
            assert!(begun.elapsed() < PATIENCE, "the program starts");
            tokio::task::yield_now().await;
        }
        program
    }

    /// A client with new connections: the server closes those that wait for a mail.
    fn http(&self) -> ApiClient {
        ApiClient::at(&self.url)
    }

    async fn call(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let request = self.http().bare(method, path);
        let reply = Reply::of(request.bearer_auth("ibidp_sandbox").json(&body)).await;
        (
            reply.status.as_u16(),
            serde_json::from_str(&reply.text).unwrap_or(Value::Null),
        )
    }

    /// Opens a link of a mail.
    async fn open(&self, path: &str) -> u16 {
        Reply::of(self.http().bare(Method::GET, path))
            .await
            .status
            .as_u16()
    }

    /// Posts as a mail program does: without an origin and a cookie.
    async fn click(&self, path: &str) -> u16 {
        let request = self.http().bare(Method::POST, path);
        let form = request.header("content-type", "application/x-www-form-urlencoded");
        Reply::of(form.body("List-Unsubscribe=One-Click"))
            .await
            .status
            .as_u16()
    }

    /// Posts the form of a page of the program.
    async fn press(&self, path: &str) -> u16 {
        let request = self.http().bare(Method::POST, path);
        let own = request
            .header("sec-fetch-site", "same-origin")
            .header("origin", &self.url);
        Reply::of(own).await.status.as_u16()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn header<'a>(mail: &'a str, name: &str) -> &'a str {
    let found = mail
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    assert!(found.is_some(), "no {name} in {mail}");
    found.unwrap()
}

/// The path of a link that begins so, from a mail in which long lines are folded.
fn path_of(mail: &str, begin: &str) -> String {
    let text = mail.replace("=\r\n", "");
    let from = text.find(begin);
    assert!(from.is_some(), "no {begin} in {text}");
    let from = from.unwrap();
    let is_of_link = |c: char| c.is_ascii_alphanumeric() || "/-_".contains(c);
    text[from..].chars().take_while(|c| is_of_link(*c)).collect()
}

#[tokio::test]
async fn a_reader_confirms_gets_mail_and_ends_it() {
    let (database, mail) = (Database::fresh(), MailServer::start());
    let program = Program::start(&database, &mail).await;
    let order = json!({"name": "Brightspoke", "domain": "brightspoke.example", "keyword": "bicycle shop"});
    let (status, project) = program.call(Method::POST, "/api/v2/projects", order).await;
    assert_eq!(status, 201, "{project}");
    let list = format!(
        "/api/v2/projects/{}/destinations",
        project["projectId"].as_str().unwrap()
    );

    let (status, refused) = program
        .call(
            Method::POST,
            &list,
            json!({"kind": "mail", "address": "a@b\r\nBcc: c@d.example"}),
        )
        .await;
    assert_eq!(
        (status, &refused["errors"][0]["field"]),
        (400, &json!("/address")),
        "{refused}"
    );
    let (status, refused) = program
        .call(
            Method::POST,
            &list,
            json!({"kind": "slack", "address": "https://example.com/services/x"}),
        )
        .await;
    assert_eq!(
        (status, &refused["errors"][0]["field"]),
        (400, &json!("/address")),
        "{refused}"
    );

    let body = json!({"kind": "mail", "address": "ada@example.com"});
    let (status, added) = program.call(Method::POST, &list, body.clone()).await;
    assert_eq!((status, &added["state"]), (201, &json!("waiting")), "{added}");
    let (status, _) = program.call(Method::POST, &list, body).await;
    assert_eq!(status, 400);
    let test = format!("{list}/{}/test", added["destinationId"].as_str().unwrap());
    let (status, _) = program.call(Method::POST, &test, Value::Null).await;
    assert_eq!(
        status, 409,
        "nothing else is sent before the address is confirmed"
    );

    let asked = mail.next();
    assert_eq!(header(&asked, "To"), "ada@example.com");
    assert!(!asked.contains("List-Unsubscribe"), "{asked}");
    let confirm = path_of(&asked, "/mail/confirm/");
    assert_eq!(program.open(&confirm).await, 200);
    assert_eq!(
        program.call(Method::GET, &list, Value::Null).await.1["destinations"][0]["state"],
        "waiting"
    );
    assert_eq!(program.press(&confirm).await, 200);

    // The first answer is lost to a fault of the server; the mail comes again under its id.
    mail.answer_next("451 later");
    let (status, list_now) = program.call(Method::POST, &test, Value::Null).await;
    assert_eq!(
        (status, &list_now["destinations"][0]["state"]),
        (202, &json!("active")),
        "{list_now}"
    );
    let (first, second) = (mail.next(), mail.next());
    assert_eq!(header(&first, "Message-ID"), header(&second, "Message-ID"));
    assert!(
        header(&first, "Message-ID").ends_with("@ibid.example>"),
        "{first}"
    );

    let end = path_of(&second, "/mail/unsubscribe/");
    assert_eq!(program.open(&end).await, 200);
    assert_eq!(
        program.call(Method::GET, &list, Value::Null).await.1["destinations"][0]["state"],
        "active"
    );
    assert_eq!(program.click(&end).await, 200);
    let ended = program.call(Method::GET, &list, Value::Null).await.1;
    assert_eq!(ended["destinations"][0]["state"], "unsubscribed");
    assert_eq!(program.call(Method::POST, &test, Value::Null).await.0, 409);
    assert_eq!(program.click("/mail/unsubscribe/unknown").await, 404);
}
