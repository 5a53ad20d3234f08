//! A2A 1.0 over JSON-RPC and over HTTP, on the same tasks as 0.2 and 0.3.

use crate::client::{Agent, PATH, small_scan};
use crate::shop::Shop;
use ibid_model::{Product, X402Version};
use ibid_tests::{Method, Reply};
use serde_json::{Value, json};

const BASE: &str = "/api/a2a/v1";

/// An answer of 1.0 over JSON-RPC.
async fn call(agent: &Agent, method: &str, params: Value) -> Value {
    let reply = Reply::of(agent.request(method, &params).header("A2A-Version", "1.0")).await;
    assert_eq!(reply.status, 200);
    reply.json()
}

/// An answer of 1.0 over HTTP.
async fn http(agent: &Agent, method: Method, path: &str, body: Option<&Value>) -> Reply {
    let request = agent.buyer.bare(method, &format!("{BASE}{path}"));
    let request = request.header("A2A-Version", "1.0");
    Reply::of(match body {
        Some(body) => request.json(body),
        None => request,
    })
    .await
}

fn message(part: Value) -> Value {
    json!({"messageId": "m", "role": "ROLE_USER", "parts": [part], "taskId": "", "contextId": ""})
}

/// Every member of a document, at any depth.
fn names(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                found.push(name.clone());
                names(member, found);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| names(element, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn a_scan_is_bought_over_json_rpc() {
    for (key, version) in [
        ("x402.payment.required", X402Version::V1),
        ("x402.payment.required.v2", X402Version::V2),
    ] {
        let shop = Shop::open();
        let order = small_scan();
        let asked = call(
            &shop.agent,
            "SendMessage",
            json!({"message": message(json!({"data": order}))}),
        )
        .await;
        let task = &asked["result"]["task"];
        assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{asked:#}");
        assert_eq!(task["history"][0]["role"], "ROLE_USER");
        assert_eq!(task["history"][0]["parts"][0]["mediaType"], "application/json");
        let told = &task["status"]["message"];
        assert_eq!(
            (&told["role"], &told["taskId"]),
            (&json!("ROLE_AGENT"), &task["id"])
        );
        let number = match version {
            X402Version::V1 => 1,
            X402Version::V2 => 2,
        };
        assert_eq!(told["metadata"][key]["x402Version"], number);
        let payment = shop.agent.buyer.pay(Product::Scan, version);
        let mut payload = payment.payload().clone();
        // Clients whose numbers are all floating point write whole numbers with a fraction.
        payload["x402Version"] = json!(f64::from(number));
        let mut paying = message(json!({"text": "payment"}));
        paying["taskId"] = task["id"].clone();
        paying["metadata"] =
            json!({"x402.payment.status": "payment-submitted", "x402.payment.payload": payload});
        let done = call(
            &shop.agent,
            "SendMessage",
            json!({"message": paying, "tenant": ""}),
        )
        .await;
        let done = &done["result"]["task"];
        assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED", "{done:#}");
        let parts = &done["artifacts"][0]["parts"];
        assert_eq!(parts[0]["mediaType"], "application/json");
        assert_eq!(parts[0]["data"]["status"], "complete");
        assert!(parts[1]["text"].is_string());
        let mut found = Vec::new();
        names(&done["status"], &mut found);
        names(&done["history"], &mut found);
        assert!(
            !found.iter().any(|name| name == "kind" || name == "final"),
            "{found:?}"
        );
        // The same task in the older form.
        let id = done["id"].as_str().unwrap();
        let old = shop.agent.get(id).await;
        assert_eq!(old["result"]["status"]["state"], "completed");
    }
}

#[tokio::test]
async fn both_transports_show_the_same_task() {
    let shop = Shop::open();
    let body =
        json!({"message": message(json!({"text": "hello"})), "configuration": {"returnImmediately": true}});
    let sent = http(&shop.agent, Method::POST, "/message:send/", Some(&body)).await;
    assert_eq!(
        (sent.status.as_u16(), sent.header("content-type")),
        (200, "application/json")
    );
    let task = sent.json()["task"].clone();
    let id = task["id"].as_str().unwrap();
    let read = http(
        &shop.agent,
        Method::GET,
        &format!("/tasks/{id}?historyLength=0"),
        None,
    )
    .await;
    let read = read.json();
    assert!(read.get("history").is_none(), "{read}");
    let over_rpc = call(&shop.agent, "GetTask", json!({"id": id, "history_length": 0})).await;
    assert_eq!(over_rpc["result"], read);
    let events = http(&shop.agent, Method::POST, &format!("/tasks/{id}:subscribe"), None).await;
    assert_eq!(events.header("content-type"), "text/event-stream");
    let kinds: Vec<_> = events
        .text
        .split("\n\n")
        .filter(|event| event.starts_with("data: "))
        .collect();
    assert!(kinds[0].starts_with("data: {\"task\":") && kinds[1].starts_with("data: {\"statusUpdate\":"));
    let canceled = http(&shop.agent, Method::POST, &format!("/tasks/{id}:cancel"), None).await;
    assert_eq!(canceled.json()["status"]["state"], "TASK_STATE_CANCELED");
    // A task that has ended.
    let again = call(&shop.agent, "SubscribeToTask", json!({"id": id})).await;
    assert_eq!(again["error"]["code"], -32004, "{again}");
    let mut late = message(json!({"text": "hello"}));
    late["taskId"] = json!(id);
    late["messageId"] = json!("late");
    let late = call(&shop.agent, "SendMessage", json!({"message": late})).await;
    assert_eq!(late["error"]["code"], -32004, "{late}");
    assert_eq!(
        late["error"]["data"][0]["reason"], "UNSUPPORTED_OPERATION",
        "{late}"
    );
    let twice = http(&shop.agent, Method::POST, &format!("/tasks/{id}:cancel"), None).await;
    assert_eq!(
        (twice.status.as_u16(), &twice.json()["error"]["status"]),
        (400, &json!("FAILED_PRECONDITION"))
    );
}

#[tokio::test]
async fn errors_have_typed_details() {
    let shop = Shop::open();
    let unknown = "00000000-0000-4000-8000-000000000000";
    for (method, params, code, reason) in [
        ("GetTask", json!({"id": unknown}), -32001, "TASK_NOT_FOUND"),
        (
            "SubscribeToTask",
            json!({"id": unknown}),
            -32001,
            "TASK_NOT_FOUND",
        ),
        (
            "ListTaskPushNotificationConfigs",
            json!({"taskId": unknown}),
            -32001,
            "TASK_NOT_FOUND",
        ),
        ("GetExtendedAgentCard", json!({}), -32004, "UNSUPPORTED_OPERATION"),
        ("message/send", json!({}), -32601, "METHOD_NOT_FOUND"),
        (
            "SendMessage",
            json!({"message": message(json!({"raw": "eA=="}))}),
            -32005,
            "CONTENT_TYPE_NOT_SUPPORTED",
        ),
    ] {
        let error = call(&shop.agent, method, params).await["error"].clone();
        assert_eq!(error["code"], code, "{method}: {error}");
        let info = &error["data"][0];
        assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
        assert_eq!(
            (&info["reason"], &info["domain"]),
            (&json!(reason), &json!("a2a-protocol.org"))
        );
    }
    let faulty = call(
        &shop.agent,
        "SendMessage",
        json!({"message": {"role": "user", "messageId": "", "parts": []}}),
    )
    .await;
    let violations = &faulty["error"]["data"][1];
    assert_eq!(
        violations["@type"], "type.googleapis.com/google.rpc.BadRequest",
        "{faulty:#}"
    );
    let fields = violations["fieldViolations"].as_array().unwrap();
    let fields: Vec<_> = fields
        .iter()
        .map(|fault| fault["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["message.role", "message.messageId", "message.parts"]);
    for version in ["0.5", "2.0"] {
        let request = shop
            .agent
            .request("SendMessage", &json!({}))
            .header("A2A-Version", version);
        assert_eq!(Reply::of(request).await.json()["error"]["code"], -32009);
        let bare = shop
            .agent
            .buyer
            .bare(Method::GET, &format!("{BASE}/tasks/{unknown}"));
        let reply = Reply::of(bare.header("A2A-Version", version)).await;
        assert_eq!(reply.status, 400);
        assert_eq!(
            reply.json()["error"]["details"][0]["reason"],
            "VERSION_NOT_SUPPORTED"
        );
    }
    let missing = http(&shop.agent, Method::GET, &format!("/tasks/{unknown}"), None).await;
    assert_eq!(
        (missing.status.as_u16(), &missing.json()["error"]["status"]),
        (404, &json!("NOT_FOUND"))
    );
    let push = http(
        &shop.agent,
        Method::POST,
        &format!("/tasks/{unknown}/pushNotificationConfigs"),
        Some(&json!({"url": "https://example.com/"})),
    )
    .await;
    assert_eq!(push.json()["error"]["details"][0]["reason"], "TASK_NOT_FOUND");
    let typed = shop
        .agent
        .buyer
        .bare(Method::POST, &format!("{BASE}/message:send"));
    let typed = typed
        .header("A2A-Version", "1.0")
        .header("Content-Type", "text/plain")
        .body("{}");
    assert_eq!(Reply::of(typed).await.status, 415);
}

#[tokio::test]
async fn an_anonymous_caller_has_no_tasks_to_list() {
    let shop = Shop::open();
    let context = json!({"message": {"messageId": "m", "role": "ROLE_USER", "contextId": "shared", "parts": [{"text": "hello"}]}});
    call(&shop.agent, "SendMessage", context).await;
    let listed = call(
        &shop.agent,
        "ListTasks",
        json!({"contextId": "shared", "pageSize": 2.0}),
    )
    .await;
    assert_eq!(
        listed["result"],
        json!({"tasks": [], "nextPageToken": "", "pageSize": 2, "totalSize": 0})
    );
    let over_http = http(
        &shop.agent,
        Method::GET,
        "/tasks?contextId=shared&pageSize=2&includeArtifacts=true",
        None,
    )
    .await;
    assert_eq!(over_http.json(), listed["result"]);
    for wrong in [
        json!({"pageSize": 0}),
        json!({"pageSize": 101}),
        json!({"pageToken": "x"}),
        json!({"status": "done"}),
    ] {
        assert_eq!(
            call(&shop.agent, "ListTasks", wrong).await["error"]["code"],
            -32602
        );
    }
    let slash = shop.agent.buyer.bare(Method::POST, &format!("{PATH}/"));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}});
    let reply = Reply::of(slash.header("A2A-Version", "1.0").json(&body)).await;
    assert_eq!(reply.json()["result"]["pageSize"], 50);
}
