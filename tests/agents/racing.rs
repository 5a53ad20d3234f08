//! The same thing at once, and many things at once.

use crate::client::{Outcome, asks, id, payment_status, small_scan, state, submission, with};
use crate::shop::Shop;
use ibid_model::Product;
use serde_json::Value;

#[tokio::test]
async fn thirty_equal_submissions_run_once() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    let payment = shop.agent.payment(Product::Scan);
    let pays = shop.agent.pays(&id(&task), &payment);
    let sends = (0..30).map(|_| shop.agent.send(pays.clone()));
    for answer in futures_util::future::join_all(sends).await {
        let shown = answer.result();
        assert_eq!((state(&shown), &shown["id"]), ("completed", &task["id"]));
    }
    assert_eq!(
        (
            shop.questions(),
            shop.transfers(),
            shop.facilitator.calls().verify
        ),
        (1, 1, 1)
    );
    let done = shop.agent.get(&id(&task)).await.result();
    assert_eq!(
        done["history"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|message| message["role"] == "user")
            .count(),
        2
    );
}

#[tokio::test]
async fn of_two_payments_at_once_one_is_used() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    let payments = [
        shop.agent.payment(Product::Scan),
        shop.agent.payment(Product::Scan),
    ];
    shop.verify.shut();
    let sends = payments
        .each_ref()
        .map(|payment| shop.agent.send(shop.agent.pays(&id(&task), payment)));
    let all = futures_util::future::join_all(sends);
    let (answers, ()) = tokio::join!(all, async {
        shop.verify.arrived(2).await;
        shop.verify.open();
    });
    for answer in answers {
        assert_eq!(state(&answer.result()), "completed");
    }
    assert_eq!((shop.questions(), shop.transfers()), (1, 1));
    // The other one buys something else.
    let mut bought = 0;
    for payment in &payments {
        let mut other = small_scan();
        other["keyword"] = "roofer".into();
        let answer = shop
            .agent
            .send(with(asks(other), "metadata", submission(payment)))
            .await
            .result();
        bought += usize::from(payment_status(&answer) == "payment-completed");
    }
    assert_eq!((bought, shop.transfers()), (1, 2));
}

#[tokio::test]
async fn one_payment_for_two_tasks_and_the_rest_surface_runs_once() {
    let shop = Shop::open();
    let tasks = [shop.agent.asked().await, shop.agent.asked().await];
    let payment = shop.agent.payment(Product::Scan);
    let sends = tasks
        .each_ref()
        .map(|task| shop.agent.send(shop.agent.pays(&id(task), &payment)));
    let order = ibid_tests::buyer::small_purchase();
    let rest = shop.agent.buyer.send("/api/a2a/scan", &payment, &order);
    let (answers, rest) = tokio::join!(futures_util::future::join_all(sends), rest);
    let documents: Vec<Value> = answers
        .into_iter()
        .map(|answer| {
            let task = answer.result();
            assert_eq!(state(&task), "completed");
            task["artifacts"][0]["parts"][0]["data"].clone()
        })
        .collect();
    assert_eq!((&documents[0], &documents[1]), (&rest.json(), &rest.json()));
    assert_eq!((shop.questions(), shop.transfers()), (1, 1));
}

#[tokio::test]
async fn cancel_and_payment_at_once_agree() {
    for _ in 0..10 {
        let shop = Shop::open();
        let task = shop.agent.asked().await;
        let pays = shop.agent.pays(&id(&task), &shop.agent.payment(Product::Scan));
        let name = id(&task);
        let (paid, canceled) = tokio::join!(shop.agent.send(pays), shop.agent.cancel(&name));
        let won = canceled.get("result").is_some();
        let end = shop.agent.get(&name).await.result();
        assert_eq!(state(&end), if won { "canceled" } else { "completed" });
        assert_eq!(shop.transfers(), usize::from(!won), "{paid}");
    }
}
