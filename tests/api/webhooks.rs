//! Webhooks: subscriptions, signed messages to a receiver on loopback, retries, rotation, refusals, redelivery.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use ibid_model::{ScanId, WebhookEvent, WebhookId};
use ibid_service::{AllowList, EventMessage, Messenger, MessengerConfig, ServiceKey, WebhookSettings};
use ibid_store::{NewWebhook, Store, WebhookKind, WebhookSecret};
use ibid_tests::receiver::{Message, Receiver};
use ibid_tests::{API_KEY, ApiClient, Database, Reply, Setup, TestServer, logs};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

/// A server that may send to the receivers, with short waits.
pub(crate) fn setup(receivers: &[&Receiver], disable_after: Duration) -> Setup {
    let hosts: Vec<_> = receivers.iter().map(|receiver| receiver.host.as_str()).collect();
    let config = MessengerConfig {
        allow_list: AllowList::of_operator(&hosts.join(",")).unwrap(),
        timeout: Duration::from_secs(20),
        ..MessengerConfig::default()
    };
    let messenger = Messenger::new(config).unwrap();
    Setup::default().tune(move |service| {
        service.webhooks = Some(WebhookSettings {
            waits: vec![Duration::from_millis(1); 2],
            disable_after,
            period: Duration::from_millis(20),
            ..WebhookSettings::new(messenger)
        })
    })
}

const DAYS: Duration = Duration::from_secs(86_400 * 5);

async fn call(client: &ApiClient, method: Method, path: &str, body: Option<&Value>) -> Reply {
    let request = client.bare(method, path).bearer_auth(API_KEY);
    Reply::of(match body {
        Some(body) => request.json(body),
        None => request,
    })
    .await
}

async fn add(client: &ApiClient, body: &Value) -> Reply {
    call(client, Method::POST, "/api/v2/webhooks", Some(body)).await
}

/// Makes a webhook and returns its path and its secret.
async fn subscribe(client: &ApiClient, url: &str, events: &[&str]) -> (String, String) {
    let made = add(client, &json!({"url": url, "events": events, "name": "shop"})).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let secret = made.json()["secret"].as_str().unwrap().to_owned();
    (made.header("location").to_owned(), secret)
}

/// Queues an event as the end of a run does.
fn tell(server: &TestServer, event: WebhookEvent, subject: &str) {
    let at = jiff::Timestamp::now();
    let message = EventMessage::new(event, subject, at, &json!({"scanId": subject}));
    server
        .store
        .put_deliveries(&[message.to("api", None)], at.as_millisecond())
        .unwrap();
}

/// The signatures of a message that a secret made.
pub(crate) fn signed_by(message: &Message, secret: &str) -> bool {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    for part in [
        message.header("webhook-id"),
        ".",
        message.header("webhook-timestamp"),
        ".",
    ] {
        mac.update(part.as_bytes());
    }
    mac.update(&message.body);
    let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    message
        .header("webhook-signature")
        .split(' ')
        .any(|signature| signature == expected)
}

/// Reads a path until its answer is as wanted.
async fn until(client: &ApiClient, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let found = call(client, Method::GET, path, None).await.json();
        if wanted(&found) {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{found}");
    }
}

#[tokio::test]
async fn an_event_arrives_signed_and_is_sent_again_under_its_id_until_it_is_taken() {
    let mut receiver = Receiver::spawn();
    let server = setup(&[&receiver], DAYS).spawn();
    let client = ApiClient::of(&server);
    let (path, secret) = subscribe(&client, &receiver.url("/hook"), &["run.completed"]).await;
    receiver.answer(500);
    let run = ScanId::random().to_string();
    tell(&server, WebhookEvent::RunFailed, &run);
    tell(&server, WebhookEvent::RunCompleted, &run);
    tell(&server, WebhookEvent::RunCompleted, &run);
    let (first, second) = (receiver.next().await, receiver.next().await);
    for message in [&first, &second] {
        assert!(signed_by(message, &secret), "{message:?}");
        assert_eq!(message.path, "/hook");
        assert_eq!(message.header("content-type"), "application/json");
        let age =
            jiff::Timestamp::now().as_second() - message.header("webhook-timestamp").parse::<i64>().unwrap();
        assert!((0..60).contains(&age));
    }
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
    assert_eq!(first.body, second.body);
    assert_eq!(first.json()["type"], "run.completed");
    assert_eq!(first.json()["data"]["scanId"], run);
    let list = until(&client, &format!("{path}/deliveries"), |page| {
        page["deliveries"][0]["status"] == "delivered"
    })
    .await;
    let deliveries = list["deliveries"].as_array().unwrap();
    assert_eq!((deliveries.len(), &list["nextCursor"]), (1, &Value::Null));
    assert_eq!(deliveries[0]["deliveryId"], first.header("webhook-id"));
    let one = format!("{path}/deliveries/{}", first.header("webhook-id"));
    let one = call(&client, Method::GET, &one, None).await.json();
    let log: Vec<_> = one["log"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attempt| (attempt["status"].clone(), attempt["error"].clone()))
        .collect();
    assert_eq!(log, [(json!(500), json!("status")), (json!(204), Value::Null)]);
    assert_eq!(one["message"], first.json());
    // The event came once, and the webhook does not fail any more.
    let webhook = call(&client, Method::GET, &path, None).await.json();
    assert_eq!(
        (&webhook["status"], &webhook["failingSince"]),
        (&json!("enabled"), &Value::Null)
    );
    assert!(receiver.waiting().is_none());
}

#[tokio::test]
async fn a_rotated_secret_signs_beside_the_new_one() {
    let mut receiver = Receiver::spawn();
    let server = setup(&[&receiver], DAYS).spawn();
    let client = ApiClient::of(&server);
    let (path, before) = subscribe(&client, &receiver.url("/"), &[]).await;
    let rotated = call(&client, Method::POST, &format!("{path}/rotate"), None)
        .await
        .json();
    let after = rotated["secret"].as_str().unwrap().to_owned();
    assert_ne!(before, after);
    assert!(rotated["previousSecretUntil"].is_string());
    let test = call(&client, Method::POST, &format!("{path}/test"), None).await;
    assert_eq!(test.status, 202, "{}", test.text);
    let message = receiver.next().await;
    assert_eq!(message.json()["type"], "webhook.test");
    assert_eq!(message.header("webhook-id"), test.json()["deliveryId"]);
    assert_eq!(message.header("webhook-signature").split(' ').count(), 2);
    assert!(signed_by(&message, &before) && signed_by(&message, &after));
}

#[tokio::test]
async fn a_failing_webhook_is_disabled_with_a_notice_and_can_be_switched_on() {
    let (mut receiver, mut other) = (Receiver::spawn(), Receiver::spawn());
    let server = setup(&[&receiver, &other], Duration::ZERO).spawn();
    let client = ApiClient::of(&server);
    let (path, _) = subscribe(&client, &receiver.url("/"), &["run.failed"]).await;
    subscribe(&client, &other.url("/"), &["webhook.disabled"]).await;
    receiver.answer(500);
    tell(&server, WebhookEvent::RunFailed, "one");
    let message = receiver.next().await;
    let notice = other.next().await.json();
    assert_eq!(
        (&notice["type"], &notice["data"]["reason"]),
        (&json!("webhook.disabled"), &json!("failing"))
    );
    assert!(path.ends_with(notice["data"]["webhookId"].as_str().unwrap()));
    let webhook = call(&client, Method::GET, &path, None).await.json();
    assert_eq!(
        (&webhook["status"], &webhook["disabledFor"]),
        (&json!("disabled"), &json!("failing"))
    );
    let redeliver = format!("{path}/deliveries/{}/redeliver", message.header("webhook-id"));
    for path in [&redeliver, &format!("{path}/test")] {
        let refused = call(&client, Method::POST, path, None).await;
        assert_eq!(
            (refused.status.as_u16(), refused.code()),
            (409, "webhook_disabled".into())
        );
    }
    let on = json!({"enabled": true});
    let on = call(&client, Method::PATCH, &path, Some(&on)).await;
    assert_eq!(on.json()["status"], "enabled", "{}", on.text);
    let again = call(&client, Method::POST, &redeliver, None).await;
    assert_eq!(
        (again.status.as_u16(), &again.json()["status"]),
        (202, &json!("waiting"))
    );
    let repeated = receiver.next().await;
    assert_eq!(repeated.header("webhook-id"), message.header("webhook-id"));
    assert_eq!(repeated.body, message.body);
}

#[tokio::test]
async fn a_server_that_says_gone_gets_nothing_more_and_redirects_are_not_followed() {
    let (mut gone, mut moved, mut elsewhere) = (Receiver::spawn(), Receiver::spawn(), Receiver::spawn());
    let server = setup(&[&gone, &moved, &elsewhere], DAYS).spawn();
    let client = ApiClient::of(&server);
    let (path, _) = subscribe(&client, &gone.url("/"), &["run.failed"]).await;
    gone.answer(410);
    tell(&server, WebhookEvent::RunFailed, "one");
    gone.next().await;
    let webhook = until(&client, &path, |webhook| webhook["status"] == "disabled").await;
    assert_eq!(webhook["disabledFor"], "gone");
    let (path, _) = subscribe(&client, &moved.url("/"), &["alert.raised"]).await;
    for _ in 0..3 {
        moved.answer_with(307, "Location", &elsewhere.url("/"));
    }
    tell(&server, WebhookEvent::AlertRaised, "one");
    for _ in 0..3 {
        moved.next().await;
    }
    let page = until(&client, &format!("{path}/deliveries"), |page| {
        page["deliveries"][0]["status"] == "failed"
    })
    .await;
    let delivery = &page["deliveries"][0];
    assert_eq!(
        (
            &delivery["attempts"],
            &delivery["lastStatus"],
            &delivery["lastError"]
        ),
        (&json!(3), &json!(307), &json!("redirect"))
    );
    assert!(elsewhere.waiting().is_none() && gone.waiting().is_none());
}

#[tokio::test]
async fn a_server_that_asks_for_time_gets_it() {
    let mut receiver = Receiver::spawn();
    let server = setup(&[&receiver], DAYS).spawn();
    let client = ApiClient::of(&server);
    let (path, _) = subscribe(&client, &receiver.url("/"), &[]).await;
    receiver.answer_with(503, "Retry-After", "3600");
    let before = jiff::Timestamp::now();
    tell(&server, WebhookEvent::RunFailed, "one");
    receiver.next().await;
    let page = until(&client, &format!("{path}/deliveries"), |page| {
        page["deliveries"][0]["attempts"] == 1
    })
    .await;
    let next: jiff::Timestamp = page["deliveries"][0]["nextAttemptAt"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let wait = next.as_second() - before.as_second();
    assert!((3_600..3_700).contains(&wait), "{wait}");
}

#[tokio::test]
async fn private_and_plain_addresses_are_refused() {
    let receiver = Receiver::spawn();
    let server = setup(&[&receiver], DAYS).spawn();
    let client = ApiClient::of(&server);
    for url in [
        "https://127.0.0.1/hook",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://localhost/",
        "https://metadata.google.internal/",
        "https://user:word@example.com/",
        "https://example.com:22/",
        "http://example.com/hook",
        "ftp://example.com/",
        "hook",
    ] {
        let refused = add(&client, &json!({"url": url})).await;
        assert_eq!(refused.status, 400, "{url}");
        assert_eq!(refused.faults(), ["/url: invalid"], "{url}");
    }
    let faults = add(
        &client,
        &json!({"url": 7, "events": ["run.done"], "name": "x".repeat(101)}),
    )
    .await;
    assert_eq!(
        faults.faults(),
        ["/url: wrong_type", "/events/0: invalid", "/name: invalid"]
    );
    let (path, _) = subscribe(&client, &receiver.url("/"), &[]).await;
    let moved = json!({"url": "https://10.0.0.1/"});
    assert_eq!(
        call(&client, Method::PATCH, &path, Some(&moved)).await.status,
        400
    );
    for _ in 1..20 {
        subscribe(&client, "https://example.com/hook", &[]).await;
    }
    let full = add(&client, &json!({"url": "https://example.com/hook"})).await;
    assert_eq!(full.faults(), [": out_of_range"]);
}

#[tokio::test]
async fn callers_see_their_own_webhooks_only() {
    let mut receiver = Receiver::spawn();
    let server = setup(&[&receiver], DAYS).spawn();
    let client = ApiClient::of(&server);
    let (path, _) = subscribe(&client, &receiver.url("/"), &[]).await;
    tell(&server, WebhookEvent::RunFailed, "one");
    let delivery = receiver.next().await.header("webhook-id").to_owned();
    let key = ServiceKey::random().unwrap();
    let name = "shop".parse().unwrap();
    server.store.add_service_key(&name, &key.hash(), 1).unwrap();
    let as_other = async |method: Method, path: &str| {
        let request = client.bare(method, path).bearer_auth(key.reveal());
        Reply::of(request.json(&json!({}))).await
    };
    assert_eq!(
        as_other(Method::GET, "/api/v2/webhooks").await.json(),
        json!({"webhooks": []})
    );
    for (method, path) in [
        (Method::GET, path.clone()),
        (Method::PATCH, path.clone()),
        (Method::DELETE, path.clone()),
        (Method::POST, format!("{path}/rotate")),
        (Method::POST, format!("{path}/test")),
        (Method::GET, format!("{path}/deliveries")),
        (Method::GET, format!("{path}/deliveries/{delivery}")),
        (Method::POST, format!("{path}/deliveries/{delivery}/redeliver")),
    ] {
        let reply = as_other(method.clone(), &path).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (404, "webhook_not_found".into()),
            "{method} {path}"
        );
    }
    let bare = Reply::of(client.bare(Method::GET, &path)).await;
    assert_eq!(bare.status, 401);
    let limit = call(
        &client,
        Method::GET,
        &format!("{path}/deliveries?limit=0&cursor=x"),
        None,
    )
    .await;
    assert_eq!(limit.faults(), ["cursor: invalid", "limit: out_of_range"]);
    let page = call(&client, Method::GET, &format!("{path}/deliveries?limit=1"), None).await;
    assert_eq!(page.json()["nextCursor"], delivery);
    assert_eq!(call(&client, Method::DELETE, &path, None).await.status, 200);
    assert_eq!(call(&client, Method::GET, &path, None).await.status, 404);
}

#[tokio::test]
async fn a_secret_is_shown_once_and_never_logged() {
    let logs = logs::capture();
    let database = Database::fresh();
    let mut receiver = Receiver::spawn();
    let server = setup(&[&receiver], DAYS).store(database.open()).spawn();
    let client = ApiClient::of(&server);
    let (path, first) = subscribe(&client, &receiver.url("/"), &[]).await;
    let rotated = call(&client, Method::POST, &format!("{path}/rotate"), None).await;
    let second = rotated.json()["secret"].as_str().unwrap().to_owned();
    receiver.answer(500);
    let tested = call(&client, Method::POST, &format!("{path}/test"), None).await;
    let (failed, taken) = (receiver.next().await, receiver.next().await);
    let mut seen = vec![tested.text, format!("{failed:?} {taken:?}")];
    let delivery = failed.header("webhook-id");
    for path in [
        "/api/v2/webhooks",
        &path,
        &format!("{path}/deliveries"),
        &format!("{path}/deliveries/{delivery}"),
    ] {
        let reply = call(&client, Method::GET, path, None).await;
        assert_eq!(reply.status, 200);
        seen.push(format!("{:?} {}", reply.headers, reply.text));
    }
    drop(server);
    seen.push(logs.text());
    for secret in [&first, &second] {
        let bare = secret.strip_prefix("whsec_").unwrap();
        assert!(seen.iter().all(|text| !text.contains(bare)));
    }
}

/// Adds a webhook and queues messages for it, as other processes of the same database do.
fn queue(store: &Store, owner: &str, url: &str, messages: u32) {
    let at = jiff::Timestamp::now();
    let webhook = NewWebhook {
        id: WebhookId::random(),
        owner,
        kind: WebhookKind::Standard,
        url,
        events: &[],
        name: "",
        secret: &WebhookSecret::new(vec![1; 24]),
        created_at: at.as_millisecond(),
    };
    assert!(store.add_webhook(&webhook, 20).unwrap());
    for number in 0..messages {
        let message = EventMessage::new(WebhookEvent::RunFailed, number.to_string(), at, &json!({}));
        let put = store.put_deliveries(&[message.to(owner, None)], at.as_millisecond());
        assert_eq!(put.unwrap().len(), 1);
    }
}

/// A server that looks for due messages this often, and waits two minutes for an answer.
fn patient(hosts: &str, period: Duration, store: Arc<Store>) -> TestServer {
    let config = MessengerConfig {
        allow_list: AllowList::of_operator(hosts).unwrap(),
        timeout: Duration::from_secs(120),
        ..MessengerConfig::default()
    };
    let settings = WebhookSettings {
        period,
        ..WebhookSettings::new(Messenger::new(config).unwrap())
    };
    let setup = Setup::default().store(store);
    setup
        .tune(move |service| service.webhooks = Some(settings))
        .spawn()
}

#[tokio::test]
async fn a_round_goes_on_until_all_that_is_due_is_sent() {
    let mut receiver = Receiver::spawn();
    let database = Database::fresh();
    let store = database.open();
    queue(&store, "api", &receiver.url("/hook"), 300);
    // Only the first round comes in the time of this test.
    let _server = patient(&receiver.host, Duration::from_secs(3_600), store);
    for _ in 0..300 {
        receiver.next().await;
    }
}

#[tokio::test]
async fn receivers_that_do_not_answer_hold_no_messages_of_another_caller_up() {
    let mut receiver = Receiver::spawn();
    let silent = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let host = silent.local_addr().unwrap().to_string();
    let hosts = format!("{},{host}", receiver.host);
    let database = Database::fresh();
    let server = patient(&hosts, Duration::from_millis(20), database.open());
    queue(&server.store, "loud", &format!("http://{host}/"), 200);
    let (_open, _) = silent.accept().await.unwrap();
    queue(&server.store, "calm", &receiver.url("/hook"), 20);
    for _ in 0..20 {
        receiver.next().await;
    }
}

#[tokio::test]
async fn a_caller_tries_its_webhooks_sixty_times_an_hour() {
    let receiver = Receiver::spawn();
    let server = setup(&[&receiver], DAYS).spawn();
    let client = ApiClient::of(&server);
    let (path, _) = subscribe(&client, &receiver.url("/hook"), &[]).await;
    let path = format!("{path}/test");
    for _ in 0..60 {
        assert_eq!(call(&client, Method::POST, &path, None).await.status, 202);
    }
    let refused = call(&client, Method::POST, &path, None).await;
    assert_eq!(
        (refused.status.as_u16(), refused.code()),
        (429, "rate_limited".to_owned())
    );
    assert!(refused.header("retry-after").parse::<u64>().unwrap() > 3_000);
}
