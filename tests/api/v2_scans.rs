//! Queued scans from the order to the result.

use crate::v1_upstream::behind;
use crate::v2_caller::{Caller, SCANS, gated};
use ibid_service::QueueSettings;
use ibid_tests::fake_router::{FakeRouter, Reply as Answer, Script};
use ibid_tests::{ApiClient, Reply, Setup, TestServer, small_order};
use reqwest::Method;
use serde_json::{Value, json};

/// An order of three questions to one model.
fn order() -> Value {
    let mut order = small_order();
    order["questionsPerModel"] = json!(3);
    order
}

#[tokio::test]
async fn a_scan_goes_from_the_order_to_its_result() {
    let (server, open) = gated();
    let caller = Caller::of(&server);
    let mut body = order();
    body["tag"] = json!("monday");
    let queued = caller.queue(&body).await;
    assert_eq!(queued.status, 202, "{}", queued.text);
    let document = queued.json();
    let path = format!("{SCANS}/{}", document["scanId"].as_str().unwrap());
    assert_eq!(queued.header("location"), path);
    assert!(!queued.header("retry-after").is_empty());
    assert_eq!(
        (
            &document["progress"],
            &document["tag"],
            &document["links"]["events"]
        ),
        (
            &json!({"done": 0, "total": 3}),
            &json!("monday"),
            &json!(format!("{path}/events"))
        )
    );
    assert!(["queued", "running"].contains(&document["status"].as_str().unwrap()));

    let mut events = caller.follow(&path, Some("0")).await;
    open.add_permits(1);
    assert_eq!(events.next().await.unwrap().id, "1");
    let running = caller.get(&path).await;
    assert_eq!(running.status, 200);
    assert!(!running.header("retry-after").is_empty());
    let etag = running.header("etag").to_owned();
    let known = || caller.request(Method::GET, &path).header("If-None-Match", &etag);
    assert_eq!(Reply::of(known()).await.status, 304);
    let running = running.json();
    assert_eq!(
        (
            &running["status"],
            &running["progress"]["done"],
            &running["result"]
        ),
        (&json!("running"), &json!(1), &Value::Null)
    );
    let interim = &running["interim"]["models"][0];
    assert_eq!(
        (&interim["model"], &interim["done"], &interim["answered"]),
        (&json!("model-1-latest"), &json!(1), &json!(1))
    );
    assert!(interim["score"].is_number());

    open.add_permits(2);
    let ended = caller.ended(&path).await;
    assert_eq!(
        (&ended["status"], &ended["progress"], &ended["interim"]),
        (&json!("complete"), &json!({"done": 3, "total": 3}), &Value::Null)
    );
    assert_eq!(ended["result"]["usage"]["answered"], 3);
    let first = caller.get(&path).await;
    assert!(first.header("retry-after").is_empty() && first.header("cache-control").contains("immutable"));
    assert_eq!(first.text, caller.get(&path).await.text);
    assert_eq!(Reply::of(known()).await.status, 200);
    let etag = first.header("etag").to_owned();
    let known = caller.request(Method::GET, &path).header("If-None-Match", etag);
    assert_eq!(Reply::of(known).await.status, 304);
    let evidence = caller.get(&format!("{path}/answers")).await.json();
    assert_eq!(evidence["answers"].as_array().unwrap().len(), 3);
}

/// Removes what is drawn at random: the id of a scan seeds it.
fn remove_intervals(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !name.to_lowercase().ends_with("interval") && name != "radiusRangeKm");
            members.values_mut().for_each(remove_intervals);
        }
        Value::Array(elements) => elements.iter_mut().for_each(remove_intervals),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn a_queued_scan_has_the_numbers_of_one_that_is_answered_at_once() {
    let server = TestServer::spawn();
    let caller = Caller::of(&server);
    let order =
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1]});
    let direct = ApiClient::of(&server).scan(&order).await.json();
    let path = caller.accepted(&order).await;
    let mut queued = caller.ended(&path).await["result"].take();
    let mut direct = direct["result"].clone();
    for result in [&mut queued, &mut direct] {
        for time in ["startedAt", "finishedAt"] {
            assert!(result[time].take().is_string());
        }
        remove_intervals(result);
    }
    assert_eq!(queued, direct);
}

#[tokio::test]
async fn a_scan_is_scored_again_and_compared() {
    let server = TestServer::spawn();
    let caller = Caller::of(&server);
    let [first, second] = [caller.accepted(&order()).await, caller.accepted(&order()).await];
    for path in [&first, &second] {
        caller.ended(path).await;
    }
    let rescored = caller.get(&format!("{first}/rescored")).await;
    assert_eq!(rescored.status, 200, "{}", rescored.text);
    assert!(rescored.json()["result"]["overallScore"].is_number());
    let other = second.rsplit('/').next().unwrap();
    let compared = caller.get(&format!("{first}/compare/{other}")).await;
    assert_eq!(compared.json()["second"]["scanId"], other, "{}", compared.text);
}

#[tokio::test]
async fn a_cancelled_scan_keeps_what_was_answered() {
    let (server, open) = gated();
    let caller = Caller::of(&server);
    let path = caller.accepted(&order()).await;
    let mut events = caller.follow(&path, Some("0")).await;
    open.add_permits(1);
    assert_eq!(events.next().await.unwrap().id, "1");
    let cancelled = caller.delete(&path).await;
    assert_eq!(cancelled.status, 202, "{}", cancelled.text);
    assert_eq!(cancelled.json()["cancelled"], true);
    let ended = caller.ended(&path).await;
    assert_eq!(
        (&ended["status"], &ended["progress"]["done"]),
        (&json!("cancelled"), &json!(1))
    );
    let usage = &ended["result"]["usage"];
    assert_eq!((&usage["questions"], &usage["answered"]), (&json!(3), &json!(1)));
    // Nothing is asked after it, and a second time changes nothing.
    open.add_permits(9);
    let again = caller.delete(&path).await;
    assert_eq!(
        (again.status.as_u16(), again.json()["status"].clone()),
        (202, json!("cancelled"))
    );
    assert_eq!(caller.get(&path).await.json(), ended);
}

#[tokio::test]
async fn a_scan_that_is_cancelled_before_any_answer_has_no_result() {
    let (server, _open) = gated();
    let caller = Caller::of(&server);
    let path = caller.accepted(&order()).await;
    assert_eq!(caller.delete(&path).await.status, 202);
    let ended = caller.ended(&path).await;
    assert_eq!(
        (&ended["status"], &ended["result"]),
        (&json!("cancelled"), &Value::Null)
    );
    for more in ["answers", "rescored"] {
        assert_eq!(
            caller.get(&format!("{path}/{more}")).await.code(),
            "scan_not_found"
        );
    }
}

#[tokio::test]
async fn a_model_without_an_answer_has_no_score() {
    const SECOND: &str = "~anthropic/claude-opus-latest";
    let fake = FakeRouter::spawn();
    fake.on_model(SECOND, Script::always(Answer::error(500, json!({}))));
    let server = behind(&fake);
    let caller = Caller::of(&server);
    let mut order = order();
    order["models"] = json!(["model-1-latest", "model-2-latest"]);
    let path = caller.accepted(&order).await;
    let ended = caller.ended(&path).await;
    assert_eq!(ended["status"], "partial");
    let models = &ended["result"]["models"];
    assert!(models[0]["score"].is_number());
    assert_eq!(
        (&models[1]["score"], &models[1]["error"]["code"]),
        (&Value::Null, &json!("unavailable"))
    );
    let rescored = caller.get(&format!("{path}/rescored")).await.json();
    assert_eq!(rescored["result"]["models"][1]["score"], Value::Null);
    // The first API says 0.
    let direct = ApiClient::of(&server).scan(&order).await.json();
    assert_eq!(direct["result"]["models"][1]["score"], 0.0);
}

#[tokio::test]
async fn a_scan_without_any_answer_fails() {
    let fake = FakeRouter::spawn();
    fake.on_key(
        ibid_tests::PROVIDER_KEY,
        Script::always(Answer::error(500, json!({}))),
    );
    let server = behind(&fake);
    let caller = Caller::of(&server);
    let path = caller.accepted(&order()).await;
    let ended = caller.ended(&path).await;
    assert_eq!(
        (&ended["status"], &ended["result"]),
        (&json!("failed"), &Value::Null)
    );
    assert!(
        !ended["error"]["code"].as_str().unwrap().is_empty(),
        "{}",
        ended["error"]
    );
}

#[tokio::test]
async fn scans_of_others_and_of_the_first_api_are_not_found() {
    let server = TestServer::spawn();
    let (caller, other) = (Caller::of(&server), Caller::named(&server, "shop"));
    let path = caller.accepted(&order()).await;
    caller.ended(&path).await;
    let direct = ApiClient::of(&server).scan(&order()).await.json();
    let direct = format!("{SCANS}/{}", direct["scanId"].as_str().unwrap());
    let mine = path.rsplit('/').next().unwrap().to_owned();
    let mut refused = vec![
        other.get(&path).await,
        other.delete(&path).await,
        caller.get(&direct).await,
        caller.delete(&direct).await,
        caller.get(&format!("{SCANS}/1")).await,
        caller.get(&format!("{SCANS}/{}", "9".repeat(5_000))).await,
        caller.get(&format!("/api/v1/scan/{mine}")).await,
        caller.get(&format!("/api/v1/scan/{mine}/answers")).await,
        caller.get(&format!("/api/v1/scan/{mine}/rescored")).await,
    ];
    for more in ["events", "answers", "rescored", &format!("compare/{mine}")] {
        refused.push(other.get(&format!("{path}/{more}")).await);
        refused.push(caller.get(&format!("{direct}/{more}")).await);
    }
    for reply in refused {
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (404, "scan_not_found".into())
        );
    }
}

#[tokio::test]
async fn every_fault_of_an_order_is_reported_and_nothing_is_queued() {
    let server = TestServer::spawn();
    let caller = Caller::of(&server);
    let bad = json!({"domain": "localhost", "keyword": 7, "location": "Atlantyda, Spain", "tag": "a\nb", "priority": 9,
                     "deadline": "2001-01-01T00:00:00Z", "maxCost": -1, "webhook": "x"});
    let reply = Reply::of(caller.request(Method::POST, SCANS).json(&bad)).await;
    assert_eq!(reply.status, 400);
    assert_eq!(
        reply.faults(),
        [
            "/domain: invalid",
            "/keyword: wrong_type",
            "/location: location_not_found",
            "/webhook: invalid",
            "/deadline: out_of_range",
            "/maxCost: out_of_range",
            "/tag: invalid",
            "/priority: out_of_range",
            "X-Router-Key: provider_key_required",
        ]
    );
    let mut unknown_webhook = order();
    unknown_webhook["webhook"] = json!("123e4567-e89b-42d3-a456-426614174000");
    assert_eq!(
        caller.queue(&unknown_webhook).await.faults(),
        ["/webhook: invalid"]
    );
    let mut dear = order();
    dear["maxCost"] = json!(0.000_001);
    assert_eq!(caller.queue(&dear).await.faults(), ["/maxCost: out_of_range"]);
    let twice = caller
        .request(Method::POST, SCANS)
        .header("Content-Type", "application/json")
        .body(r#"{"domain": "example.com", "domain": "example.org", "keyword": "plumber"}"#);
    assert_eq!(Reply::of(twice).await.code(), "malformed_json");
    let large = json!({"domain": "a".repeat(70_000)});
    assert_eq!(caller.queue(&large).await.status, 413);
    assert_eq!(caller.get(SCANS).await.json()["scans"], json!([]));
}

#[tokio::test]
async fn unknown_members_are_ignored() {
    let server = TestServer::spawn();
    let caller = Caller::of(&server);
    let mut order = order();
    order["colour"] = json!({"deep": ["red"]});
    let path = caller.accepted(&order).await;
    assert_eq!(caller.ended(&path).await["status"], "complete");
}

#[tokio::test]
async fn access_is_checked_before_anything_else() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let id = "123e4567-e89b-42d3-a456-426614174000";
    for (method, path) in [
        (Method::POST, SCANS.to_owned()),
        (Method::POST, format!("{SCANS}/batch")),
        (Method::GET, format!("{SCANS}?limit=x")),
        (Method::GET, format!("{SCANS}/{id}")),
        (Method::DELETE, format!("{SCANS}/{id}")),
        (Method::GET, format!("{SCANS}/{id}/events")),
        (Method::GET, format!("{SCANS}/{id}/answers")),
        (Method::GET, format!("{SCANS}/{id}/rescored")),
        (Method::GET, format!("{SCANS}/{id}/compare/{id}")),
    ] {
        let request = client
            .bare(method.clone(), &path)
            .header("Idempotency-Key", "")
            .header("X-Router-Key", "a b")
            .body("{");
        assert_eq!(Reply::of(request).await.status, 401, "{method} {path}");
    }
    let other = client.bare(Method::PUT, &format!("{SCANS}/{id}"));
    let other = Reply::of(other).await;
    assert_eq!(
        (other.status.as_u16(), other.header("allow")),
        (405, "GET, HEAD, DELETE")
    );
    let other = Reply::of(client.bare(Method::DELETE, SCANS)).await;
    assert_eq!(
        (other.status.as_u16(), other.header("allow")),
        (405, "POST, GET, HEAD")
    );
}

#[tokio::test]
async fn an_equal_order_with_the_same_key_is_queued_once() {
    let server = TestServer::spawn();
    let (caller, other) = (Caller::of(&server), Caller::named(&server, "shop"));
    let queue = async |caller: &Caller, body: &Value| {
        Reply::of(caller.post(SCANS, body).header("Idempotency-Key", "order-1")).await
    };
    let first = queue(&caller, &order()).await;
    assert_eq!(first.status, 202, "{}", first.text);
    let again = queue(&caller, &order()).await;
    assert_eq!(again.status, 202, "{}", again.text);
    assert_eq!(first.header("location"), again.header("location"));
    caller.ended(first.header("location")).await;
    assert_eq!(
        queue(&caller, &order()).await.header("location"),
        first.header("location")
    );
    assert_eq!(
        queue(&caller, &small_order()).await.code(),
        "idempotency_conflict"
    );
    assert_ne!(
        queue(&other, &order()).await.header("location"),
        first.header("location")
    );
    // The first API answers at once, so an equal body is another request.
    let direct = ApiClient::of(&server)
        .scan_request(&order())
        .header("Idempotency-Key", "order-1");
    assert_eq!(Reply::of(direct).await.code(), "idempotency_conflict");
    assert_eq!(
        caller.get(SCANS).await.json()["scans"].as_array().unwrap().len(),
        1
    );
}

#[tokio::test]
async fn a_server_without_keys_to_seal_with_queues_nothing() {
    let server = Setup::default()
        .tune(|service| service.queue = QueueSettings::default())
        .spawn();
    let caller = Caller::of(&server);
    let reply = caller.queue(&order()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (503, "queue_keys_unavailable".into())
    );
    assert_eq!(caller.get(SCANS).await.json()["scans"], json!([]));
}
