//! Processes that die in the middle of a task, and their successors.

use crate::client::{Outcome, asks, id, kinds, payment_status, small_scan, state, submission, with};
use crate::gate::GatedFacilitator;
use crate::shop::{Shop, until};
use ibid_model::{Product, X402Version};
use ibid_service::{EngineSettings, QueueSettings};
use ibid_tests::Database;
use ibid_tests::buyer::small_purchase;
use ibid_x402::SandboxFacilitator;
use ibid_x402::sandbox::Script;
use serde_json::{Value, json};
use std::sync::Arc;

/// A process on a database. The chain outlives it.
fn process(database: &Database, chain: &Arc<SandboxFacilitator>) -> Shop {
    let facilitator = GatedFacilitator {
        sandbox: Arc::clone(chain),
        ..GatedFacilitator::new()
    };
    Shop::on(database.open(), facilitator, |setup| setup)
}

/// A process that leaves the work to others.
fn serving_process(database: &Database, chain: &Arc<SandboxFacilitator>) -> Shop {
    let facilitator = GatedFacilitator {
        sandbox: Arc::clone(chain),
        ..GatedFacilitator::new()
    };
    Shop::on(database.open(), facilitator, |setup| {
        setup.tune(|service| {
            service.queue = QueueSettings {
                engine: EngineSettings {
                    slots: 0,
                    ..EngineSettings::default()
                },
                ..QueueSettings::default()
            }
        })
    })
}

async fn rests(shop: &Shop, task: &str) -> Value {
    until(async || {
        let task = shop.agent.get(task).await.result();
        (state(&task) != "working").then_some(task)
    })
    .await
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Verify,
    Work,
    Settle,
}

/// The process dies at a place; the next one brings the task to its end, or back to where it can be paid for.
async fn check(place: Place, settle: Option<Script>) {
    let (database, chain) = (Database::fresh(), Arc::new(SandboxFacilitator::new()));
    let shop = process(&database, &chain);
    let task = shop.agent.asked().await;
    let payment = shop.agent.payment(Product::Scan);
    let gate = match place {
        Place::Verify => &shop.verify,
        Place::Work => &shop.models,
        Place::Settle => &shop.settle,
    };
    gate.shut();
    let pays = shop.agent.pays(&id(&task), &payment);
    let request = shop
        .agent
        .request("message/send", &json!({"message": pays}))
        .send();
    let request = tokio::runtime::Handle::current().spawn(request);
    gate.arrived(1).await;
    request.abort();
    shop.die();
    if let Some(script) = settle {
        chain.script_settle(script);
    }
    let shop = process(&database, &chain);
    let found = rests(&shop, &id(&task)).await;
    match place {
        // Nothing was begun.
        Place::Verify => assert_eq!(
            (state(&found), payment_status(&found)),
            ("input-required", "payment-required")
        ),
        // It begins again with the same payment, which is free once its holder is known to be gone.
        Place::Work => {
            assert_eq!(
                (state(&found), payment_status(&found)),
                ("input-required", "payment-required")
            );
            assert!(
                found["status"]["message"]["parts"][0]["text"]
                    .as_str()
                    .unwrap()
                    .contains("interrupted")
            );
        }
        // There was a result: it is settled and delivered without the buyer.
        Place::Settle => assert_eq!(
            (state(&found), payment_status(&found)),
            ("completed", "payment-completed")
        ),
    }
    let done = shop.agent.pay(&task, &payment).await;
    assert_eq!((state(&done), shop.transfers()), ("completed", 1), "{place:?}");
    let books = shop.server.store.books().unwrap();
    assert!(books.balance() && books.accounts[0].sales == 1, "{books:?}");
}

#[tokio::test]
async fn a_process_may_die_during_verification() {
    check(Place::Verify, None).await;
}

#[tokio::test]
async fn a_process_may_die_during_the_work() {
    check(Place::Work, None).await;
}

#[tokio::test]
async fn a_process_may_die_during_settlement() {
    check(Place::Settle, None).await;
    check(Place::Settle, Some(Script::LoseAnswer)).await;
    check(Place::Settle, Some(Script::Pending)).await;
}

#[tokio::test]
async fn any_process_answers_and_streams_the_work_of_another() {
    let (database, chain) = (Database::fresh(), Arc::new(SandboxFacilitator::new()));
    let one = process(&database, &chain);
    let two = serving_process(&database, &chain);
    let task = one.agent.asked().await;
    one.models.shut();
    let working = two.agent.get(&id(&task)).await.result();
    assert_eq!(working, one.agent.get(&id(&task)).await.result());
    one.agent.start(&task, &one.agent.payment(Product::Scan)).await;
    one.models.arrived(1).await;
    let mut events = two.agent.watch(&task).await;
    assert_eq!(kinds(&[events.next().await.unwrap()]), ["task working"]);
    assert_eq!(two.agent.cancel(&id(&task)).await.code(), -32002);
    one.models.open();
    assert_eq!(
        kinds(&events.rest().await),
        ["artifact-update", "status-update completed final"]
    );
}

#[tokio::test]
async fn a_run_that_lost_its_payment_is_not_sold() {
    let shop = Shop::open();
    let buyer = &shop.agent.buyer;
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let order = small_purchase();
    let send = || buyer.send("/api/a2a/scan", &payment, &order);
    shop.models.shut();
    // Its process seemed dead to another one, which took the claim away.
    let (reply, ()) = tokio::join!(send(), async {
        shop.models.arrived(1).await;
        let in_an_hour = jiff::Timestamp::now().as_millisecond() + 3_600_000;
        assert_eq!(shop.server.store.free_abandoned_payments(in_an_hour).unwrap(), 1);
        shop.models.open();
    });
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (503, "overloaded".into()),
        "{}",
        reply.text
    );
    assert_eq!((reply.header("retry-after"), shop.transfers()), ("2", 0));
    let again = send().await;
    assert_eq!(
        (again.status.as_u16(), shop.transfers()),
        (200, 1),
        "{}",
        again.text
    );
}

#[tokio::test]
async fn a_draining_process_finishes_paid_tasks() {
    let shop = Shop::open();
    shop.models.shut();
    let payment = shop.agent.payment(Product::Scan);
    let task = shop
        .agent
        .post_message(with(asks(small_scan()), "metadata", submission(&payment)))
        .await
        .result();
    assert_eq!(state(&task), "working");
    let drained = shop.server.service.drain(std::time::Duration::from_secs(20));
    let (open, ()) = tokio::join!(drained, async {
        shop.models.arrived(1).await;
        shop.models.open();
    });
    assert_eq!(open, 0);
    assert_eq!(state(&shop.agent.get(&id(&task)).await.result()), "completed");
}
