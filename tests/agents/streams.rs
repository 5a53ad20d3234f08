//! Streams (section 2.7 of the protocol). Their framing is checked wherever they are read: see [`crate::client::Events`].

use crate::client::{Outcome, asks, id, kinds, small_scan, state, with, words};
use crate::shop::{Shop, until};
use ibid_model::Product;
use serde_json::json;

#[tokio::test]
async fn a_stream_ends_where_the_task_rests() {
    let shop = Shop::open();
    let words = shop
        .agent
        .stream("message/stream", json!({"message": words("hello")}))
        .await;
    assert_eq!(
        kinds(&words),
        ["task input-required", "status-update input-required final"]
    );
    let asked = shop
        .agent
        .stream("message/stream", json!({"message": asks(small_scan())}))
        .await;
    assert_eq!(
        kinds(&asked),
        ["task input-required", "status-update input-required final"]
    );
    assert!(
        asked
            .iter()
            .all(|event| event["id"] == 1 && event["jsonrpc"] == "2.0")
    );
    let task = asked[0]["result"]["id"].clone();
    let again = shop.agent.stream("tasks/resubscribe", json!({"id": task})).await;
    assert_eq!(
        kinds(&again),
        ["task input-required", "status-update input-required final"]
    );
}

#[tokio::test]
async fn a_stream_follows_paid_work_to_its_end() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    shop.models.shut();
    let pays = shop.agent.pays(&id(&task), &shop.agent.payment(Product::Scan));
    let mut events = shop
        .agent
        .open_stream("message/stream", json!({"message": pays}))
        .await;
    let first = events.next().await.unwrap();
    assert_eq!(kinds(std::slice::from_ref(&first)), ["task working"]);
    assert_eq!(
        first["result"]["status"]["message"]["metadata"]["x402.payment.status"],
        "payment-verified"
    );
    shop.settle.shut();
    shop.models.open();
    let progress = events.next().await.unwrap();
    assert_eq!(kinds(std::slice::from_ref(&progress)), ["status-update working"]);
    let told = &progress["result"]["metadata"]["progress"];
    assert_eq!((&told["done"], &told["total"]), (&json!(1), &json!(1)));
    // No verdict leaves unpaid.
    assert!(!progress.to_string().contains("cited"));
    shop.settle.arrived(1).await;
    assert!(
        shop.agent
            .get(&id(&task))
            .await
            .result()
            .get("artifacts")
            .is_none()
    );
    shop.settle.open();
    let artifact = events.next().await.unwrap();
    let last = events.next().await.unwrap();
    // What the last event says is stored before it is sent.
    let stored = shop.agent.get(&id(&task)).await.result();
    assert_eq!(
        kinds(&[artifact.clone(), last.clone()]),
        ["artifact-update", "status-update completed final"]
    );
    assert_eq!(
        (&stored["status"], &stored["artifacts"][0]),
        (&last["result"]["status"], &artifact["result"]["artifact"])
    );
    assert_eq!(
        (&artifact["result"]["append"], &artifact["result"]["lastChunk"]),
        (&json!(false), &json!(true))
    );
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn many_may_watch_and_come_back() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    shop.models.shut();
    shop.agent.start(&task, &shop.agent.payment(Product::Scan)).await;
    shop.models.arrived(1).await;
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut stream = shop.agent.watch(&task).await;
        assert_eq!(kinds(&[stream.next().await.unwrap()]), ["task working"]);
        streams.push(stream);
    }
    drop(streams.pop());
    shop.models.open();
    for stream in streams {
        let kinds = kinds(&stream.rest().await);
        assert_eq!(
            kinds[kinds.len() - 2..],
            ["artifact-update", "status-update completed final"]
        );
    }
    let late = shop.agent.watch(&task).await.rest().await;
    assert_eq!(kinds(&late), ["task completed", "status-update completed final"]);
}

#[tokio::test]
async fn a_hang_up_does_not_stop_paid_work() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    // During the verification, and during the work.
    shop.verify.shut();
    shop.models.shut();
    let pays = shop.agent.pays(&id(&task), &shop.agent.payment(Product::Scan));
    let request = shop
        .agent
        .request("message/send", &json!({"message": pays}))
        .send();
    let request = tokio::runtime::Handle::current().spawn(request);
    shop.verify.arrived(1).await;
    request.abort();
    shop.verify.open();
    shop.models.arrived(1).await;
    let mut stream = shop.agent.watch(&task).await;
    stream.next().await.unwrap();
    drop(stream);
    shop.models.open();
    let done = until(async || {
        let task = shop.agent.get(&id(&task)).await.result();
        (state(&task) == "completed").then_some(task)
    })
    .await;
    assert_eq!(
        (done["artifacts"].as_array().unwrap().len(), shop.transfers()),
        (1, 1)
    );
}

#[tokio::test]
async fn canceling_ends_an_open_stream_and_frees_the_payment() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    let payment = shop.agent.payment(Product::Scan);
    shop.verify.shut();
    let pays = json!({"message": shop.agent.pays(&id(&task), &payment)});
    let events = shop.agent.open_stream("message/stream", pays).await;
    shop.verify.arrived(1).await;
    assert_eq!(state(&shop.agent.cancel(&id(&task)).await.result()), "canceled");
    shop.verify.open();
    assert_eq!(
        kinds(&events.rest().await),
        ["task canceled", "status-update canceled final"]
    );
    assert_eq!((shop.questions(), shop.transfers()), (0, 0));
    // The payment was not used.
    let other = shop.agent.pay_directly(small_scan(), &payment).await;
    assert_eq!((state(&other), shop.transfers()), ("completed", 1));
}

#[tokio::test]
async fn paid_work_is_not_canceled() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    shop.models.shut();
    let working = shop.agent.start(&task, &shop.agent.payment(Product::Scan)).await;
    assert_eq!(state(&working), "working");
    shop.models.arrived(1).await;
    assert_eq!(shop.agent.cancel(&id(&task)).await.code(), -32002);
    assert_eq!(
        shop.agent
            .send(with(words("hurry"), "taskId", task["id"].clone()))
            .await
            .code(),
        -32004
    );
    shop.models.open();
    let events = shop.agent.watch(&task).await.rest().await;
    assert!(kinds(&events).last().unwrap().ends_with("completed final"));
    assert_eq!(shop.agent.cancel(&id(&task)).await.code(), -32002);
}

#[tokio::test]
async fn errors_come_as_documents_before_a_stream_and_as_events_in_it() {
    let shop = Shop::open();
    for params in [json!({"message": {"parts": []}}), json!([]), json!({})] {
        assert_eq!(shop.agent.call("message/stream", params).await.code(), -32602);
    }
    assert_eq!(
        shop.agent.call("tasks/resubscribe", json!({})).await.code(),
        -32602
    );
    for name in ["3f1c7a52-9d70-4c3e-8a44-0f6c1d2b9e11", "nonsense"] {
        let events = shop.agent.stream("tasks/resubscribe", json!({"id": name})).await;
        assert_eq!((events.len(), events[0].code()), (1, -32001));
        let events = shop
            .agent
            .stream(
                "message/stream",
                json!({"message": with(words("x"), "taskId", name)}),
            )
            .await;
        assert_eq!((events.len(), events[0].code()), (1, -32001));
    }
    let faulty = shop
        .agent
        .stream(
            "message/stream",
            json!({"message": asks(json!({"skill": "scan"}))}),
        )
        .await;
    assert_eq!((faulty.len(), faulty[0].code()), (1, -32602));
}

#[tokio::test]
async fn open_streams_of_a_caller_are_limited() {
    use ibid_service::TaskLimits;
    let limits = TaskLimits {
        calls_per_caller: 3,
        ..TaskLimits::default()
    };
    let shop = Shop::tuned(|setup| setup.tune(move |service| service.task_limits = limits));
    let task = shop.agent.asked().await;
    shop.models.shut();
    shop.agent.start(&task, &shop.agent.payment(Product::Scan)).await;
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut stream = shop.agent.watch(&task).await;
        stream.next().await.unwrap();
        streams.push(stream);
    }
    let refused = shop.agent.watch(&task).await.rest().await;
    assert_eq!((refused.len(), refused[0].code()), (1, -32051));
    // Reading is not watching.
    assert_eq!(state(&shop.agent.get(&id(&task)).await.result()), "working");
    shop.models.open();
    for stream in streams {
        stream.rest().await;
    }
    let events = shop.agent.watch(&task).await.rest().await;
    assert!(kinds(&events).last().unwrap().ends_with("completed final"));
}
