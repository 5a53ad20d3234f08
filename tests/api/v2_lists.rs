//! Lists of queued scans, and batches.

use crate::v2_caller::{Caller, SCANS, gated};
use ibid_store::PackedAnswers;
use ibid_tests::{PROVIDER_KEY, Reply, TestServer, small_order};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::HashSet;

fn ids(page: &Value) -> Vec<String> {
    let scans = page["scans"].as_array().unwrap().iter();
    scans
        .map(|scan| scan["scanId"].as_str().unwrap().to_owned())
        .collect()
}

fn order(domain: &str, keyword: &str, tag: &str) -> Value {
    json!({"domain": domain, "keyword": keyword, "location": "Lyon, France", "rings": [], "tag": tag,
           "models": ["model-1-latest"], "questionsPerModel": 1})
}

#[tokio::test]
async fn a_list_is_read_page_by_page() {
    let (server, _open) = gated();
    let (caller, other) = (Caller::of(&server), Caller::named(&server, "shop"));
    let mut queued = Vec::new();
    for _ in 0..5 {
        queued.push(
            caller.queue(&small_order()).await.json()["scanId"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
    }
    let theirs = other.queue(&small_order()).await.json()["scanId"]
        .as_str()
        .unwrap()
        .to_owned();
    let (mut listed, mut path) = (Vec::new(), format!("{SCANS}?limit=2"));
    loop {
        let page = caller.get(&path).await.json();
        assert!(page["scans"].as_array().unwrap().len() <= 2);
        listed.extend(ids(&page));
        match page["nextCursor"].as_str() {
            Some(cursor) => path = format!("{SCANS}?limit=2&cursor={cursor}"),
            None => break,
        }
    }
    // Scans of one millisecond have no order of their own.
    let set = |ids: &[String]| ids.iter().cloned().collect::<HashSet<_>>();
    assert_eq!((listed.len(), set(&listed)), (5, set(&queued)));
    assert_eq!(ids(&caller.get(SCANS).await.json()), listed);
    assert_eq!(ids(&other.get(SCANS).await.json()), std::slice::from_ref(&theirs));
    // The cursor of another caller shows nothing.
    let foreign = caller.get(&format!("{SCANS}?cursor={theirs}")).await.json();
    assert_eq!(foreign, json!({"scans": [], "nextCursor": null}));
}

#[tokio::test]
async fn filters_select() {
    let server = TestServer::spawn();
    let caller = Caller::of(&server);
    let [one, two] = [
        caller
            .accepted(&order("https://www.Example.com/", "Plumber", "weekly"))
            .await,
        caller.accepted(&order("example.org", "roofer", "daily")).await,
    ];
    for path in [&one, &two] {
        caller.ended(path).await;
    }
    let check = async |query: &str, expected: &[&String]| {
        let page = caller.get(&format!("{SCANS}?{query}")).await;
        assert_eq!(page.status, 200, "{query}: {}", page.text);
        let mut found: Vec<_> = ids(&page.json())
            .iter()
            .map(|id| format!("{SCANS}/{id}"))
            .collect();
        let mut expected: Vec<_> = expected.iter().map(|path| (*path).clone()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{query}");
    };
    check("domain=example.com", &[&one]).await;
    check("domain=http%3A%2F%2FEXAMPLE.org%2Fx", &[&two]).await;
    check("keyword=plumber", &[&one]).await;
    check("location=lyon,%20FRANCE", &[&one, &two]).await;
    check("location=Lyon", &[]).await;
    check("tag=daily", &[&two]).await;
    check("tag=daily&keyword=plumber", &[]).await;
    check("status=complete", &[&one, &two]).await;
    check("status=failed", &[]).await;
    check("from=2020-01-01T00:00:00Z", &[&one, &two]).await;
    check("until=2020-01-01T00:00:00Z", &[]).await;
    check("domain=&unknown=x", &[&one, &two]).await;
    check("keyword=%25", &[]).await;
    check("batch=123e4567-e89b-42d3-a456-426614174000", &[]).await;
    check("schedule=123e4567-e89b-42d3-a456-426614174000", &[]).await;
}

#[tokio::test]
async fn every_fault_of_a_query_is_reported() {
    let server = TestServer::spawn();
    let caller = Caller::of(&server);
    let query = format!(
        "domain=localhost&keyword={}&location=%00&tag={}&status=done&batch=1&schedule=x&from=today&until=1&cursor={}&limit=0",
        "k".repeat(201),
        "t".repeat(61),
        "9".repeat(5_000)
    );
    let reply = caller.get(&format!("{SCANS}?{query}")).await;
    assert_eq!(reply.status, 400, "{}", reply.text);
    assert_eq!(
        reply.faults(),
        [
            "domain: invalid",
            "keyword: invalid",
            "location: invalid",
            "tag: invalid",
            "status: invalid",
            "schedule: invalid",
            "batch: invalid",
            "from: invalid",
            "until: invalid",
            "cursor: invalid",
            "limit: out_of_range",
        ]
    );
    for query in ["limit=101", "limit=-1", "limit=2.5", "limit=1e1"] {
        let reply = caller.get(&format!("{SCANS}?{query}")).await;
        assert_eq!(reply.faults(), ["limit: out_of_range"], "{query}");
    }
    let twice = caller.get(&format!("{SCANS}?tag=a&tag=b")).await;
    assert_eq!(twice.faults(), ["tag: invalid"]);
}

#[tokio::test]
async fn a_batch_is_queued_in_its_order_and_with_one_estimate() {
    let server = TestServer::spawn();
    let caller = Caller::of(&server);
    let orders: Vec<_> = ["a", "b", "c"]
        .map(|tag| order("example.com", "plumber", tag))
        .into();
    let body = json!({"orders": orders});
    let path = format!("{SCANS}/batch");
    let queue = || Reply::of(caller.post(&path, &body).header("Idempotency-Key", "batch-1"));
    let reply = queue().await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    let batch = reply.json();
    assert_eq!(batch["estimate"]["questions"], 3);
    assert!(batch["estimate"]["costUsd"].as_f64().unwrap() > 0.0);
    assert_eq!(queue().await.json(), batch);
    for (id, tag) in ids(&batch).iter().zip(["a", "b", "c"]) {
        let ended = caller.ended(&format!("{SCANS}/{id}")).await;
        assert_eq!(
            (&ended["tag"], &ended["batchId"], &ended["status"]),
            (&json!(tag), &batch["batchId"], &json!("complete"))
        );
    }
    let listed = caller.get(reply.header("location")).await.json();
    assert_eq!(listed["scans"].as_array().unwrap().len(), 3);
    assert_eq!(batch["links"]["scans"], reply.header("location"));
    let other = Caller::named(&server, "shop");
    assert_eq!(
        other.get(reply.header("location")).await.json()["scans"],
        json!([])
    );
}

#[tokio::test]
async fn a_batch_with_a_fault_queues_nothing() {
    let server = TestServer::spawn();
    let caller = Caller::of(&server);
    let path = format!("{SCANS}/batch");
    let body = json!({"orders": [small_order(), 7, {"domain": "example.com", "keyword": "k", "location": "Atlantyda, Spain"},
        {"domain": "example.com", "rings": [0], "priority": 0}]});
    let reply = Reply::of(caller.request(Method::POST, &path).json(&body)).await;
    assert_eq!(reply.status, 400);
    assert_eq!(
        reply.faults(),
        [
            "/orders/1: wrong_type",
            "/orders/2/location: location_not_found",
            "/orders/3/keyword: required",
            "/orders/3/rings/0: out_of_range",
            "/orders/3/priority: out_of_range",
            "X-Router-Key: provider_key_required",
        ]
    );
    for (body, fault) in [
        (json!({}), "/orders: required"),
        (json!({"orders": []}), "/orders: out_of_range"),
        (json!({"orders": {}}), "/orders: wrong_type"),
        (
            json!({"orders": vec![small_order(); 1_001]}),
            "/orders: out_of_range",
        ),
    ] {
        let reply = Reply::of(caller.post(&path, &body)).await;
        assert_eq!(reply.faults(), [fault], "{}", reply.text);
    }
    assert_eq!(caller.get(SCANS).await.json()["scans"], json!([]));
}

#[tokio::test]
async fn a_batch_takes_a_thousand_orders_and_a_body_of_some_size() {
    let (server, _open) = gated();
    let caller = Caller::of(&server);
    let mut order = small_order();
    order["padding"] = json!("x".repeat(3_000));
    let path = format!("{SCANS}/batch");
    let body = json!({"orders": vec![order.clone(); 1_000]});
    let reply = Reply::of(caller.post(&path, &body)).await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    let queued: HashSet<_> = ids(&reply.json()).into_iter().collect();
    assert_eq!(queued.len(), 1_000);
    order["padding"] = json!("x".repeat(4_500));
    let too_large = Reply::of(caller.post(&path, &json!({"orders": vec![order; 1_000]}))).await;
    assert_eq!(too_large.status, 413);
}

#[tokio::test]
async fn provider_keys_in_bodies_are_not_kept() {
    let (server, _open) = gated();
    let caller = Caller::of(&server);
    let mut order = small_order();
    order["routerApiKey"] = json!("sk-of-an-order");
    let body = json!({"orders": [order.clone()], "routerApiKey": PROVIDER_KEY});
    let batch = caller
        .request(Method::POST, &format!("{SCANS}/batch"))
        .json(&body);
    let batch = Reply::of(batch).await;
    assert_eq!(batch.status, 202, "{}", batch.text);
    let single = Reply::of(caller.request(Method::POST, SCANS).json(&order)).await;
    assert_eq!(single.status, 202, "{}", single.text);
    let queued = ids(&batch.json());
    for id in [queued[0].as_str(), single.json()["scanId"].as_str().unwrap()] {
        let id = id.parse().unwrap();
        let document = server.store.durable_run(id).unwrap().unwrap().document;
        let plan = PackedAnswers::packed(server.store.run_plan(id).unwrap().unwrap());
        let [document, plan] =
            [document, plan.unpack().unwrap()].map(|text| String::from_utf8(text).unwrap());
        assert!(plan.contains("example.com"));
        for text in [document, plan] {
            assert!(!text.contains("routerApiKey") && !text.contains("sk-of-an-order"));
        }
    }
}
