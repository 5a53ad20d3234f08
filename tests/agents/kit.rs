//! The checks of the public conformance kit of 0.2, in its order (section 7 of the protocol).

use crate::client::{Outcome, asks, id, message, small_scan, state, with, words};
use crate::shop::Shop;
use serde_json::json;

#[tokio::test]
async fn words_open_a_task_that_takes_follow_ups_and_can_be_canceled() {
    let shop = Shop::open();
    let task = shop.agent.send(words("Hello from TCK!")).await.result();
    assert_eq!(
        (task["kind"].as_str(), state(&task)),
        (Some("task"), "input-required")
    );
    // It names the skills and their fields.
    let parts = task["status"]["message"]["parts"].to_string();
    for word in [
        "scan",
        "radius",
        "audit",
        "full",
        "my-receipts",
        "domain",
        "keyword",
        "location",
        "url or html",
    ] {
        assert!(parts.contains(word), "{word}: {parts}");
    }
    for text in ["one", "two", "three"] {
        let next = shop
            .agent
            .send(with(words(text), "taskId", task["id"].clone()))
            .await
            .result();
        assert_eq!((&next["id"], state(&next)), (&task["id"], "input-required"));
    }
    let canceled = shop.agent.cancel(&id(&task)).await.result();
    assert_eq!(state(&canceled), "canceled");
    assert_eq!(shop.agent.cancel(&id(&task)).await.code(), -32002);
    assert_eq!(state(&shop.agent.get(&id(&task)).await.result()), "canceled");
}

#[tokio::test]
async fn the_history_is_shown_as_long_as_asked_for() {
    let shop = Shop::open();
    let task = shop.agent.send(words("one")).await.result();
    shop.agent
        .send(with(words("two"), "taskId", task["id"].clone()))
        .await
        .result();
    let get = async |length: serde_json::Value| {
        let answer = shop
            .agent
            .call("tasks/get", json!({"id": task["id"], "historyLength": length}))
            .await;
        let history = answer["result"]["history"].as_array().cloned();
        history.map(|history| {
            history
                .iter()
                .map(|message| message["role"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        })
    };
    let all = ["user", "agent", "user"].map(str::to_owned).to_vec();
    assert_eq!(get(json!(null)).await, Some(all.clone()));
    assert_eq!(get(json!(1)).await, Some(all[2..].to_vec()));
    assert_eq!(get(json!(2)).await, Some(all[1..].to_vec()));
    assert_eq!(get(json!(2_147_483_647_u32)).await, Some(all));
    assert_eq!(get(json!(0)).await, None);
    let negative = shop
        .agent
        .call("tasks/get", json!({"id": task["id"], "historyLength": -1}))
        .await;
    assert_eq!(negative.code(), -32602);
    // It holds for sending, too.
    let params = json!({"message": with(words("three"), "taskId", task["id"].clone()), "configuration": {"historyLength": 1}});
    let sent = shop.agent.call("message/send", params).await.result();
    assert_eq!(sent["history"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn long_texts_are_answered_and_not_stored() {
    let shop = Shop::open();
    let task = shop.agent.send(words(&"x".repeat(1 << 20))).await.result();
    let text = task["history"][0]["parts"][0]["text"].as_str().unwrap();
    assert!((2_000..3_000).contains(&text.len()), "{}", text.len());
    // The page of an audit may be as long.
    let html = format!("<title>t</title><p>{}", "word ".repeat(300_000));
    let task = shop
        .agent
        .send(asks(json!({"skill": "audit", "html": html})))
        .await
        .result();
    assert_eq!(state(&task), "input-required");
}

#[tokio::test]
async fn one_message_id_may_be_sent_often() {
    let shop = Shop::open();
    let hello = words("hello");
    let mut ids = std::collections::HashSet::new();
    for _ in 0..10 {
        ids.insert(id(&shop.agent.send(hello.clone()).await.result()));
    }
    let sends = (0..5).map(|_| shop.agent.send(hello.clone()));
    for answer in futures_util::future::join_all(sends).await {
        ids.insert(id(&answer.result()));
    }
    // A name that others can guess never leads to their task.
    assert_eq!(ids.len(), 15);
    // Within a task, the very same message counts once.
    let task = shop.agent.send(words("start")).await.result();
    let follow_up = with(words("again"), "taskId", task["id"].clone());
    for _ in 0..3 {
        shop.agent.send(follow_up.clone()).await.result();
    }
    assert_eq!(
        shop.agent.get(&id(&task)).await["result"]["history"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[tokio::test]
async fn a_request_may_be_a_text_and_its_skill_a_guess() {
    let shop = Shop::open();
    let skill = async |message| shop.agent.send(message).await.result()["metadata"]["skill"].clone();
    let text = |text: &str| message(json!({"kind": "text", "text": text}));
    assert_eq!(skill(text(&small_scan().to_string())).await, "scan");
    assert_eq!(
        skill(text("```json\n{\"url\": \"https://example.com/\"}\n```")).await,
        "audit"
    );
    assert_eq!(
        skill(asks(json!({"domain": "example.com", "keyword": "crm"}))).await,
        "scan"
    );
    let place =
        json!({"domain": "example.com", "keyword": "crm", "location": "Vienna, Austria", "rings": [1]});
    assert_eq!(skill(asks(place)).await, "radius");
    assert_eq!(skill(asks(json!({"html": "<p>x"}))).await, "audit");
    let named = with(
        asks(json!({"domain": "example.com", "keyword": "crm", "location": "Vienna, Austria"})),
        "metadata",
        json!({"skillId": "full"}),
    );
    assert_eq!(skill(named).await, "full");
}
