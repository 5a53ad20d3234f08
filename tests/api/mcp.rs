//! `/mcp`: tools over streamable HTTP, with and without keys.

use ibid_tests::{API_KEY, ApiClient, Reply, Setup, TestServer, small_order};
use ibid_x402::SandboxFacilitator;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::sync::Arc;

const MODERN: &str = "2026-07-28";

/// A message of the older revision.
pub(crate) fn message(client: &ApiClient, method: &str, params: &Value) -> RequestBuilder {
    client
        .bare(Method::POST, "/mcp")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2025-11-25")
        .json(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

/// The same with the keys of a caller.
pub(crate) fn keyed(request: RequestBuilder) -> RequestBuilder {
    request.bearer_auth(API_KEY).header("X-Router-Key", "sk-test")
}

pub(crate) async fn result(request: RequestBuilder) -> Value {
    let reply = Reply::of(request).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["result"].clone()
}

/// Calls a tool with keys.
pub(crate) async fn call(client: &ApiClient, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    result(keyed(message(client, "tools/call", &params))).await
}

/// A message of the newer revision, from a client with these capabilities.
pub(crate) fn modern(
    client: &ApiClient,
    method: &str,
    name: &str,
    mut params: Value,
    capabilities: &Value,
) -> RequestBuilder {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let request = client
        .bare(Method::POST, "/mcp")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", MODERN)
        .header("Mcp-Method", method)
        .header("Mcp-Name", name)
        .json(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
    keyed(request)
}

#[tokio::test]
async fn every_tool_takes_what_its_schema_says_and_answers_twice() {
    let server = Setup::default()
        .selling(Arc::new(SandboxFacilitator::new()))
        .spawn();
    let client = ApiClient::of(&server);
    let listed = result(message(&client, "tools/list", &json!({}))).await;
    let tools = listed["tools"].as_array().unwrap();
    assert!(tools.len() <= 14);
    let scan = call(&client, "run_scan", small_order()).await;
    let id = scan["structuredContent"]["scanId"].clone();
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let arguments = match name {
            "plan_scan" | "run_scan" => small_order(),
            "get_scan" | "cancel_scan" => json!({"scanId": id}),
            "compare_scans" => json!({"first": id, "second": id}),
            "scan_history" => json!({"scanIds": [id, id]}),
            "list_scans" | "models" => json!({}),
            "score_answers" => {
                json!({"domain": "example.com", "answers": [{"text": "See https://example.com"}]})
            }
            "audit_page" => json!({"html": "<html><title>x</title></html>"}),
            "look_at_website" => json!({"domain": "example.com"}),
            "locate" => json!({"location": "Valencia, Spain"}),
            "propose_questions" => json!({"keyword": "plumber", "location": "Valencia, Spain"}),
            "check_questions" => {
                json!({"keyword": "plumber", "questions": ["Who is a good plumber?", {"text": "plumber"}]})
            }
            other => panic!("no arguments for {other}"),
        };
        let input = jsonschema::validator_for(&tool["inputSchema"]).unwrap();
        assert!(input.is_valid(&arguments), "{name}");
        let answer = call(&client, name, arguments).await;
        assert_eq!(answer["isError"], false, "{name}: {answer}");
        let text: Value = serde_json::from_str(answer["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, answer["structuredContent"], "{name}");
    }
}

#[tokio::test]
async fn a_scan_of_the_tool_is_the_scan_of_the_api() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let scan = call(&client, "run_scan", small_order()).await["structuredContent"].clone();
    let id = scan["scanId"].as_str().unwrap();
    let stored = client.get(&format!("/api/v1/scan/{id}")).await;
    assert_eq!(
        stored.json()["result"]["overallScore"],
        scan["result"]["overallScore"]
    );
    let address = json!({"uri": scan["resource"]});
    let resource = result(keyed(message(&client, "resources/read", &address))).await;
    assert_eq!(resource["contents"][0]["text"], stored.text);
    // A scan of the API is in the list, too.
    let other = client.scan(&small_order()).await.json();
    let listed = call(&client, "list_scans", json!({})).await;
    let scans = listed["structuredContent"]["scans"].as_array().unwrap().clone();
    assert_eq!(scans.len(), 2);
    assert_eq!(scans[0]["scanId"], other["scanId"]);
    assert_eq!(scans[1]["status"], "complete");
}

#[tokio::test]
async fn without_a_key_only_free_tools_work_and_a_wrong_key_is_refused() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let anonymous = |tool: &str, arguments: Value| {
        message(
            &client,
            "tools/call",
            &json!({"name": tool, "arguments": arguments}),
        )
    };
    let plan = result(anonymous("plan_scan", small_order())).await;
    assert_eq!(plan["structuredContent"]["calls"], 1);
    assert_eq!(plan["structuredContent"]["precision"]["coreQuestions"], 1);
    for (tool, arguments) in [
        ("run_scan", small_order()),
        ("list_scans", json!({})),
        ("audit_page", json!({"html": "<p>x"})),
    ] {
        let refused = result(anonymous(tool, arguments)).await;
        assert_eq!(refused["isError"], true, "{tool}");
        assert!(
            refused["content"][0]["text"]
                .as_str()
                .unwrap()
                .contains("\"unauthorized\""),
            "{tool}"
        );
    }
    let wrong = message(&client, "tools/list", &json!({})).bearer_auth("wrong");
    assert_eq!(Reply::of(wrong).await.status, 401);
    let keyless = message(
        &client,
        "tools/call",
        &json!({"name": "run_scan", "arguments": small_order()}),
    );
    let keyless = result(keyless.bearer_auth(API_KEY)).await;
    assert!(
        keyless["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("X-Router-Key")
    );
}

#[tokio::test]
async fn a_scan_above_the_limit_asks_first() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let mut dear = small_order();
    dear["maxCostUsd"] = json!(0.000_1);
    // A client of the older revision cannot be asked over HTTP.
    let refused = call(&client, "run_scan", dear.clone()).await;
    assert_eq!(refused["isError"], true);
    assert!(
        refused["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("plan_too_expensive")
    );
    let capabilities = json!({"elicitation": {}});
    let mut params = json!({"name": "run_scan", "arguments": dear});
    let asked = result(modern(
        &client,
        "tools/call",
        "run_scan",
        params.clone(),
        &capabilities,
    ))
    .await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    params["requestState"] = asked["requestState"].clone();
    for (action, agreed, error) in [
        ("accept", true, false),
        ("accept", false, true),
        ("decline", true, true),
    ] {
        params["inputResponses"] = json!({"confirmCost": {"action": action, "content": {"run": agreed}}});
        let answer = result(modern(
            &client,
            "tools/call",
            "run_scan",
            params.clone(),
            &capabilities,
        ))
        .await;
        assert_eq!(answer["isError"], error, "{action} {agreed}: {answer}");
    }
    // An answer to a question about another cost does not count.
    params["requestState"] = json!("0.0000001");
    params["inputResponses"] = json!({"confirmCost": {"action": "accept", "content": {"run": true}}});
    let again = result(modern(&client, "tools/call", "run_scan", params, &capabilities)).await;
    assert_eq!(again["resultType"], "input_required");
    assert_eq!(
        call(&client, "list_scans", json!({})).await["structuredContent"]["scans"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn a_client_with_the_extension_gets_a_task() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let params = json!({"name": "run_scan", "arguments": small_order()});
    let created = result(modern(&client, "tools/call", "run_scan", params, &capabilities)).await;
    assert_eq!(created["resultType"], "task", "{created}");
    let id = created["taskId"].as_str().unwrap().to_owned();
    let task = loop {
        let task = result(modern(
            &client,
            "tasks/get",
            &id,
            json!({"taskId": id}),
            &capabilities,
        ))
        .await;
        if task["status"] != "working" {
            break task;
        }
    };
    assert_eq!(task["status"], "completed", "{task}");
    assert_eq!(task["result"]["structuredContent"]["scanId"], json!(id));
    let unknown = modern(&client, "tasks/get", "x", json!({"taskId": "x"}), &capabilities);
    assert_eq!(Reply::of(unknown).await.json()["error"]["code"], -32602);
}

#[tokio::test]
async fn the_list_of_tools_is_short() {
    let server = TestServer::spawn();
    let reply = Reply::of(message(&ApiClient::of(&server), "tools/list", &json!({}))).await;
    assert_eq!(reply.json()["result"]["ttlMs"], 3_600_000, "no second fetch");
    let listed = reply.json()["result"]["tools"].clone();
    // Hosts refuse these.
    for refused in ["$ref", "anyOf", "oneOf", "\"type\":["] {
        assert!(!listed.to_string().contains(refused), "{refused}: {listed}");
    }
    for tool in listed.as_array().unwrap() {
        let text = tool.to_string();
        assert!(text.len() <= 1_024, "{} bytes: {text}", text.len());
    }
}

#[tokio::test]
async fn answers_of_a_scan_come_in_pages() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let order = json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain", "rings": [1, 2], "maxCostUsd": 100});
    let scan = call(&client, "run_scan", order).await["structuredContent"].clone();
    let id = scan["scanId"].as_str().unwrap();
    let stored = client.get(&format!("/api/v1/scan/{id}/answers")).await;
    assert!(stored.text.len() > 64 << 10, "{} bytes", stored.text.len());
    let read = async |address: &str| {
        let read = message(&client, "resources/read", &json!({"uri": address}));
        let read = Reply::of(keyed(read)).await.json();
        match read["result"]["contents"][0]["text"].as_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(read["error"]["code"].clone()),
        }
    };
    let mut answers = Vec::new();
    let mut next = json!(format!("ibid://scan/{id}/answers"));
    while let Some(address) = next.as_str() {
        let text = read(address).await.unwrap();
        assert!(text.len() <= 40 << 10, "{address}: {} bytes", text.len());
        let page: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(page["domain"], "example.com");
        answers.extend(page["answers"].as_array().unwrap().clone());
        next = page["next"].clone();
    }
    assert_eq!(json!(answers), stored.json()["answers"]);
    for wrong in [
        "answers?page=0",
        "answers?page=9999",
        "answers?page=x",
        "answers?side=1",
    ] {
        let address = format!("ibid://scan/{id}/{wrong}");
        assert!(read(&address).await.is_err(), "{wrong}");
    }
}

#[tokio::test]
async fn faults_of_the_transport_are_errors_of_json_rpc() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let post = |body: &str| message(&client, "", &json!({})).body(body.to_owned());
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let cases = [
        (post(r#"{"jsonrpc":"#), 400, -32700),
        (post(""), 400, -32700),
        (post("[1,2]"), 400, -32600),
        (
            post(
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"x402/payment":1,"x402/payment":2}}}"#,
            ),
            400,
            -32600,
        ),
        (post(r#"{"jsonrpc":"2.0","id":1}"#), 400, -32600),
        (
            post(r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#),
            400,
            -32600,
        ),
        (
            post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#),
            200,
            -32602,
        ),
        (
            post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#),
            200,
            -32602,
        ),
        (
            post(
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"models","arguments":[]}}"#,
            ),
            200,
            -32602,
        ),
        (
            post(r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}"#),
            200,
            -32602,
        ),
        (
            post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/burn"}"#),
            200,
            -32601,
        ),
        (post(list).header("Origin", "https://evil.example"), 403, -32600),
        (
            client
                .bare(Method::POST, "/mcp")
                .header("Accept", "text/html")
                .header("Content-Type", "application/json")
                .body(list),
            406,
            -32600,
        ),
    ];
    for (request, status, code) in cases {
        let reply = Reply::of(request).await;
        assert_eq!(reply.status.as_u16(), status, "{}", reply.text);
        assert_eq!(reply.header("content-type"), "application/json");
        let error = reply.json();
        assert_eq!(
            (&error["jsonrpc"], &error["error"]["code"]),
            (&json!("2.0"), &json!(code)),
            "{error}"
        );
        assert_ne!(error["error"]["message"], "", "{error}");
        assert_eq!(error.get("id"), (status == 200).then_some(&json!(1)), "{error}");
    }
}

#[tokio::test]
async fn the_address_may_end_like_a_folder() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let mut answers = Vec::new();
    for (path, accept) in [
        ("/mcp", "application/json, text/event-stream"),
        ("/mcp/", "application/json, text/event-stream"),
        ("/mcp", "*/*"),
        ("/mcp", "text/html, */*"),
    ] {
        let request = client.bare(Method::POST, path).json(&body);
        answers.push(Reply::of(request.header("Accept", accept)).await.text);
        let get = Reply::of(client.bare(Method::GET, path)).await;
        assert_eq!((get.status.as_u16(), get.header("allow")), (405, "POST"));
    }
    assert!(answers.iter().all(|answer| answer == &answers[0]), "{answers:?}");
    assert!(answers[0].contains("plan_scan"));
}

#[tokio::test]
async fn pages_of_other_sites_are_refused() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let foreign = message(&client, "tools/list", &json!({})).header("Origin", "https://evil.example");
    assert_eq!(Reply::of(foreign).await.status, 403);
}
