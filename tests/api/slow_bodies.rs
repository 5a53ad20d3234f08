//! Bodies that arrive slowly or never: their memory and their time have bounds, and polite callers are served meanwhile.

use ibid_http::BodyLimits;
use ibid_tests::{ApiClient, Reply, Setup, TestServer, small_order};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

const AGENT: &str = "/api/a2a/jsonrpc";

/// Sends a head that announces a body, and the beginning of the body. Returns the open connection.
async fn unfinished(address: String, path: &str, announced: usize, sent: usize) -> TcpStream {
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {announced}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // A refusal ends the connection while this side still sends.
    let _ = stream.write_all(&vec![b' '; sent]).await;
    stream
}

async fn answer(stream: &mut TcpStream) -> String {
    let mut answer = vec![0; 4_096];
    let read = stream.read(&mut answer).await.unwrap_or(0);
    String::from_utf8_lossy(&answer[..read]).into_owned()
}

fn address(server: &TestServer) -> String {
    server.url.replace("http://", "")
}

#[tokio::test]
async fn a_crowd_of_unfinished_bodies_takes_a_quarter_and_keeps_no_other_caller_out() {
    let limits = BodyLimits {
        bytes: 16 << 20,
        ..BodyLimits::default()
    };
    let server = Setup::default().bodies(limits).spawn();
    let mut crowd = JoinSet::new();
    for _ in 0..250 {
        let address = address(&server);
        crowd.spawn(async move { unfinished(address, AGENT, 4 << 20, (4 << 20) - 1).await });
    }
    // The crowd settles: its senders are refused, or wait with an unfinished body.
    let (mut open, mut most) = (Vec::new(), 0);
    loop {
        most = most.max(server.bodies.held());
        tokio::select! {
            joined = crowd.join_next() => match joined {
                Some(stream) => open.push(stream.unwrap()),
                None => break,
            },
            () = tokio::time::sleep(Duration::from_millis(1)) => {}
        }
    }
    assert!(most > 0 && most <= limits.bytes / 4, "{most} bytes");
    let client = ApiClient::of(&server);
    assert_eq!(client.scan(&small_order()).await.status, 200);
    let elsewhere = client
        .bare(Method::POST, AGENT)
        .header("X-Forwarded-For", "192.0.2.7")
        .json(&json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"id": "x"}}));
    assert_eq!(Reply::of(elsewhere).await.status, 200);
    drop(open);
}

#[tokio::test]
async fn a_body_that_stops_arriving_is_answered_408() {
    let limits = BodyLimits {
        grace: Duration::from_millis(300),
        total: Duration::from_millis(600),
        ..BodyLimits::default()
    };
    let server = Setup::default().bodies(limits).spawn();
    for path in [AGENT, "/api/a2a/audit", "/sign-in"] {
        let mut stream = unfinished(address(&server), path, 60_000, 100).await;
        let answer = answer(&mut stream).await;
        let expected = match path {
            // Without an origin the form is refused before its body is waited for.
            "/sign-in" => "HTTP/1.1 403",
            _ => "HTTP/1.1 408",
        };
        assert!(answer.starts_with(expected), "{path}: {answer}");
        if path != "/sign-in" {
            assert!(
                answer.contains("request_timeout") && answer.to_lowercase().contains("x-request-id: "),
                "{answer}"
            );
        }
    }
    assert_eq!(server.bodies.held(), 0);
}

#[tokio::test]
async fn a_body_that_is_too_long_is_refused_before_it_arrives() {
    let server = TestServer::spawn();
    let mut stream = unfinished(address(&server), AGENT, 5 << 20, 10).await;
    let answer = answer(&mut stream).await;
    assert!(
        answer.starts_with("HTTP/1.1 413") && answer.contains("payload_too_large"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_repeated_member_is_400() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let order = r#"{"domain":"example.com","keyword":"plumber","domain":"example.org"}"#;
    let request = client
        .scan_request(&json!({}))
        .header("Content-Type", "application/json")
        .body(order);
    let reply = Reply::of(request).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (400, "malformed_json".into())
    );
    assert!(reply.text.contains("twice"), "{}", reply.text);
}
