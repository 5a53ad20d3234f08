//! Page audits under way have a bound of their own.

use ibid_model::{Product, X402Version};
use ibid_tests::{Buyer, Setup};
use ibid_x402::{
    Facilitator, FacilitatorFuture, FacilitatorRequest, Outage, PaymentVerdict, SandboxFacilitator,
    SettleVerdict, Supported,
};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Verifies nothing before it is let.
struct Gated {
    inner: SandboxFacilitator,
    /// One more for each verification that has begun.
    asked: Semaphore,
    let_through: Semaphore,
}

impl Gated {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: SandboxFacilitator::new(),
            asked: Semaphore::new(0),
            let_through: Semaphore::new(0),
        })
    }
}

impl Facilitator for Gated {
    fn verify<'a>(
        &'a self,
        request: &'a FacilitatorRequest,
    ) -> FacilitatorFuture<'a, Result<PaymentVerdict, Outage>> {
        Box::pin(async move {
            self.asked.add_permits(1);
            self.let_through.acquire().await.unwrap().forget();
            self.inner.verify(request).await
        })
    }

    fn settle<'a>(
        &'a self,
        request: &'a FacilitatorRequest,
    ) -> FacilitatorFuture<'a, Result<SettleVerdict, Outage>> {
        self.inner.settle(request)
    }

    fn supported(&self) -> FacilitatorFuture<'_, Result<Supported, Outage>> {
        self.inner.supported()
    }

    fn is_sandbox(&self) -> bool {
        true
    }
}

fn page() -> Value {
    json!({"url": "https://example.com/"})
}

#[tokio::test]
async fn more_audits_than_there_is_room_for_are_503_before_any_money_is_asked_for() {
    let facilitator = Gated::new();
    let server = Setup::default()
        .selling(facilitator.clone())
        .tune(|builder| builder.audits(NonZeroUsize::MIN))
        .spawn();
    let buyer = Buyer::of(&server);
    let (first, second) = (
        buyer.pay(Product::Audit, X402Version::V2),
        buyer.pay(Product::Audit, X402Version::V1),
    );
    let under_way = {
        let (buyer, first) = (buyer.clone(), first.clone());
        tokio::runtime::Handle::current()
            .spawn(async move { buyer.send("/api/a2a/audit", &first, &page()).await })
    };
    facilitator.asked.acquire().await.unwrap().forget();
    // The only place is taken: for an audit, and for a bundle with one in it.
    let bundle = buyer.pay(Product::Full, X402Version::V2);
    let order = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [],
                       "models": ["model-1-latest"], "questionsPerModel": 1});
    for (path, payment, body) in [
        ("/api/a2a/audit", &second, page()),
        ("/api/a2a/full", &bundle, order.clone()),
    ] {
        let reply = buyer.send(path, payment, &body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (503, "overloaded"),
            "{path}: {}",
            reply.text
        );
        assert!(
            reply
                .header("retry-after")
                .parse::<u32>()
                .is_ok_and(|seconds| seconds > 0),
            "{path}"
        );
        assert_eq!(
            facilitator.inner.calls().verify,
            0,
            "the facilitator got no request"
        );
    }
    // A scan needs no page: it is let in meanwhile.
    facilitator.let_through.add_permits(1);
    let scan = buyer.pay(Product::Scan, X402Version::V2);
    let mut plain = order.clone();
    plain.as_object_mut().unwrap().remove("location");
    facilitator.let_through.add_permits(1);
    let reply = buyer.send("/api/a2a/scan", &scan, &plain).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(under_way.await.unwrap().status, 200);
    // With the place free again, the same payments buy what they were made for.
    facilitator.let_through.add_permits(2);
    for (path, payment, body) in [
        ("/api/a2a/audit", &second, page()),
        ("/api/a2a/full", &bundle, order),
    ] {
        let reply = buyer.send(path, payment, &body).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
    }
    assert_eq!(facilitator.inner.transfers().len(), 4);
}
