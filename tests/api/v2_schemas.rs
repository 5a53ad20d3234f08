//! Answers of the second API fit the schemas of the OpenAPI document.

use crate::v2_caller::{Caller, SCANS};
use ibid_tests::receiver::Receiver;
use ibid_tests::{ApiClient, PROVIDER_KEY, Reply, TestServer, small_order};
use reqwest::Method;
use serde_json::{Value, json};

/// Sends requests, and checks each answer against the row of its route and status.
struct Checked {
    caller: Caller,
    document: Value,
}

impl Checked {
    async fn of(server: &TestServer) -> Self {
        let document = Reply::of(ApiClient::of(server).bare(Method::GET, "/openapi.json")).await;
        Self {
            caller: Caller::of(server),
            document: document.json(),
        }
    }

    /// The answer to a request: `path` is that of the document, `ids` replace its parameters.
    async fn call(&self, method: &Method, path: &str, ids: &[&str], body: Option<&Value>) -> Value {
        let mut filled = path.to_owned();
        for id in ids {
            let (from, to) = (filled.find('{').unwrap(), filled.find('}').unwrap());
            filled.replace_range(from..=to, id);
        }
        let request = self.caller.request(method.clone(), &filled);
        let request = match body {
            Some(body) => request.header("X-Router-Key", PROVIDER_KEY).json(body),
            None => request,
        };
        let reply = Reply::of(request).await;
        let media = reply.header("content-type").split(';').next().unwrap().to_owned();
        let escape = |part: &str| part.replace('~', "~0").replace('/', "~1");
        let answer = format!(
            "/paths/{}/{}/responses/{}/content/{}/schema",
            escape(path),
            method.as_str().to_lowercase(),
            reply.status.as_u16(),
            escape(&media)
        );
        assert!(
            self.document.pointer(&answer).is_some(),
            "{method} {filled} gave {} {media}, which is not in the document: {}",
            reply.status,
            reply.text
        );
        let root = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": format!("#{}", answer.replace('{', "%7B").replace('}', "%7D")),
            "components": self.document["components"], "paths": self.document["paths"]});
        let (validator, found) = (jsonschema::validator_for(&root).unwrap(), reply.json());
        let faults: Vec<_> = validator
            .iter_errors(&found)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{method} {filled}: {faults:#?}\n{found:#}");
        found
    }

    async fn get(&self, path: &str, ids: &[&str]) -> Value {
        self.call(&Method::GET, path, ids, None).await
    }

    async fn post(&self, path: &str, ids: &[&str], body: Option<&Value>) -> Value {
        self.call(&Method::POST, path, ids, body).await
    }
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn queued_scans_fit_their_schemas() {
    let server = TestServer::spawn();
    let checked = Checked::of(&server).await;
    let mut order = small_order();
    order["tag"] = json!("weekly");
    let first = text(&checked.post(SCANS, &[], Some(&order)).await, "scanId");
    let batch = checked
        .post(
            "/api/v2/scans/batch",
            &[],
            Some(&json!({"orders": [order, order]})),
        )
        .await;
    let second = text(&batch["scans"][0], "scanId");
    let one = "/api/v2/scans/{id}";
    checked.get(one, &[&first]).await;
    for id in [&first, &second] {
        checked.caller.ended(&format!("{SCANS}/{id}")).await;
        let ended = checked.get(one, &[id]).await;
        assert_eq!(ended["status"], "complete");
    }
    let list = checked.get(SCANS, &[]).await;
    assert_eq!(list["scans"].as_array().unwrap().len(), 3);
    checked.get("/api/v2/scans/{id}/answers", &[&first]).await;
    checked.get("/api/v2/scans/{id}/rescored", &[&first]).await;
    checked
        .get("/api/v2/scans/{id}/compare/{other}", &[&first, &second])
        .await;
    checked.call(&Method::DELETE, one, &[&first], None).await;
    let unknown = "123e4567-e89b-42d3-a456-426614174000";
    checked.get(one, &[unknown]).await;
    checked.post(SCANS, &[], Some(&json!({"domain": 1}))).await;
}

#[tokio::test]
async fn webhooks_and_schedules_fit_their_schemas() {
    let receiver = Receiver::spawn();
    let server = crate::webhooks::setup(&[&receiver], std::time::Duration::from_secs(9)).spawn();
    let checked = Checked::of(&server).await;
    let (all, one) = ("/api/v2/webhooks", "/api/v2/webhooks/{id}");
    let made = checked
        .post(all, &[], Some(&json!({"url": receiver.url("/"), "name": "shop"})))
        .await;
    let hook = text(&made, "webhookId");
    checked.get(all, &[]).await;
    checked.get(one, &[&hook]).await;
    let edit = json!({"events": ["run.completed"]});
    checked.call(&Method::PATCH, one, &[&hook], Some(&edit)).await;
    checked.post("/api/v2/webhooks/{id}/rotate", &[&hook], None).await;
    let test = checked.post("/api/v2/webhooks/{id}/test", &[&hook], None).await;
    let delivery = text(&test, "deliveryId");
    checked.get("/api/v2/webhooks/{id}/deliveries", &[&hook]).await;
    let of_delivery = "/api/v2/webhooks/{id}/deliveries/{delivery}";
    checked.get(of_delivery, &[&hook, &delivery]).await;
    let redeliver = format!("{of_delivery}/redeliver");
    checked.post(&redeliver, &[&hook, &delivery], None).await;
    checked.call(&Method::DELETE, one, &[&hook], None).await;
    checked.get(one, &[&hook]).await;

    let (all, one) = ("/api/v2/schedules", "/api/v2/schedules/{id}");
    let body = json!({"name": "Weekly", "order": small_order(), "monthlyBudgetUsd": 25,
        "recurrence": {"unit": "weeks", "weekday": "monday", "at": "09:00", "timeZone": "Europe/Berlin"}});
    let made = checked.post(all, &[], Some(&body)).await;
    let id = text(&made, "scheduleId");
    checked.get(all, &[]).await;
    checked
        .call(
            &Method::PATCH,
            one,
            &[&id],
            Some(&json!({"monthlyBudgetUsd": null})),
        )
        .await;
    checked.post("/api/v2/schedules/{id}/pause", &[&id], None).await;
    checked.post("/api/v2/schedules/{id}/resume", &[&id], None).await;
    checked.post("/api/v2/schedules/{id}/run", &[&id], None).await;
    checked.get(one, &[&id]).await;
    checked.get("/api/v2/schedules/{id}/alerts", &[&id]).await;
    checked.get("/api/v2/alerts", &[]).await;
    checked.call(&Method::DELETE, one, &[&id], None).await;
    checked.get(one, &[&id]).await;
    checked.post(all, &[], Some(&json!({}))).await;
}
