//! Clients that do not read their answers: they are closed, hold no stop, and the server reads no more of their requests.

use ibid_tests::{Setup, TestServer};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Longer than every wait of these tests.
const FOREVER: Duration = Duration::from_secs(30);

fn request(method: &str, path: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: x\r\n\r\n")
}

async fn connect(server: &TestServer) -> TcpStream {
    let address = server.url.replace("http://", "");
    TcpStream::connect(address).await.unwrap()
}

/// A client that asks for 16 long documents and reads none.
async fn silent(server: &TestServer) -> TcpStream {
    let mut client = connect(server).await;
    let requests = request("GET", "/openapi.json").repeat(16);
    client.write_all(requests.as_bytes()).await.unwrap();
    client
}

/// Waits until the server has closed the connection.
async fn closed(client: &TcpStream) {
    let ready = timeout(FOREVER, client.ready(Interest::ERROR)).await;
    assert!(ready.unwrap().unwrap().is_error());
}

#[tokio::test]
async fn a_client_that_does_not_read_is_closed() {
    let server = Setup::default().unread(Duration::from_millis(300)).spawn();
    let clients = [silent(&server).await, silent(&server).await];
    for client in &clients {
        closed(client).await;
    }
}

#[tokio::test]
async fn clients_that_do_not_read_hold_no_stop() {
    let server = TestServer::spawn();
    let mut clients = Vec::new();
    for _ in 0..20 {
        let client = silent(&server).await;
        // The first answer is on its way.
        client.readable().await.unwrap();
        clients.push(client);
    }
    let start = Instant::now();
    server.stop().await;
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    // A connection between two answers ends in the usual way: its client finds the end behind what the system holds.
    for mut client in clients {
        let end = timeout(FOREVER, client.read_to_end(&mut Vec::new())).await;
        assert!(end.is_ok());
    }
}

#[tokio::test]
async fn requests_of_a_client_that_does_not_read_are_not_read() {
    let server = Setup::default().unread(Duration::from_millis(300)).spawn();
    for method in ["HEAD", "GET"] {
        let mut client = connect(&server).await;
        let requests = request(method, "/healthz").repeat(1_000);
        let mut sent = 0;
        // Sending fails once the server has closed the connection.
        while client.write_all(requests.as_bytes()).await.is_ok() {
            sent += requests.len();
            assert!(sent < 64 << 20, "{method}: {sent} bytes were read");
        }
    }
}

#[tokio::test]
async fn answers_to_requests_sent_at_once_arrive_in_order_and_whole() {
    let server = TestServer::spawn();
    let mut client = connect(&server).await;
    let head = "POST /api/a2a/jsonrpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json";
    let call = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tasks/get\",\"params\":{{\"id\":\"x\"}}{}}}",
        "\r\n".repeat(20_000)
    );
    let mut requests = String::new();
    for _ in 0..40 {
        requests += &request("GET", "/openapi.json");
        requests += &format!("{head}\r\nContent-Length: {}\r\n\r\n{call}", call.len());
        requests += &request("GET", "/no-such-path");
        requests += &request("HEAD", "/openapi.json");
    }
    let chunks = format!("{:x}\r\n{call}\r\n0\r\n\r\n", call.len());
    requests += &format!("{head}\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
    requests += "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let (mut from, mut to) = client.split();
    let mut answers = Vec::new();
    let (sent, read) = timeout(FOREVER, async {
        tokio::join!(to.write_all(requests.as_bytes()), from.read_to_end(&mut answers))
    })
    .await
    .unwrap();
    sent.unwrap();
    read.unwrap();
    let answers = String::from_utf8(answers).unwrap();
    let (mut rest, mut found) = (answers.as_str(), Vec::new());
    while let Some((head, body)) = rest.split_once("\r\n\r\n") {
        let length = head
            .to_lowercase()
            .split_once("content-length: ")
            .map(|(_, length)| length.split("\r\n").next().unwrap().parse().unwrap());
        // Every fourth request is a HEAD.
        let length: usize = length.unwrap();
        let (body, next) = body.split_at(if found.len() % 4 == 3 { 0 } else { length });
        let document: Value = serde_json::from_str(body).unwrap_or_default();
        found.push((head[9..12].to_owned(), document));
        rest = next;
    }
    assert_eq!((rest, found.len()), ("", 162));
    for answers in found[..160].chunks(4) {
        assert!(answers[0].0 == "200" && answers[0].1["openapi"].is_string());
        assert!(answers[1].0 == "200" && answers[1].1["jsonrpc"] == "2.0");
        assert!(answers[2].0 == "404" && answers[2].1["code"] == "not_found");
        assert_eq!(answers[3].0, "200");
    }
    assert!(found[160].1["jsonrpc"] == "2.0" && found[161].0 == "200");
}
