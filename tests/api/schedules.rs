//! `/api/v2/schedules`: made, changed, fired, bounded by budgets, and judged. The time comes from the tests.

use futures_util::future::{BoxFuture, join_all};
use ibid_model::{ScanId, UsdMicros};
use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderKey, TokenUsage};
use ibid_service::{CallerId, QueueSettings, RunKeys, RunOwner, ServiceKey};
use ibid_store::{NewWebhook, WebhookKind, WebhookSecret};
use ibid_tests::{API_KEY, PROVIDER_KEY, Reply, Setup, TestServer};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// A provider that changes its mind when it is told to, or fails. An answer costs ten cents.
#[derive(Default)]
struct Moody(AtomicU8);

const PRAISES: u8 = 0;
const FORGETS: u8 = 1;
const FAILS: u8 = 2;

impl Provider for Moody {
    fn ask<'a>(
        &'a self,
        _: &'a ProviderKey,
        _: &'a Prompt,
    ) -> BoxFuture<'a, Result<Completion, ProviderError>> {
        let text = match self.0.load(Ordering::SeqCst) {
            PRAISES => "1. Example (example.com) - the best choice\n2. Rival Works - also good",
            FORGETS => "1. Rival Works - the best choice\n2. Third House - good",
            _ => return Box::pin(std::future::ready(Err(ProviderError::KeyRejected))),
        };
        let answer = Completion {
            text: text.to_owned(),
            usage: TokenUsage {
                cost: Some(UsdMicros::new(100_000)),
                ..TokenUsage::default()
            },
            ..Completion::default()
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

fn server(provider: Arc<Moody>) -> TestServer {
    let keys = QueueSettings {
        keys: Some(Arc::new(RunKeys::random().unwrap())),
        ..QueueSettings::default()
    };
    Setup::default()
        .provider(provider)
        .tune(|service| service.queue = keys)
        .spawn()
}

async fn call(server: &TestServer, method: Method, path: &str, body: Option<&Value>) -> Reply {
    call_as(server, API_KEY, (method, path), body).await
}

async fn call_as(
    server: &TestServer,
    bearer: &str,
    (method, path): (Method, &str),
    body: Option<&Value>,
) -> Reply {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client
        .request(method, format!("{}{path}", server.url))
        .bearer_auth(bearer)
        .header("X-Router-Key", PROVIDER_KEY);
    Reply::of(match body {
        Some(body) => request.json(body),
        None => request,
    })
    .await
}

fn order() -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "models": ["model-1-latest"], "questionsPerModel": 8})
}

fn weekly() -> Value {
    json!({"unit": "weeks", "weekday": "monday", "at": "09:00", "timeZone": "Europe/Berlin", "from": "2030-01-01"})
}

/// Makes a schedule and returns its document.
async fn add(server: &TestServer, more: Value) -> Value {
    let mut body = json!({"name": "Weekly", "order": order(), "recurrence": weekly()});
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let reply = call(server, Method::POST, "/api/v2/schedules", Some(&body)).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    let schedule = reply.json();
    assert_eq!(
        reply.header("location"),
        schedule["links"]["self"].as_str().unwrap()
    );
    schedule
}

async fn read(server: &TestServer, schedule: &Value) -> Value {
    let path = schedule["links"]["self"].as_str().unwrap();
    let reply = call(server, Method::GET, path, None).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

fn time(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

/// Fires the next run at its time, waits for its scan, and judges it. Returns the run.
async fn next_run(server: &TestServer, schedule: &Value) -> Value {
    let due = time(&read(server, schedule).await["nextRuns"][0]);
    server.service.schedules.round(due).await.unwrap();
    let run = read(server, schedule).await["lastRuns"][0].clone();
    if let Some(scan) = run["scanId"].as_str() {
        ended(server, scan.parse().unwrap()).await;
    }
    server.service.schedules.round(due).await.unwrap();
    let run = read(server, schedule).await["lastRuns"][0].clone();
    assert_eq!(time(&run["dueAt"]), due);
    run
}

/// Waits for the end of a queued scan.
async fn ended(server: &TestServer, scan: ScanId) {
    let owner = RunOwner::Api(CallerId::api());
    let mut done = 0;
    loop {
        let queued = server
            .service
            .scans
            .queued_after(&owner, scan, done)
            .await
            .unwrap();
        if queued.run.ended_at.is_some() {
            return;
        }
        done = queued.run.stored;
    }
}

async fn alerts(server: &TestServer, schedule: &Value) -> Vec<Value> {
    let path = schedule["links"]["alerts"].as_str().unwrap();
    let reply = call(server, Method::GET, path, None).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["alerts"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_schedule_is_made_read_changed_paused_and_deleted_by_its_owner_alone() {
    let server = server(Arc::default());
    let made = add(&server, json!({"monthlyBudgetUsd": 25})).await;
    assert_eq!(
        made["recurrence"]["summary"],
        "every week on Monday at 09:00, Europe/Berlin"
    );
    let next = made["nextRuns"].as_array().unwrap();
    assert_eq!(next.len(), 5);
    // 2030-01-07 is the first Monday; the delay is the same every week.
    assert!(
        next[0].as_str().unwrap().starts_with("2030-01-07T08:0"),
        "{next:?}"
    );
    assert_eq!(time(&next[1]).duration_since(time(&next[0])).as_hours(), 7 * 24);
    assert_eq!(
        (&made["paused"], &made["monthlyBudgetUsd"]),
        (&json!(false), &json!(25.0))
    );
    assert!(!made.to_string().contains(PROVIDER_KEY));
    assert_eq!(read(&server, &made).await, made);
    let listed = call(&server, Method::GET, "/api/v2/schedules", None).await.json();
    assert_eq!(listed["schedules"], json!([made]));
    let path = made["links"]["self"].as_str().unwrap().to_owned();
    let change = json!({"name": null, "monthlyBudgetUsd": null,
        "recurrence": {"unit": "days", "at": "23:30", "timeZone": "UTC", "from": "2030-01-01"}});
    let changed = call(&server, Method::PATCH, &path, Some(&change)).await.json();
    assert_eq!(
        (&changed["name"], &changed["monthlyBudgetUsd"]),
        (&json!(""), &Value::Null)
    );
    assert_eq!(
        (&changed["order"], &changed["createdAt"]),
        (&made["order"], &made["createdAt"])
    );
    assert!(
        changed["nextRuns"][0]
            .as_str()
            .unwrap()
            .starts_with("2030-01-01T23:3")
    );
    for (action, paused, runs) in [("pause", true, 0), ("resume", false, 5)] {
        let reply = call(&server, Method::POST, &format!("{path}/{action}"), None).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert_eq!(reply.json()["paused"], json!(paused));
        assert_eq!(reply.json()["nextRuns"].as_array().unwrap().len(), runs);
    }
    // Another caller sees nothing of it.
    let key = ServiceKey::random().unwrap();
    let name = "other".parse().unwrap();
    server.store.add_service_key(&name, &key.hash(), 0).unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    for (method, suffix) in [
        (Method::GET, ""),
        (Method::DELETE, ""),
        (Method::POST, "/run"),
        (Method::GET, "/alerts"),
    ] {
        let request = client.request(method, format!("{}{path}{suffix}", server.url));
        let reply = Reply::of(request.bearer_auth(key.reveal())).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (404, "schedule_not_found".into())
        );
    }
    assert_eq!(call(&server, Method::DELETE, &path, None).await.status, 200);
    for method in [Method::GET, Method::DELETE, Method::PATCH] {
        let reply = call(&server, method, &path, Some(&json!({}))).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (404, "schedule_not_found".into())
        );
    }
}

#[tokio::test]
async fn every_fault_of_a_schedule_is_listed() {
    let server = server(Arc::default());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{}/api/v2/schedules", server.url));
    let body = json!({"order": {"domain": "example.com"}, "recurrence": {"unit": "years", "at": "9"}, "monthlyCredits": 1});
    let reply = Reply::of(request.bearer_auth(API_KEY).json(&body)).await;
    let fields: Vec<_> = reply.json()["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["field"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        fields,
        [
            "X-Router-Key",
            "/order/keyword",
            "/recurrence/unit",
            "/recurrence/at",
            "/recurrence/timeZone",
            "/monthlyCredits"
        ]
    );
    let poor = json!({"order": order(), "recurrence": weekly(), "monthlyBudgetUsd": 0.001});
    let reply = call(&server, Method::POST, "/api/v2/schedules", Some(&poor)).await;
    assert_eq!(reply.status, 400, "{}", reply.text);
    assert!(reply.text.contains("has to hold one"), "{}", reply.text);
}

#[tokio::test]
async fn without_a_key_to_seal_with_no_schedule_is_made() {
    let server = Setup::default()
        .tune(|service| service.queue = QueueSettings::default())
        .spawn();
    let body = json!({"order": order(), "recurrence": weekly()});
    let reply = call(&server, Method::POST, "/api/v2/schedules", Some(&body)).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (503, "queue_keys_unavailable".into())
    );
}

#[tokio::test]
async fn a_run_fires_once_at_its_time_and_a_changed_result_raises_one_alert() {
    let provider = Arc::<Moody>::default();
    let server = server(Arc::clone(&provider));
    let hook = NewWebhook {
        id: ibid_model::WebhookId::random(),
        owner: "api",
        kind: WebhookKind::Standard,
        // The address guard refuses it: nothing is sent in this test.
        url: "http://127.0.0.1:9/",
        events: &["schedule.fired", "alert.raised"],
        name: "",
        secret: &WebhookSecret::new(vec![1; 24]),
        created_at: 0,
    };
    server.store.add_webhook(&hook, 9).unwrap();
    let schedule = add(&server, json!({})).await;
    let due = time(&schedule["nextRuns"][0]);
    server
        .service
        .schedules
        .round(due - jiff::SignedDuration::from_secs(1))
        .await
        .unwrap();
    assert_eq!(read(&server, &schedule).await["lastRuns"], json!([]));
    // Several rounds at the same moment fire it once.
    let rounds = (0..4).map(|_| server.service.schedules.round(due));
    for round in join_all(rounds).await {
        round.unwrap();
    }
    let fired = read(&server, &schedule).await;
    assert_eq!(fired["lastRuns"].as_array().unwrap().len(), 1);
    assert_eq!(fired["nextRuns"][0], schedule["nextRuns"][1]);
    ended(
        &server,
        fired["lastRuns"][0]["scanId"].as_str().unwrap().parse().unwrap(),
    )
    .await;
    server.service.schedules.round(due).await.unwrap();
    let first = read(&server, &schedule).await;
    assert_eq!(first["lastRuns"][0]["outcome"], "complete");
    assert_eq!(first["lastRuns"][0]["costUsd"], json!(0.8));
    // The same result again is no news. A change shows after three runs.
    let second = next_run(&server, &schedule).await;
    assert_eq!(second["outcome"], "complete");
    let same = next_run(&server, &schedule).await;
    assert!(alerts(&server, &schedule).await.is_empty());
    provider.0.store(FORGETS, Ordering::SeqCst);
    let other = next_run(&server, &schedule).await;
    let raised = alerts(&server, &schedule).await;
    assert_eq!(raised.len(), 1, "{raised:?}");
    let alert = &raised[0];
    assert_eq!(
        (&alert["kind"], &alert["scanId"]),
        (&json!("changed"), &other["scanId"])
    );
    assert_eq!(alert["previousScanId"], same["scanId"]);
    let summary = alert["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("Fell from ") && summary.contains("; noticed "),
        "{summary}"
    );
    assert_eq!(next_run(&server, &schedule).await["outcome"], "complete");
    assert_eq!(alerts(&server, &schedule).await.len(), 1);
    let seen = format!("/api/v2/alerts/{}/seen", alert["alertId"].as_str().unwrap());
    assert!(call(&server, Method::POST, &seen, None).await.json()["seenAt"].is_string());
    let all = call(&server, Method::GET, "/api/v2/alerts", None).await.json();
    assert!(all["alerts"][0]["seenAt"].is_string());
    let events = server.store.deliveries(hook.id, None, 20).unwrap();
    let count = |name| events.iter().filter(|event| event.event == name).count();
    assert_eq!((count("schedule.fired"), count("alert.raised")), (5, 1));
    let raised = events.iter().find(|event| event.event == "alert.raised").unwrap();
    let change = serde_json::from_slice::<Value>(&raised.payload).unwrap()["data"]["changes"][0].clone();
    assert_eq!(
        (&change["noticedAt"], &change["since"]),
        (&other["scanId"], &other["scanId"])
    );
    assert_eq!(
        (&change["explanation"], &change["why"]),
        (
            &json!("too_early"),
            &json!("Too early to say why: one run since.")
        )
    );
    let summary = serde_json::from_slice::<Value>(&raised.payload).unwrap()["data"]["summary"].clone();
    assert!(summary.as_str().unwrap().ends_with("one run since."), "{summary}");
    let points = |name: &str| change[name].as_f64().unwrap();
    assert!(
        points("difference") < -50.0 && points("after") < points("before"),
        "{change}"
    );
    assert!(change["interval"]["high"].as_f64().unwrap() < 0.0, "{change}");
    assert!(
        events
            .iter()
            .all(|event| !String::from_utf8_lossy(&event.payload).contains(PROVIDER_KEY))
    );
}

#[tokio::test]
async fn most_questions_of_a_schedule_stay_and_a_fifth_is_new_in_each_run() {
    let server = server(Arc::default());
    let schedule = add(&server, json!({})).await;
    let own = add(
        &server,
        json!({"order": {"domain": "example.com", "keyword": "plumber", "models": ["model-1-latest"],
            "questions": ["Who fixes taps?", "Who fixes pipes?", "Who fixes drains?", "Who fixes sinks?"]}}),
    );
    let own = own.await;
    let mut asked = Vec::new();
    for schedule in [&schedule, &schedule, &schedule, &own, &own] {
        let run = next_run(&server, schedule).await;
        let scan = run["scanId"].as_str().unwrap().parse().unwrap();
        let record = server.store.scan(scan).unwrap().unwrap();
        let reply: Value = serde_json::from_slice(&record.reply).unwrap();
        let answers = reply["result"]["models"][0]["answers"]
            .as_array()
            .unwrap()
            .clone();
        let hashes: std::collections::BTreeSet<String> = answers
            .iter()
            .map(|answer| answer["questionHash"].as_str().unwrap().to_owned())
            .collect();
        asked.push(hashes);
    }
    let shared = |one: usize, other: usize| asked[one].intersection(&asked[other]).count();
    assert_eq!(
        (asked[0].len(), shared(0, 1), shared(0, 2), shared(1, 2)),
        (8, 6, 6, 6)
    );
    // A list of the caller is the population, so it stays.
    assert_eq!((asked[3].len(), shared(3, 4)), (4, 4));
}

#[tokio::test]
async fn after_a_downtime_a_schedule_runs_once_and_then_in_the_future() {
    let server = server(Arc::default());
    let schedule = add(&server, json!({})).await;
    let late = time(&schedule["nextRuns"][4]) + jiff::SignedDuration::from_hours(1);
    server.service.schedules.round(late).await.unwrap();
    let fired = read(&server, &schedule).await;
    assert_eq!(fired["lastRuns"].as_array().unwrap().len(), 1);
    assert!(time(&fired["nextRuns"][0]) > late);
}

#[tokio::test]
async fn the_third_failure_in_a_row_raises_an_alert() {
    let provider = Arc::new(Moody(AtomicU8::new(FAILS)));
    let server = server(Arc::clone(&provider));
    let schedule = add(&server, json!({})).await;
    for (failed, raised) in [(1, 0), (2, 0), (3, 1), (4, 1)] {
        assert_eq!(next_run(&server, &schedule).await["outcome"], "failed");
        assert_eq!(read(&server, &schedule).await["failuresInARow"], failed);
        assert_eq!(alerts(&server, &schedule).await.len(), raised);
    }
    assert_eq!(alerts(&server, &schedule).await[0]["kind"], "failing");
    provider.0.store(PRAISES, Ordering::SeqCst);
    next_run(&server, &schedule).await;
    assert_eq!(read(&server, &schedule).await["failuresInARow"], 0);
}

#[tokio::test]
async fn no_run_starts_whose_estimate_exceeds_the_rest_of_the_budget_and_one_stops_at_it() {
    let server = server(Arc::default());
    // Four runs of 80 cents exceed it in a month: the rest of the last one is 10 cents, and it stops there.
    let daily = json!({"unit": "days", "at": "09:00", "timeZone": "UTC", "from": "2030-01-01"});
    let schedule = add(&server, json!({"monthlyBudgetUsd": 1.7, "recurrence": daily})).await;
    for outcome in ["complete", "complete"] {
        assert_eq!(next_run(&server, &schedule).await["outcome"], outcome);
    }
    assert_eq!(next_run(&server, &schedule).await["outcome"], "over_budget");
    let left = read(&server, &schedule).await;
    // A budget that is used up is no failure.
    assert_eq!(left["failuresInARow"], 0);
    assert!(alerts(&server, &schedule).await.is_empty());
}

#[tokio::test]
async fn a_schedule_runs_on_request_also_while_it_is_paused_and_once_at_a_time() {
    let server = server(Arc::default());
    let schedule = add(&server, json!({})).await;
    let path = schedule["links"]["self"].as_str().unwrap();
    call(&server, Method::POST, &format!("{path}/pause"), None).await;
    let run = call(&server, Method::POST, &format!("{path}/run"), None).await;
    assert_eq!(run.status, 202, "{}", run.text);
    let scan = run.json()["scanId"].as_str().unwrap().parse().unwrap();
    // Until the run is judged, it is open.
    let second = call(&server, Method::POST, &format!("{path}/run"), None).await;
    assert_eq!(
        (second.status.as_u16(), second.code()),
        (409, "schedule_running".into())
    );
    ended(&server, scan).await;
    server.service.schedules.round(Timestamp::now()).await.unwrap();
    let ended = read(&server, &schedule).await;
    assert_eq!(ended["lastRuns"][0]["outcome"], "complete");
    assert_eq!(ended["paused"], true);
}

#[tokio::test]
async fn the_schedule_of_a_revoked_key_starts_nothing_and_is_paused() {
    let server = server(Arc::default());
    let keys = ["shop", "other"].map(|name| {
        let key = ServiceKey::random().unwrap();
        let name = name.parse().unwrap();
        server.store.add_service_key(&name, &key.hash(), 1).unwrap();
        key
    });
    let mut made = Vec::new();
    for key in keys {
        let body = json!({"order": order(), "recurrence": weekly()});
        let added = call_as(
            &server,
            key.reveal(),
            (Method::POST, "/api/v2/schedules"),
            Some(&body),
        );
        let added = added.await;
        assert_eq!(added.status, 201, "{}", added.text);
        made.push(added.json());
    }
    assert!(
        server
            .store
            .revoke_service_key(&"shop".parse().unwrap(), 2)
            .unwrap()
    );
    let runs = |schedule: &Value| {
        let id = schedule["scheduleId"].as_str().unwrap().parse().unwrap();
        let runs = server.store.scheduled_runs(id, 9).unwrap();
        (runs, server.store.schedule(id).unwrap().unwrap().paused_at)
    };
    let due = time(&made[0]["nextRuns"][0]).max(time(&made[1]["nextRuns"][0]));
    server.service.schedules.round(due).await.unwrap();
    let (shop, paused) = runs(&made[0]);
    assert!(shop.len() == 1 && shop[0].scan.is_none() && paused.is_some());
    assert_eq!(shop[0].outcome.as_deref(), Some("key_revoked"));
    // The other key still holds.
    let (other, paused) = runs(&made[1]);
    assert!(other.len() == 1 && other[0].scan.is_some() && paused.is_none());
    // A paused schedule is not due any more.
    let later = time(&made[0]["nextRuns"][1]);
    server.service.schedules.round(later).await.unwrap();
    assert_eq!(runs(&made[0]).0.len(), 1);
}

#[tokio::test]
async fn a_schedule_keeps_its_questions_until_an_edit_accepts_new_ones_or_changes_the_order() {
    let server = server(Arc::default());
    let schedule = add(&server, json!({})).await;
    assert_eq!(schedule["newQuestions"], false);
    let path = schedule["links"]["self"].as_str().unwrap();
    let id = schedule["scheduleId"].as_str().unwrap().parse().unwrap();
    let kept = || {
        let kept = server.store.schedule_questions(id).unwrap().unwrap();
        serde_json::from_slice::<Value>(&kept.unpack().unwrap()).unwrap()
    };
    let first = kept();
    assert_eq!(first.as_array().unwrap().len(), 6);
    let edit = async |body: Value| {
        let edited = call(&server, Method::PATCH, path, Some(&body)).await;
        (edited.status.as_u16(), edited.text)
    };
    assert_eq!(edit(json!({"name": "Monthly"})).await.0, 200);
    assert_eq!(
        edit(json!({"order": read(&server, &schedule).await["order"]}))
            .await
            .0,
        200
    );
    assert_eq!(kept(), first);
    let faulty = edit(json!({"newQuestions": "yes", "recurrence": 7})).await;
    assert!(faulty.0 == 400 && faulty.1.contains("/newQuestions") && faulty.1.contains("/recurrence"));
    let mut other = order();
    other["keyword"] = json!("roofer");
    assert_eq!(edit(json!({"order": other})).await.0, 200);
    let second = kept();
    assert!(second != first && second[0]["text"].as_str().unwrap().contains("roofer"));
    assert_eq!(edit(json!({"newQuestions": true})).await.0, 200);
    assert_eq!(kept(), second);
}
