//! Page audits under way have a bound of their own.

use ibid_model::{Product, X402Version};
use ibid_provider::Sandbox;
use ibid_store::PaymentState;
use ibid_tests::{Buyer, Setup};
use ibid_x402::SandboxFacilitator;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn page() -> Value {
    json!({"url": "https://example.com/"})
}

#[tokio::test]
async fn more_audits_than_there_is_room_for_are_503_and_cost_nothing() {
    let facilitator = Arc::new(SandboxFacilitator::new());
    let server = Setup::default()
        .provider(Arc::new(Sandbox::new(7).with_latency(Duration::from_secs(3))))
        .selling(facilitator.clone())
        .tune(|service| service.audits = NonZeroUsize::MIN)
        .spawn();
    let buyer = Buyer::of(&server);
    let order = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [],
                       "models": ["model-1-latest"], "questionsPerModel": 1});
    // A bundle has the only place while its models answer.
    let first = buyer.pay(Product::Full, X402Version::V2);
    let under_way = {
        let (buyer, first, order) = (buyer.clone(), first.clone(), order.clone());
        tokio::runtime::Handle::current()
            .spawn(async move { buyer.send("/api/a2a/full", &first, &order).await })
    };
    let start = Instant::now();
    let running = || {
        let counts = server.store.payment_counts().unwrap();
        counts.iter().any(|count| count.state == PaymentState::Running)
    };
    while !running() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "the bundle does not begin"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let audit = buyer.pay(Product::Audit, X402Version::V1);
    let bundle = buyer.pay(Product::Full, X402Version::V2);
    for (path, payment, body) in [
        ("/api/a2a/audit", &audit, page()),
        ("/api/a2a/full", &bundle, order.clone()),
    ] {
        let reply = buyer.send(path, payment, &body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (503, "overloaded"),
            "{path}: {}",
            reply.text
        );
        let retry_after = reply.header("retry-after").parse::<u32>();
        assert!(retry_after.is_ok_and(|seconds| seconds > 0), "{path}");
    }
    assert_eq!(facilitator.calls().settle, 0);
    assert_eq!(under_way.await.unwrap().status, 200);
    // With the place free again, the same payments buy what they were made for.
    for (path, payment, body) in [
        ("/api/a2a/audit", &audit, page()),
        ("/api/a2a/full", &bundle, order),
    ] {
        let reply = buyer.send(path, payment, &body).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
    }
    assert_eq!(facilitator.transfers().len(), 3);
}
