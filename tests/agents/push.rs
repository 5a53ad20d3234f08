//! Push notifications: a receiver on loopback gets each change of a task, with the secrets of its client.

use crate::client::{Agent, Outcome, asks, id, small_scan, words};
use crate::shop::{Shop, until};
use ibid_model::Product;
use ibid_service::{AllowList, Messenger, MessengerConfig, QueueSettings, WebhookSettings};
use ibid_store::{DeliveryRecord, DeliveryState};
use ibid_tests::receiver::{Message, Receiver};
use ibid_tests::{Method, Reply, Setup};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

const TOKEN: &str = "marker-of-the-token";
const CREDENTIALS: &str = "marker-of-the-credentials";

/// A shop that may send to a receiver, with short waits.
pub(crate) fn shop(receiver: &Receiver) -> Shop {
    sending(&receiver.host, |settings| settings)
}

fn sending(host: &str, tune: impl Fn(WebhookSettings) -> WebhookSettings) -> Shop {
    let settings = tune(settings(host));
    Shop::tuned(move |setup| setup.tune(move |service| service.webhooks = Some(settings.clone())))
}

fn settings(host: &str) -> WebhookSettings {
    let messenger = Messenger::new(MessengerConfig {
        allow_list: AllowList::of_operator(host).unwrap(),
        timeout: Duration::from_secs(20),
        ..MessengerConfig::default()
    });
    WebhookSettings {
        waits: vec![Duration::from_millis(1); 2],
        period: Duration::from_millis(20),
        ..WebhookSettings::new(messenger.unwrap())
    }
}

/// An answer of 0.3 or 1.0.
async fn call(agent: &Agent, version: &str, method: &str, params: Value) -> Value {
    let request = agent.request(method, &params).header("A2A-Version", version);
    Reply::of(request).await.json()
}

/// An answer of 1.0 over HTTP.
async fn http(agent: &Agent, method: Method, path: &str, body: Option<&Value>) -> Reply {
    let request = agent
        .buyer
        .bare(method, &format!("/api/a2a/v1{path}"))
        .header("A2A-Version", "1.0");
    Reply::of(match body {
        Some(body) => request.json(body),
        None => request,
    })
    .await
}

/// The next notifications, one for each state, in the order of the states.
async fn states(receiver: &mut Receiver, wanted: &[&str]) -> Vec<(Message, Value)> {
    let mut told = Vec::new();
    for _ in wanted {
        let message = receiver.next().await;
        let body = message.json();
        let task = body.get("task").unwrap_or(&body).clone();
        told.push((message, task));
    }
    // Messages may come in another order than the changes.
    told.sort_by_key(|(_, task)| {
        wanted
            .iter()
            .position(|state| *state == task["status"]["state"])
            .unwrap_or_else(|| panic!("{task:#}"))
    });
    let found: Vec<_> = told
        .iter()
        .map(|(_, task)| task["status"]["state"].as_str().unwrap())
        .collect();
    assert_eq!(found, wanted);
    told
}

#[tokio::test]
async fn each_change_of_a_task_is_told_with_the_secrets_of_its_client() {
    let mut receiver = Receiver::spawn();
    let shop = shop(&receiver);
    // Only a host that has answered once gets a message again.
    tasks(&shop, &receiver.url("/first"), 1).await;
    assert_eq!(receiver.next().await.path, "/first");
    receiver.answer(500);
    let config = json!({"id": "mine", "url": receiver.url("/old"), "token": TOKEN,
        "authentication": {"schemes": ["Bearer"], "credentials": CREDENTIALS}});
    let params = json!({"message": asks(small_scan()), "configuration": {"pushNotificationConfig": config}});
    let asked = shop.agent.call("message/send", params).await.result();
    let (refused, again) = (receiver.next().await, receiver.next().await);
    assert_eq!(refused.body, again.body);
    assert_eq!(again.json()["status"]["state"], "input-required");
    // A client of 1.0 wants to be told as well.
    let task = id(&asked);
    let config = json!({"taskId": task, "url": receiver.url("/new"), "token": TOKEN});
    let set = call(&shop.agent, "1.0", "CreateTaskPushNotificationConfig", config).await;
    assert_eq!(
        set["result"],
        json!({"taskId": task, "id": task, "url": receiver.url("/new")})
    );
    let done = shop.agent.pay(&asked, &shop.agent.payment(Product::Scan)).await;
    assert_eq!(done["status"]["state"], "completed");
    let told = states(
        &mut receiver,
        &[
            "working",
            "TASK_STATE_WORKING",
            "completed",
            "TASK_STATE_COMPLETED",
        ],
    )
    .await;
    for (message, told) in &told {
        let new = message.path == "/new";
        assert_eq!(told["id"], task.as_str());
        assert_eq!((told.get("history"), told.get("kind").is_none()), (None, new));
        assert_eq!(message.header("x-a2a-notification-token"), TOKEN);
        let (media, authorization) = match new {
            true => ("application/a2a+json", String::new()),
            false => ("application/json", format!("Bearer {CREDENTIALS}")),
        };
        assert_eq!(
            (message.header("content-type"), message.header("authorization")),
            (media, authorization.as_str())
        );
    }
    // A notification has the summary. The result is read.
    let artifact = told[2].1["artifacts"][0]["parts"].as_array().unwrap();
    assert_eq!((artifact.len(), &artifact[0]["kind"]), (1, &json!("text")));
    // The secrets are sealed.
    let owner = format!("task {task}");
    let kept = shop.server.store.webhooks(&owner).unwrap();
    assert_eq!(kept.len(), 2);
    for webhook in kept {
        let secret = shop
            .server
            .store
            .webhook_secret(&owner, webhook.id)
            .unwrap()
            .unwrap();
        let text = String::from_utf8_lossy(secret.reveal()).into_owned();
        assert!(!text.is_empty() && !text.contains("marker"), "{text}");
    }
}

#[tokio::test]
async fn configurations_are_set_shown_listed_and_deleted_in_every_form() {
    let receiver = Receiver::spawn();
    let shop = shop(&receiver);
    let agent = &shop.agent;
    let task = id(&agent.send(words("hello")).await.result());
    let url = receiver.url("/");
    let old = |method: &'static str, params: Value| {
        let method = format!("tasks/pushNotificationConfig/{method}");
        async move { call(agent, "0.3", &method, params).await }
    };
    let config = json!({"taskId": task, "pushNotificationConfig": {"url": url, "token": TOKEN}});
    let shown = json!({"taskId": task, "pushNotificationConfig": {"id": task, "url": url}});
    assert_eq!(old("set", config.clone()).await["result"], shown);
    assert_eq!(old("get", json!({"id": task})).await["result"], shown);
    // Without an id of its own the same configuration is replaced.
    assert_eq!(old("set", config).await["result"], shown);
    let path = format!("/tasks/{task}/pushNotificationConfigs");
    let second = json!({"taskId": task, "id": "second", "url": url});
    let body = json!({"id": "second", "url": url, "task_id": "another"});
    let added = http(agent, Method::POST, &path, Some(&body)).await;
    assert_eq!((added.status.as_u16(), added.json()), (200, second.clone()));
    assert_eq!(
        old("list", json!({"id": task})).await["result"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let listed = http(agent, Method::GET, &path, None).await.json();
    assert_eq!(listed["configs"][1], second);
    let one = format!("{path}/second");
    assert_eq!(http(agent, Method::GET, &one, None).await.json(), second);
    let named = json!({"task_id": task, "id": "second"});
    let got = call(agent, "1.0", "GetTaskPushNotificationConfig", named.clone()).await;
    assert_eq!(got["result"], second);
    // What was deleted before is deleted.
    for _ in 0..2 {
        let deleted = http(agent, Method::DELETE, &one, None).await;
        assert_eq!((deleted.status.as_u16(), deleted.json()), (200, json!({})));
    }
    let gone = call(agent, "1.0", "GetTaskPushNotificationConfig", named).await;
    assert_eq!(gone["error"]["code"], -32001, "{gone}");
    let deleted = old("delete", json!({"id": task, "pushNotificationConfigId": task})).await;
    assert!(
        deleted["result"].is_null() && deleted.get("error").is_none(),
        "{deleted}"
    );
    let listed = call(
        agent,
        "1.0",
        "ListTaskPushNotificationConfigs",
        json!({"taskId": task}),
    )
    .await;
    assert_eq!(listed["result"], json!({"configs": [], "nextPageToken": ""}));
    // A task has ten at most.
    for number in 0..11 {
        let config =
            json!({"taskId": task, "pushNotificationConfig": {"id": number.to_string(), "url": url}});
        let set = old("set", config).await;
        assert_eq!(set.get("error").is_some(), number == 10, "{set}");
        if number == 10 {
            assert_eq!(set["error"]["code"], -32602);
        }
    }
}

#[tokio::test]
async fn addresses_are_judged_and_unknown_tasks_are_not_found() {
    let receiver = Receiver::spawn();
    let shop = shop(&receiver);
    let task = id(&shop.agent.send(words("hello")).await.result());
    for url in [
        "http://example.com/",
        "https://127.0.0.1/",
        "https://169.254.169.254/latest",
        "not an address",
    ] {
        let config = json!({"taskId": task, "url": url});
        let refused = call(&shop.agent, "1.0", "CreateTaskPushNotificationConfig", config).await;
        let violation = &refused["error"]["data"][1]["fieldViolations"][0];
        assert_eq!(
            (&refused["error"]["code"], &violation["field"]),
            (&json!(-32602), &json!("url")),
            "{refused}"
        );
    }
    let unknown = "00000000-0000-4000-8000-000000000000";
    for method in ["CreateTask", "GetTask", "DeleteTask"] {
        let params = json!({"taskId": unknown, "id": "x", "url": receiver.url("/")});
        let method = format!("{method}PushNotificationConfig");
        let refused = call(&shop.agent, "1.0", &method, params).await;
        assert_eq!(refused["error"]["code"], -32001, "{method}: {refused}");
    }
    let mut late = words("hello");
    late["taskId"] = json!(unknown);
    let params =
        json!({"message": late, "configuration": {"pushNotificationConfig": {"url": receiver.url("/")}}});
    assert_eq!(shop.agent.call("message/send", params).await.code(), -32001);
}

#[tokio::test]
async fn secrets_are_refused_without_a_key_that_seals_them() {
    let mut receiver = Receiver::spawn();
    let host = receiver.host.clone();
    let bare = move |setup: Setup| {
        setup.tune(move |service| {
            service.webhooks = Some(settings(&host));
            service.queue = QueueSettings::default();
        })
    };
    let shop = Shop::tuned(bare);
    let send = |config: Value| {
        let configuration = json!({"pushNotificationConfig": config});
        let params = json!({"message": words("hello"), "configuration": configuration});
        let agent = shop.agent.clone();
        async move { agent.call("message/send", params).await }
    };
    let refused = send(json!({"url": receiver.url("/"), "token": TOKEN})).await;
    assert_eq!(refused.code(), -32004);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("RUN_KEY_FILE"), "{message}");
    let task = send(json!({"url": receiver.url("/")})).await.result();
    assert_eq!(receiver.next().await.json()["id"], task["id"]);
}

/// Opens so many free tasks that tell an address, and returns their ids.
async fn tasks(shop: &Shop, url: &str, count: usize) -> Vec<String> {
    let mut opened = Vec::new();
    for _ in 0..count {
        let configuration = json!({"pushNotificationConfig": {"url": url}});
        let params = json!({"message": words("hello"), "configuration": configuration});
        opened.push(id(&shop.agent.call("message/send", params).await.result()));
    }
    opened
}

/// The deliveries of tasks, once all of them are as wanted.
async fn deliveries(
    shop: &Shop,
    tasks: &[String],
    wanted: impl Fn(&[DeliveryRecord]) -> bool,
) -> Vec<DeliveryRecord> {
    let store = &shop.server.store;
    until(async || {
        let mut found = Vec::new();
        for task in tasks {
            for webhook in store.webhooks(&format!("task {task}")).unwrap() {
                found.extend(store.deliveries(webhook.id, None, 9).unwrap());
            }
        }
        (found.len() == tasks.len() && wanted(&found)).then_some(found)
    })
    .await
}

fn have_failed(deliveries: &[DeliveryRecord]) -> bool {
    deliveries
        .iter()
        .all(|delivery| delivery.state == DeliveryState::Failed && delivery.attempts == 1)
}

/// The most messages in this time to a host that takes none: one, and another every ten seconds.
fn most_untaken(since: Instant) -> usize {
    1 + usize::try_from(since.elapsed().as_secs() / 10).unwrap()
}

#[tokio::test]
async fn a_host_that_refuses_gets_one_message_for_many_tasks() {
    let (mut receiver, start) = (Receiver::spawn(), Instant::now());
    let shop = shop(&receiver);
    for _ in 0..100 {
        receiver.answer(503);
    }
    let tasks = tasks(&shop, &receiver.url("/"), 20).await;
    deliveries(&shop, &tasks, have_failed).await;
    let sent = std::iter::from_fn(|| receiver.waiting()).count();
    assert!((1..=most_untaken(start)).contains(&sent), "{sent}");
}

#[tokio::test]
async fn a_host_that_never_answers_gets_one_message_for_many_tasks() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let start = Instant::now();
    let shop = sending(&host, |settings| {
        let messenger = Messenger::new(MessengerConfig {
            allow_list: AllowList::of_operator(&host).unwrap(),
            timeout: Duration::from_secs(1),
            ..MessengerConfig::default()
        });
        WebhookSettings {
            messenger: messenger.unwrap(),
            ..settings
        }
    });
    let tasks = tasks(&shop, &format!("http://{host}/"), 20).await;
    let mut held: Vec<TcpStream> = Vec::new();
    let listen = async {
        loop {
            held.push(listener.accept().await.unwrap().0);
        }
    };
    tokio::select! {
        () = listen => unreachable!("it listens for ever"),
        _ = deliveries(&shop, &tasks, have_failed) => {}
    }
    assert!((1..=most_untaken(start)).contains(&held.len()), "{}", held.len());
}

#[tokio::test]
async fn a_host_that_answers_gets_sixty_messages_a_minute() {
    let (mut receiver, start) = (Receiver::spawn(), Instant::now());
    let shop = shop(&receiver);
    let tasks = tasks(&shop, &receiver.url("/"), 70).await;
    let delivered = |found: &[DeliveryRecord]| {
        let taken = found.iter().filter(|one| one.state == DeliveryState::Delivered);
        taken.count()
    };
    let found = deliveries(&shop, &tasks, |found| {
        let now = jiff::Timestamp::now().as_millisecond();
        let settled = |one: &DeliveryRecord| match one.state {
            DeliveryState::Delivered => true,
            DeliveryState::Waiting => one.attempts == 0 && one.next_attempt > Some(now),
            DeliveryState::Failed => panic!("{one:?}"),
        };
        delivered(found) >= 60 && found.iter().all(settled)
    })
    .await;
    let minutes = 1 + usize::try_from(start.elapsed().as_secs() / 60).unwrap();
    let sent = std::iter::from_fn(|| receiver.waiting()).count();
    assert_eq!(sent, delivered(&found));
    assert!(sent <= 60 * minutes, "{sent}");
}

#[tokio::test]
async fn a_caller_names_ten_hosts_an_hour() {
    let receiver = Receiver::spawn();
    let shop = shop(&receiver);
    let task = id(&shop.agent.send(words("hello")).await.result());
    let name = |number: usize| {
        let url = format!("https://agent-{number}.example.com/");
        let params = json!({"taskId": task, "id": "one", "url": url});
        let agent = shop.agent.clone();
        async move { call(&agent, "1.0", "CreateTaskPushNotificationConfig", params).await }
    };
    for number in 0..10 {
        assert!(name(number).await.get("error").is_none(), "{number}");
    }
    let refused = name(10).await;
    let violation = &refused["error"]["data"][1]["fieldViolations"][0];
    assert_eq!(
        (&refused["error"]["code"], &violation["field"]),
        (&json!(-32602), &json!("url")),
        "{refused}"
    );
    assert!(name(3).await.get("error").is_none());
}
