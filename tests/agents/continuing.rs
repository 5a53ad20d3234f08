//! Messages to tasks: which task, which context, which state (sections 2.4 and 2.5 of the protocol).

use crate::client::{Outcome, asks, id, payment_status, small_scan, state, told, with, words};
use crate::shop::Shop;
use ibid_model::Product;
use serde_json::{Value, json};

#[tokio::test]
async fn contexts_are_kept_made_and_compared() {
    let shop = Shop::open();
    let own = shop
        .agent
        .send(with(words("a"), "contextId", "my-context"))
        .await
        .result();
    assert_eq!(own["contextId"], "my-context");
    let made = shop.agent.send(words("b")).await.result();
    assert!(made["contextId"].as_str().unwrap().len() >= 32);
    // Two tasks of one context are two tasks.
    let other = shop
        .agent
        .send(with(words("c"), "contextId", "my-context"))
        .await
        .result();
    assert_ne!(own["id"], other["id"]);
    let bad = with(words("d"), "contextId", "x".repeat(200));
    assert_eq!(shop.agent.send(bad).await.code(), -32602);
    // Another context than the task's is refused before anything is filed; none is the task's.
    let follow = |context: Value| {
        with(
            with(words("e"), "taskId", own["id"].clone()),
            "contextId",
            context,
        )
    };
    let mismatch = shop.agent.send(follow(json!("other"))).await;
    assert_eq!(mismatch.refusal(), (-32602, "context_mismatch"));
    assert_eq!(
        shop.agent.get(&id(&own)).await["result"]["history"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let task = shop.agent.send(follow(Value::Null)).await.result();
    assert_eq!(task["history"].as_array().unwrap().len(), 3);
    for message in task["history"].as_array().unwrap() {
        assert_eq!(
            (&message["taskId"], &message["contextId"]),
            (&own["id"], &json!("my-context"))
        );
    }
}

#[tokio::test]
async fn an_unknown_id_makes_no_task() {
    let shop = Shop::open();
    let foreign = "3f1c7a52-9d70-4c3e-8a44-0f6c1d2b9e11";
    for name in [foreign, "no-such-task", "", "3F1C7A529D704C3E8A440F6C1D2B9E11"] {
        assert_eq!(
            shop.agent.send(with(words("x"), "taskId", name)).await.code(),
            -32001,
            "{name}"
        );
        for method in ["tasks/get", "tasks/cancel"] {
            assert_eq!(
                shop.agent.call(method, json!({"id": name})).await.code(),
                -32001,
                "{method} {name}"
            );
        }
    }
    assert_eq!(shop.agent.get(foreign).await.code(), -32001);
}

#[tokio::test]
async fn a_task_that_ended_takes_no_messages() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    shop.agent.cancel(&id(&task)).await.result();
    let late = shop
        .agent
        .send(with(words("more"), "taskId", task["id"].clone()))
        .await;
    assert_eq!(late.refusal(), (-32602, "task_ended"));
    let payment = shop.agent.payment(Product::Scan);
    assert_eq!(
        shop.agent
            .send(shop.agent.pays(&id(&task), &payment))
            .await
            .code(),
        -32602
    );
    assert_eq!((shop.facilitator.calls().verify, shop.questions()), (0, 0));
}

#[tokio::test]
async fn a_request_can_change_until_it_is_paid() {
    let shop = Shop::open();
    let task = shop.agent.send(words("hello")).await.result();
    let on = |message: Value| with(message, "taskId", task["id"].clone());
    let named = shop
        .agent
        .send(with(
            on(words("a scan, please")),
            "metadata",
            json!({"skillId": "scan"}),
        ))
        .await
        .result();
    assert_eq!(
        (state(&named), &named["metadata"]["skill"]),
        ("input-required", &json!("scan"))
    );
    // The skill that was named is remembered.
    let asked = shop
        .agent
        .send(on(asks(
            json!({"domain": "example.com", "keyword": "crm", "location": "Vienna, Austria"}),
        )))
        .await
        .result();
    assert_eq!(
        (payment_status(&asked), &asked["metadata"]["skill"]),
        ("payment-required", &json!("scan"))
    );
    let changed = shop
        .agent
        .send(on(asks(json!({"skill": "audit", "url": "https://example.com/"}))))
        .await
        .result();
    assert_eq!(
        told(&changed)["x402.payment.required"]["accepts"][0]["maxAmountRequired"],
        "20000"
    );
    // A faulty one changes nothing.
    assert_eq!(
        shop.agent.send(on(asks(json!({"skill": "scan"})))).await.code(),
        -32602
    );
    let still = shop.agent.get(&id(&task)).await.result();
    assert_eq!(still["metadata"]["skill"], "audit");
    // Words remind of what is due.
    let reminded = shop.agent.send(on(words("how much was it?"))).await.result();
    assert_eq!(payment_status(&reminded), "payment-required");
}

#[tokio::test]
async fn declining_cancels_and_costs_nothing() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    let declines = with(
        with(words("no"), "taskId", task["id"].clone()),
        "metadata",
        json!({"x402.payment.status": "payment-rejected"}),
    );
    let declined = shop.agent.send(declines.clone()).await.result();
    assert_eq!(
        (state(&declined), payment_status(&declined)),
        ("canceled", "payment-rejected")
    );
    let nothing = with(
        words("no"),
        "metadata",
        json!({"x402.payment.status": "payment-rejected"}),
    );
    assert_eq!(shop.agent.send(nothing).await.code(), -32602);
}

#[tokio::test]
async fn the_messages_of_a_task_are_limited() {
    let shop = Shop::open();
    let task = shop.agent.send(words("0")).await.result();
    for turn in 1..64 {
        let next = with(words(&turn.to_string()), "taskId", task["id"].clone());
        shop.agent.send(next).await.result();
    }
    let one_more = with(words("64"), "taskId", task["id"].clone());
    assert_eq!(shop.agent.send(one_more).await.code(), -32004);
    let kept = shop.agent.get(&id(&task)).await.result();
    assert_eq!(kept["history"].as_array().unwrap().len(), 64);
}

#[tokio::test]
async fn unpaid_tasks_of_a_caller_are_limited() {
    use ibid_service::TaskLimits;
    let limits = TaskLimits {
        per_caller: ibid_store::TaskQuota {
            tasks: 32,
            bytes: 1 << 20,
        },
        ..TaskLimits::default()
    };
    let shop = Shop::tuned(|setup| setup.tune(move |service| service.task_limits = limits));
    let paid = shop.agent.asked().await;
    let payment = shop.agent.payment(Product::Scan);
    shop.agent.pay(&paid, &payment).await;
    let mut ids = Vec::new();
    for _ in 0..100 {
        ids.push(id(&shop.agent.send(asks(small_scan())).await.result()));
    }
    let mut kept = 0;
    for task in &ids {
        kept += usize::from(shop.agent.get(task).await.get("result").is_some());
    }
    assert!((16..=34).contains(&kept), "{kept}");
    // The newest are there, and what was paid for.
    shop.agent.get(ids.last().unwrap()).await.result();
    shop.agent.get(&id(&paid)).await.result();
}
