//! The targets of the interface: reported by default, enforced when told to.

use ibid_service::LimitMode;
use ibid_tests::{ApiClient, Setup, TestServer, small_order};

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
        .tune(|builder| builder.limit_mode(LimitMode::Enforce))
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
async fn limits_off_are_not_reported() {
    let server = Setup::default()
        .tune(|builder| builder.limit_mode(LimitMode::Off))
        .spawn();
    assert_eq!(
        ApiClient::of(&server)
            .scan(&small_order())
            .await
            .header("ratelimit"),
        ""
    );
}
