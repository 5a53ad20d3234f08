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
fn keyed(request: RequestBuilder) -> RequestBuilder {
    request.bearer_auth(API_KEY).header("X-Router-Key", "sk-test")
}

pub(crate) async fn result(request: RequestBuilder) -> Value {
    let reply = Reply::of(request).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["result"].clone()
}

/// Calls a tool with keys.
async fn call(client: &ApiClient, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    result(keyed(message(client, "tools/call", &params))).await
}

/// A message of the newer revision, from a client with these capabilities.
fn modern(
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
async fn every_tool_has_schemas_and_answers_by_them() {
    let server = Setup::default()
        .selling(Arc::new(SandboxFacilitator::new()))
        .spawn();
    let client = ApiClient::of(&server);
    let listed = result(message(&client, "tools/list", &json!({}))).await;
    let tools = listed["tools"].as_array().unwrap();
    assert!(tools.len() <= 10);
    let scan = call(&client, "run_scan", small_order()).await;
    let id = scan["structuredContent"]["scanId"].clone();
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let arguments = match name {
            "plan_scan" | "run_scan" => small_order(),
            "get_scan" => json!({"scanId": id}),
            "compare_scans" => json!({"first": id, "second": id}),
            "list_scans" | "models" => json!({}),
            "score_answers" => {
                json!({"domain": "example.com", "answers": [{"text": "See https://example.com"}]})
            }
            "audit_page" => json!({"html": "<html><title>x</title></html>"}),
            "locate" => json!({"location": "Valencia, Spain"}),
            other => panic!("no arguments for {other}"),
        };
        let input = jsonschema::validator_for(&tool["inputSchema"]).unwrap();
        assert!(input.is_valid(&arguments), "{name}");
        let answer = call(&client, name, arguments).await;
        assert_eq!(answer["isError"], false, "{name}: {answer}");
        let output = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
        let faults: Vec<_> = output
            .iter_errors(&answer["structuredContent"])
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{name}: {faults:?}");
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
async fn pages_of_other_sites_are_refused() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let foreign = message(&client, "tools/list", &json!({})).header("Origin", "https://evil.example");
    assert_eq!(Reply::of(foreign).await.status, 403);
}
