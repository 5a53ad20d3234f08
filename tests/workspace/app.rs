//! `/api/app/*`.

use crate::gate::Gate;
use crate::workspace;
use ibid_tests::member::Member;
use ibid_tests::{Reply, Setup, small_order};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test]
async fn a_scan_is_answered_as_the_paid_one_and_found_in_the_history() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 2).await;
    let reply = ada.app("/api/app/scan", &small_order()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("cache-control")),
        (200, "private, no-store")
    );
    let body = reply.json();
    let members: Vec<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(members, ["result", "scanId", "status"]);
    // As the paid scan: no rings unless given.
    assert_eq!(body["result"]["radius"]["rings"], json!([]));
    let path = format!(
        "/workspace/scans/{}/result.json",
        body["scanId"].as_str().unwrap()
    );
    assert_eq!(ada.open(&path).await.text, reply.text);
}

#[tokio::test]
async fn an_order_sent_again_with_its_key_takes_one_credit() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 2).await;
    let order = |accept: &'static str, order: Value| {
        let request = ada.request(Method::POST, "/api/app/scan").json(&order);
        Reply::of(
            request
                .header("Idempotency-Key", "order-1")
                .header("Accept", accept),
        )
    };
    let first = order("application/json", small_order()).await;
    let again = order("application/json", small_order()).await;
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!(again.text, first.text);
    let watched = order("text/event-stream", small_order()).await;
    assert!(
        watched.text.starts_with("event: scan_complete\ndata: ") && watched.text.contains(&first.text),
        "{}",
        watched.text
    );
    let mut other = small_order();
    other["keyword"] = json!("roofer");
    assert_eq!(order("application/json", other).await.status, 409);
    assert!(ada.open("/workspace").await.text.contains("1 credit<"));
}

#[tokio::test]
async fn a_watched_scan_sends_the_reading_of_each_answer() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let mut order = small_order();
    order["questionsPerModel"] = json!(3);
    let request = ada.request(Method::POST, "/api/app/scan").json(&order);
    let reply = Reply::of(request.header("Accept", "text/event-stream")).await;
    assert_eq!(reply.header("content-type"), "text/event-stream");
    let blocks: Vec<_> = reply
        .text
        .split("\n\n")
        .filter(|block| !block.is_empty())
        .collect();
    assert_eq!(blocks.len(), 4, "{}", reply.text);
    for (index, block) in blocks.iter().take(3).enumerate() {
        let data: Value =
            serde_json::from_str(block.strip_prefix("event: progress\ndata: ").unwrap()).unwrap();
        assert_eq!((&data["done"], &data["total"]), (&json!(index + 1), &json!(3)));
        assert!(data["cited"].is_boolean() && data["score"].is_number() && data["ring"].is_null());
    }
    let complete = blocks[3].strip_prefix("event: scan_complete\ndata: ").unwrap();
    let complete: Value = serde_json::from_str(complete).unwrap();
    assert_eq!(complete["status"], "complete");
}

#[tokio::test]
async fn without_a_session_the_body_is_not_read() {
    let server = workspace();
    let stranger = Member::stranger(&server);
    for path in ["/api/app/scan", "/api/app/plan"] {
        for body in ["{}", "not json", &"x".repeat(70_000)] {
            let request = stranger
                .request(Method::POST, path)
                .header("Content-Type", "application/json");
            let reply = Reply::of(request.body(body.to_owned())).await;
            assert_eq!(
                (reply.status.as_u16(), reply.code()),
                (401, "unauthorized".into()),
                "{path}"
            );
            assert_eq!(reply.header("content-type"), "application/problem+json");
            assert!(!reply.header("www-authenticate").is_empty());
        }
    }
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    for (kind, body, status) in [
        ("application/json", "not json".to_owned(), 400),
        ("text/plain", "{}".to_owned(), 415),
        ("application/json", "x".repeat(70_000), 413),
        ("application/json", "{}".to_owned(), 400),
    ] {
        let request = ada
            .request(Method::POST, "/api/app/scan")
            .header("Content-Type", kind);
        assert_eq!(Reply::of(request.body(body)).await.status, status);
    }
    let reply = Reply::of(ada.request(Method::GET, "/api/app/scan")).await;
    assert_eq!((reply.status.as_u16(), reply.header("allow")), (405, "POST"));
    assert!(ada.open("/workspace").await.text.contains("1 credit<"));
}

#[tokio::test]
async fn a_plan_returns_size_cost_and_faults() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let plan = async |body: Value| {
        let reply = ada.app("/api/app/plan", &body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("cache-control")),
            (200, "private, no-store")
        );
        reply.json()
    };
    let good = plan(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain",
                           "models": ["model-1-latest"], "questionsPerModel": 2}),
    )
    .await;
    assert_eq!(good["errors"], json!([]));
    assert_eq!(
        (&good["questions"], &good["place"]["label"]),
        (&json!(32), &json!("Valencia, Spain"))
    );
    assert_eq!(good["generated"].as_array().unwrap().len(), 2);
    assert_eq!(good["plan"]["questions"].as_array().unwrap().len(), 32);
    assert!(good["confirm"].is_null());
    assert!(good["estimatedCost"].as_str().unwrap().starts_with('$'));
    let bad = plan(json!({"domain": "x", "location": "Valencia, Spain", "rings": [9]})).await;
    let fields: Vec<_> = bad["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["/domain", "/keyword", "/rings/0"]);
    assert!(bad["questions"].is_null() && bad["estimatedCost"].is_null());
    assert_eq!(bad["place"]["label"], "Valencia, Spain");
    let lost = plan(json!({"domain": "example.com", "keyword": "k", "location": "Qqqq, Nowhere"})).await;
    assert_eq!(lost["errors"][0]["code"], "location_not_found");
    assert!(lost["place"].is_null() && lost["plan"].is_null());
    let near = plan(json!({"domain": "example.com", "keyword": "k", "location": "Houston, Florida"})).await;
    assert_eq!(
        near["confirm"]["choices"][0]["label"],
        "Houston, Texas, United States"
    );
    let doubtful =
        plan(json!({"domain": "example.com", "keyword": "k", "location": "Barclona, Spain"})).await;
    assert_eq!(
        doubtful["confirm"]["choices"][0]["location"],
        "Barcelona, Catalonia, Spain"
    );
    let large = plan(
        json!({"domain": "example.com", "keyword": "k", "location": "Valencia, Spain",
                            "rings": [1, 2, 3, 4, 5], "keywordsPerRing": 50}),
    )
    .await;
    assert!(large["questions"].as_u64().unwrap() > 2_000, "{large}");
    assert!(large["note"].as_str().unwrap().starts_with("Too many questions"));
    let dear = plan(
        json!({"domain": "example.com", "keyword": "k", "location": "Valencia, Spain",
                           "rings": [1, 2, 3], "keywordsPerRing": 20}),
    )
    .await;
    assert!(
        dear["note"].as_str().unwrap().starts_with("Too expensive"),
        "{dear}"
    );
    assert_eq!(dear["errors"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn concurrent_scans_spend_no_credit_twice() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 3).await;
    let order = small_order();
    let sends = (0..20).map(|_| ada.app("/api/app/scan", &order));
    let replies = futures_util::future::join_all(sends).await;
    let count = |status: u16| replies.iter().filter(|reply| reply.status == status).count();
    assert_eq!((count(200), count(402)), (3, 17));
    let account = server
        .store
        .account(&"ada@example.com".parse().unwrap())
        .unwrap()
        .unwrap();
    assert_eq!(account.credits, 0);
    let movements = server.store.movements(account.id, None, 100).unwrap();
    assert_eq!(movements.iter().map(|movement| movement.amount).sum::<i64>(), 0);
}

#[tokio::test]
async fn a_scan_continues_when_its_caller_hangs_up() {
    let gate = Gate::shut();
    let open = Arc::clone(&gate.open);
    let server = Setup::default().provider(Arc::new(gate)).workspace().spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let mut order = small_order();
    order["questionsPerModel"] = json!(2);
    let request = ada.request(Method::POST, "/api/app/scan").json(&order);
    let mut stream = request
        .header("Accept", "text/event-stream")
        .send()
        .await
        .unwrap();
    open.add_permits(1);
    // The first event was sent, so the scan has begun; the rest of the stream is dropped.
    stream.chunk().await.unwrap();
    drop(stream);
    open.add_permits(1);
    let history = ada.open("/workspace/scans").await.text;
    let path = history.split("href=\"/workspace/scans/").nth(1).unwrap();
    let scan = format!("/workspace/scans/{}", path.split('"').next().unwrap());
    assert!(ada.listen(&scan).await.contains(r#""status":"complete""#));
    assert!(ada.open(&scan).await.text.contains("Scan report"));
}
