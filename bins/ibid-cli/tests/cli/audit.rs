//! `ibid audit` from outside: what is printed where, and the exit codes.
#![expect(clippy::expect_used, reason = "tests fail loudly")]

use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

const PAGE: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Heat pumps in old houses</title></head><body><main><h1>Heat pumps</h1><p>A heat pump is a machine that moves heat from outside air into a house, and works below 55 °C.</p></main></body></html>";

fn ibid(arguments: &[&str], allow: &str, input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ibid"))
        .arg("audit")
        .args(arguments)
        .env("AUDIT_TEST_ALLOW", allow)
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut stdin = child.stdin.take().expect("standard input");
    // A run that reads nothing closes the pipe.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("an end")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON on standard output")
}

#[test]
fn html_is_read_from_a_file_or_from_standard_input() {
    let output = ibid(&["--html", "-", "--json"], "", PAGE);
    assert_eq!(output.status.code(), Some(0));
    let report = json(&output);
    assert_eq!((&report["url"], &report["status"]), (&Value::Null, &Value::Null));
    assert_eq!(report["checks"].as_array().map(Vec::len), Some(44));
    let output = ibid(&["--html", "-", "--url", "https://warm.example.com/x"], "", PAGE);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(
        text.starts_with("https://warm.example.com/x\nHeat pumps in old houses\n"),
        "{text}"
    );
    // A pipe is no terminal: no colour.
    assert!(!text.contains('\u{1b}'), "{text}");
    assert_eq!(ibid(&["--html", "/no/such/file"], "", "").status.code(), Some(1));
}

#[test]
fn refused_addresses_end_with_four_and_send_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener
        .set_nonblocking(true)
        .expect("a listener that does not wait");
    let here = format!("http://{}/", listener.local_addr().expect("an address"));
    for address in [
        here.as_str(),
        "http://169.254.169.254/",
        "http://localhost/",
        "file:///etc/passwd",
        "http://u@example.com/",
    ] {
        let output = ibid(&[address, "--json"], "", "");
        assert_eq!(output.status.code(), Some(4), "{address}");
        assert_eq!(json(&output)["error"]["code"], "fetch_refused", "{address}");
        let output = ibid(&[address], "", "");
        assert_eq!(
            (output.status.code(), output.stdout.is_empty()),
            (Some(4), true),
            "{address}"
        );
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("fetch_refused"),
            "{address}"
        );
    }
    assert!(listener.accept().is_err(), "a packet was sent");
}

#[test]
fn pages_that_cannot_be_fetched_end_with_five() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let host = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let output = ibid(&[&format!("http://{host}/"), "--json"], &host, "");
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(json(&output)["error"]["code"], "fetch_failed");
}

#[test]
fn a_page_is_fetched_and_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let host = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { return };
            let mut head = [0; 4_096];
            let count = connection.read(&mut head).unwrap_or(0);
            let body = if head[..count].starts_with(b"GET / ") {
                PAGE
            } else {
                ""
            };
            let status = if body.is_empty() {
                "404 Not Found"
            } else {
                "200 OK"
            };
            let _ = write!(
                connection,
                "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    let output = ibid(&[&format!("http://{host}/")], &host, "");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for part in [
        "Score",
        "What helps most",
        "Crawlers, by robots.txt",
        "predicts citation",
        "status 200",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn bad_usage_ends_with_two() {
    for arguments in [
        &[][..],
        &["https://example.com/", "--html", "x"],
        &["--url", "https://example.com/"],
    ] {
        assert_eq!(ibid(arguments, "", "").status.code(), Some(2), "{arguments:?}");
    }
}
