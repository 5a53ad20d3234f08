//! Traces, as a collector gets them from the real program.
#![cfg(all(feature = "otlp", unix))]
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

use ibid_tests::fake_router::FakeRouter;
use ibid_tests::{ApiClient, Method, Reply, small_order};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A collector: keeps the spans that it is sent.
fn collector() -> (String, Arc<Mutex<Vec<Span>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let spans = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&spans);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            loop {
                let (mut length, mut line, mut first) = (0, String::new(), String::new());
                while reader.read_line(&mut line).unwrap_or(0) > 0 && line != "\r\n" {
                    if first.is_empty() {
                        first.clone_from(&line);
                    }
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    line.clear();
                }
                if first.is_empty() {
                    break;
                }
                assert!(first.starts_with("POST /v1/traces "), "{first}");
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let sent = ExportTraceServiceRequest::decode(&*body).unwrap();
                let scopes = sent
                    .resource_spans
                    .into_iter()
                    .flat_map(|spans| spans.scope_spans);
                kept.lock().unwrap().extend(scopes.flat_map(|scope| scope.spans));
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
                reader.get_mut().write_all(answer).unwrap();
            }
        }
    });
    (address, spans)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_scan_continues_the_trace_of_its_caller_up_to_the_router() {
    let (collector, spans) = collector();
    let router = FakeRouter::spawn();
    let mut program = Command::new(env!("CARGO_BIN_EXE_ibid-server"))
        .env_clear()
        .env("BIND", "127.0.0.1:0")
        .env("DATABASE_URL", "sqlite::memory:")
        .env("SERVICE_API_KEY", "marker-service-key")
        .env("ROUTER_BASE_URL", router.base_url().as_str())
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stderr.take().unwrap());
    let mut line = String::new();
    while !(line.contains("server.listening") && line.contains("address=")) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the server ended early");
    }
    let address = line
        .split("address=")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    let client = ApiClient::at(&format!("http://{address}"));
    let scan = client
        .bare(Method::POST, "/api/v1/scan?marker=marker-query")
        .bearer_auth("marker-service-key")
        .header("X-Router-Key", "marker-provider-key")
        .header("traceparent", format!("00-{TRACE}-{PARENT}-01"))
        .json(&small_order());
    let reply = Reply::of(scan).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let stop = Command::new("kill")
        .arg(program.id().to_string())
        .status()
        .unwrap();
    assert!(stop.success());
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert!(program.wait().unwrap().success(), "{rest}");

    let spans = spans.lock().unwrap();
    let named = |name: &str| spans.iter().find(|span| span.name == name).unwrap();
    let (request, call) = (named("http.request"), named("router.call"));
    assert_eq!(
        (hex(&request.trace_id), hex(&request.parent_span_id)),
        (TRACE.into(), PARENT.into())
    );
    assert_eq!(hex(&call.trace_id), TRACE);
    let sent = format!("00-{TRACE}-{}-01", hex(&call.span_id));
    assert_eq!(router.log().attempts[0].header("traceparent"), Some(&*sent));
    let text = format!("{spans:?}");
    assert!(
        text.contains("http.response.status_code") && !text.contains("marker"),
        "{text}"
    );
}
