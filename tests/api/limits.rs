//! The targets of the interface: reported by default, enforced when told to.

use crate::v2_caller::{Caller, SCANS};
use ibid_service::LimitMode;
use ibid_tests::{ApiClient, Reply, Setup, TestServer, small_order};
use serde_json::{Value, json};

#[tokio::test]
async fn by_default_limits_are_reported_and_nothing_is_refused() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for used in 1..=62_u32 {
        let reply = client.scan(&small_order()).await;
        assert_eq!(reply.status, 200);
        let left = 60_u32.saturating_sub(used);
        assert!(
            reply
                .header("ratelimit")
                .starts_with(&format!("\"hour\";r={left};t=")),
            "{}",
            reply.header("ratelimit")
        );
        assert_eq!(
            reply.header("ratelimit-policy"),
            r#""hour";q=60;w=3600, "concurrent";q=5;qu="requests""#
        );
    }
}

#[tokio::test]
async fn enforced_limits_answer_429_with_retry_after() {
    let server = Setup::default()
        .tune(|service| service.limit_mode = LimitMode::Enforce)
        .spawn();
    let client = ApiClient::of(&server);
    for _ in 0..60 {
        assert_eq!(client.scan(&small_order()).await.status, 200);
    }
    let reply = client.scan(&small_order()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (429, "rate_limited".into())
    );
    let wait: u64 = reply.header("retry-after").parse().unwrap();
    assert!((3_000..=3_600).contains(&wait), "{wait}");
    assert!(
        reply.header("ratelimit").starts_with("\"hour\";r=0;t="),
        "{:?}",
        reply.headers
    );
    assert!(reply.header("ratelimit-policy").contains("q=60"));
}

#[tokio::test]
async fn an_order_that_is_sent_again_counts_once() {
    let server = Setup::default()
        .tune(|service| service.limit_mode = LimitMode::Enforce)
        .spawn();
    let caller = Caller::of(&server);
    let mut first = None;
    for _ in 0..3 {
        let reply = Reply::of(
            caller
                .post(SCANS, &small_order())
                .header("Idempotency-Key", "again"),
        )
        .await;
        assert_eq!(reply.status, 202, "{}", reply.text);
        assert!(
            reply.header("ratelimit").starts_with("\"hour\";r=59;t="),
            "{}",
            reply.header("ratelimit")
        );
        let id = reply.json()["scanId"].clone();
        assert_eq!(first.get_or_insert_with(|| id.clone()), &id);
    }
}

#[tokio::test]
async fn of_a_batch_over_the_limit_the_first_orders_are_queued() {
    let server = Setup::default()
        .tune(|service| service.limit_mode = LimitMode::Enforce)
        .spawn();
    let caller = Caller::of(&server);
    let path = format!("{SCANS}/batch");
    let batch = |orders: usize| json!({"orders": vec![small_order(); orders]});
    let send =
        |body: Value, key: &'static str| Reply::of(caller.post(&path, &body).header("Idempotency-Key", key));
    let whole = send(batch(58), "whole").await.json();
    assert_eq!(
        (whole["scans"].as_array().unwrap().len(), &whole["errors"]),
        (58, &json!([]))
    );
    let part = send(batch(4), "part").await;
    assert_eq!(part.status, 202, "{}", part.text);
    let wait: u64 = part.header("retry-after").parse().unwrap();
    assert!((3_000..=3_600).contains(&wait), "{wait}");
    let body = part.json();
    assert_eq!(body["scans"].as_array().unwrap().len(), 2);
    let refused: Vec<_> = body["errors"].as_array().unwrap().iter().collect();
    assert_eq!(
        refused.iter().map(|fault| &fault["field"]).collect::<Vec<_>>(),
        ["/orders/2", "/orders/3"]
    );
    assert!(refused.iter().all(|fault| fault["code"] == "rate_limited"));
    // The estimate is that of the two.
    assert_eq!(
        body["estimate"]["questions"].as_u64().unwrap() * 29,
        whole["estimate"]["questions"].as_u64().unwrap()
    );
    assert_eq!(send(batch(4), "part").await.json(), body);
    // Nothing is left. The key stays free, so the batch can be sent again later.
    let refused = send(batch(1), "late").await;
    assert_eq!(
        (refused.status.as_u16(), refused.code()),
        (429, "rate_limited".into())
    );
    let other = send(batch(2), "late").await;
    assert_eq!(
        (other.status.as_u16(), other.code()),
        (429, "rate_limited".into())
    );
}

#[tokio::test]
async fn limits_off_are_not_reported() {
    let server = Setup::default()
        .tune(|service| service.limit_mode = LimitMode::Off)
        .spawn();
    assert_eq!(
        ApiClient::of(&server)
            .scan(&small_order())
            .await
            .header("ratelimit"),
        ""
    );
}
