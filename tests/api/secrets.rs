//! A provider key and a bearer key reach nothing: no answer, no log line, no table.

use ibid_tests::{API_KEY, ApiClient, Database, Reply, Setup, logs, small_order};
use reqwest::Method;
use serde_json::json;

const MARKER: &str = "sk-marker-7f3a9c51";

#[tokio::test]
async fn a_marker_key_is_neither_returned_stored_nor_logged() {
    let logs = logs::capture();
    let database = Database::fresh();
    let server = Setup::default().store(database.open()).spawn();
    let client = ApiClient::of(&server);
    let mut seen = Vec::new();
    let request = || client.bare(Method::POST, "/api/v1/scan").bearer_auth(API_KEY);
    let with_header = Reply::of(request().header("X-Router-Key", MARKER).json(&small_order())).await;
    assert_eq!(with_header.status, 200);
    let id = with_header.json()["scanId"].as_str().unwrap().to_owned();
    seen.push(with_header);
    let mut body = small_order();
    body["routerApiKey"] = json!(MARKER);
    seen.push(Reply::of(request().json(&body)).await);
    // Faulty requests quote fields; the key must not be among them.
    body["routerApiKey"] = json!([MARKER]);
    seen.push(Reply::of(request().json(&body)).await);
    body["routerApiKey"] = json!(format!("{MARKER} with blanks"));
    seen.push(Reply::of(request().json(&body)).await);
    seen.push(
        Reply::of(
            request()
                .header("X-Router-Key", format!("{MARKER}\u{fc}"))
                .json(&small_order()),
        )
        .await,
    );
    seen.push(client.get(&format!("/api/v1/scan/{id}")).await);
    seen.push(client.get(&format!("/api/v1/scan/{id}/answers")).await);
    drop(server);
    for reply in &seen {
        assert!(!reply.text.contains(MARKER), "{}", reply.text);
        assert!(!format!("{:?}", reply.headers).contains(MARKER));
    }
    for line in logs.text().lines() {
        assert!(!line.contains(MARKER) && !line.contains(API_KEY), "{line}");
    }
    assert!(!database.holds(MARKER) && database.holds("example.com"));
}
