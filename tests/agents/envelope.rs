//! The envelope: order of checks, ids, codes (sections 2.1, 2.2, 2.6 of the protocol).

use crate::client::{Outcome, message, words};
use crate::shop::Shop;
use serde_json::{Value, json};

#[tokio::test]
async fn faults_are_checked_in_order() {
    let shop = Shop::open();
    // Each line is also wrong in everything that is checked later.
    for (body, code, id) in [
        ("{", -32700, "null"),
        ("", -32700, "null"),
        ("not json", -32700, "null"),
        (r#"{"id":1,}"#, -32700, "null"),
        ("[]", -32600, "null"),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"tasks/get"}]"#,
            -32600,
            "null",
        ),
        ("1", -32600, "null"),
        ("null", -32600, "null"),
        (r#""text""#, -32600, "null"),
        (r#"{"id":{},"jsonrpc":"1.0"}"#, -32600, "null"),
        (
            r#"{"id":[1],"jsonrpc":"2.0","method":"tasks/get"}"#,
            -32600,
            "null",
        ),
        (
            r#"{"id":true,"jsonrpc":"2.0","method":"tasks/get"}"#,
            -32600,
            "null",
        ),
        (r#"{"id":7,"method":"no/method"}"#, -32600, "7"),
        (
            r#"{"id":"a","jsonrpc":"1.0","method":"no/method"}"#,
            -32600,
            "\"a\"",
        ),
        (
            r#"{"id":"a","jsonrpc":2.0,"method":"no/method"}"#,
            -32600,
            "\"a\"",
        ),
        (r#"{"id":0,"jsonrpc":"2.0"}"#, -32600, "0"),
        (r#"{"id":-1,"jsonrpc":"2.0","method":1}"#, -32600, "-1"),
        (
            r#"{"id":15,"jsonrpc":"2.0","method":"no/method","params":1}"#,
            -32601,
            "15",
        ),
    ] {
        let answer = shop.agent.post(body).await;
        assert_eq!(
            (answer.code(), answer["id"].to_string().as_str()),
            (code, id),
            "{body}"
        );
        // The id is there even if it is unknown.
        assert!(answer.as_object().unwrap().contains_key("id"));
    }
}

#[tokio::test]
async fn methods_come_before_their_parameters_and_these_before_tasks() {
    let shop = Shop::open();
    for (method, params, code) in [
        ("tasks/list", None, -32601),
        ("message/send", Some("[1]"), -32602),
        ("message/send", Some(r#""x""#), -32602),
        ("message/send", None, -32602),
        ("message/send", Some("{}"), -32602),
        ("tasks/get", Some("{}"), -32602),
        ("tasks/get", Some(r#"{"id":7}"#), -32602),
        ("tasks/cancel", Some(r#"{"id":"no-such-task"}"#), -32001),
        ("agent/getAuthenticatedExtendedCard", None, -32007),
        ("tasks/pushNotificationConfig/set", Some("{}"), -32602),
        ("tasks/pushNotificationConfig/get", Some("{}"), -32602),
        ("tasks/pushNotificationConfig/list", Some("{}"), -32602),
        ("tasks/pushNotificationConfig/delete", Some("{}"), -32602),
    ] {
        let params = params.map_or_else(String::new, |params| format!(r#","params":{params}"#));
        let answer = shop
            .agent
            .post(format!(
                r#"{{"id":1,"jsonrpc":"2.0","method":"{method}"{params}}}"#
            ))
            .await;
        assert_eq!(
            (answer.code(), &answer["id"]),
            (code, &json!(1)),
            "{method}{params}"
        );
    }
}

#[tokio::test]
async fn any_id_comes_back_letter_for_letter_and_its_absence_as_null() {
    let shop = Shop::open();
    let hello = json!({"message": words("hello")}).to_string();
    for id in [
        r#""""#,
        r#""é\u00e9""#,
        "0",
        "-1",
        "1.5",
        "1e3",
        "18446744073709551616",
        "null",
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"message/send","params":{hello}}}"#);
        let request = shop
            .agent
            .buyer
            .bare(ibid_tests::Method::POST, crate::client::PATH);
        let reply =
            ibid_tests::Reply::of(request.header("Content-Type", "application/json").body(body)).await;
        assert!(
            reply.text.contains(&format!(r#""id":{id},"result""#)),
            "{id}: {}",
            reply.text
        );
    }
    let silent = format!(r#"{{"jsonrpc":"2.0","method":"message/send","params":{hello}}}"#);
    let answer = shop.agent.post(silent).await;
    assert_eq!(
        (&answer["id"], answer.get("result").is_some()),
        (&Value::Null, true)
    );
    // A repeated id means nothing.
    let tasks = [
        shop.agent.send(words("a")).await,
        shop.agent.send(words("b")).await,
    ];
    assert_ne!(tasks[0]["result"]["id"], tasks[1]["result"]["id"]);
}

#[tokio::test]
async fn all_faults_of_a_message_are_reported() {
    let shop = Shop::open();
    let check = async |change: Value, code: i64, fields: &[&str]| {
        let mut params = json!({"message": words("hello")});
        for (pointer, value) in change.as_object().unwrap() {
            let (parent, member) = pointer.rsplit_once('/').unwrap();
            let parent = params.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            match value {
                Value::String(text) if text == "(removed)" => drop(parent.remove(member)),
                value => drop(parent.insert(member.to_owned(), value.clone())),
            }
        }
        let answer = shop.agent.call("message/send", params).await;
        let named: Vec<&str> = answer["error"]["data"]["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|fault| fault["field"].as_str().unwrap())
            .collect();
        assert_eq!((answer.code(), named), (code, fields.to_vec()), "{change}");
    };
    check(json!({"/message/parts": []}), -32602, &["/message/parts"]).await;
    check(
        json!({"/message/parts": "(removed)", "/message/messageId": "(removed)"}),
        -32602,
        &["/message/messageId", "/message/parts"],
    )
    .await;
    check(json!({"/message/role": "agent"}), -32602, &["/message/role"]).await;
    check(json!({"/message/kind": "task"}), -32602, &["/message/kind"]).await;
    check(
        json!({"/message/parts": [{"kind": "video"}]}),
        -32602,
        &["/message/parts/0/kind"],
    )
    .await;
    check(
        json!({"/message/parts": [{"type": "text", "text": "old"}]}),
        -32602,
        &["/message/parts/0/kind"],
    )
    .await;
    check(
        json!({"/message/parts": [{"kind": "data", "data": [1]}]}),
        -32602,
        &["/message/parts/0/data"],
    )
    .await;
    check(
        json!({"/configuration": {"historyLength": -1}}),
        -32602,
        &["/configuration/historyLength"],
    )
    .await;
    check(
        json!({"/configuration": {"blocking": 1}}),
        -32602,
        &["/configuration/blocking"],
    )
    .await;
    // What we do not offer comes after the parameters, and before tasks.
    check(
        json!({"/message/parts": [{"kind": "file", "file": {"uri": "http://127.0.0.1:1/"}}]}),
        -32005,
        &[],
    )
    .await;
    check(
        json!({"/configuration": {"pushNotificationConfig": {"url": "http://127.0.0.1:1/"}}}),
        -32602,
        &["/configuration/pushNotificationConfig/url"],
    )
    .await;
}

#[tokio::test]
async fn nulls_unknown_members_and_a_missing_kind_are_tolerated() {
    let shop = Shop::open();
    let mut hello = words("hello");
    for member in [
        "taskId",
        "contextId",
        "metadata",
        "referenceTaskIds",
        "extensions",
    ] {
        hello[member] = Value::Null;
    }
    hello["unknown"] = json!({"deep": [1]});
    hello.as_object_mut().unwrap().remove("kind");
    let params = json!({"message": hello, "metadata": null, "unknown": 1,
        "configuration": {"acceptedOutputModes": ["text"], "blocking": null, "historyLength": null, "pushNotificationConfig": null}});
    shop.agent.call("message/send", params).await.result();
}

#[tokio::test]
async fn all_faults_of_a_request_are_reported_and_no_task_is_made() {
    let shop = Shop::open();
    let faults = |answer: &Value| -> Vec<String> {
        let faults = answer["error"]["data"]["errors"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        faults
            .iter()
            .map(|fault| fault["field"].as_str().unwrap().to_owned())
            .collect()
    };
    let ask = async |request: Value| {
        shop.agent
            .send(message(json!({"kind": "data", "data": request})))
            .await
    };
    let answer = ask(json!({"skill": "scan", "domain": "no domain", "questionsPerModel": 11})).await;
    assert_eq!(
        (answer.code(), faults(&answer)),
        (
            -32602,
            ["/domain", "/keyword", "/questionsPerModel"]
                .map(str::to_owned)
                .to_vec()
        )
    );
    let unknown = ask(
        json!({"skill": "radius", "domain": "example.com", "keyword": "crm", "location": "Atlantis Nowhere"}),
    )
    .await;
    assert_eq!(unknown.refusal(), (-32602, "location_not_found"));
    let expensive = ask(json!({"skill": "scan", "domain": "example.com", "keyword": "crm", "questionsPerModel": 10,
        "models": ["model-1-latest", "model-2-latest", "model-3-latest", "model-4-latest", "model-5-latest", "model-6-latest"]})).await;
    assert_eq!(expensive["error"]["data"]["code"], "plan_too_expensive");
    let refused = ask(json!({"skill": "audit", "url": "http://169.254.169.254/"})).await;
    assert_eq!(
        (refused.code(), faults(&refused)),
        (-32602, vec!["/url".to_owned()])
    );
    let twice = shop
        .agent
        .send(json!({"role": "user", "messageId": "m", "parts": [
        {"kind": "data", "data": {"skill": "scan"}}, {"kind": "data", "data": {"skill": "audit"}}]}))
        .await;
    assert_eq!(twice.code(), -32602);
    assert_eq!(ask(json!({"skill": "sing"})).await.code(), -32602);
}
