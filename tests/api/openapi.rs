//! The OpenAPI document tells the truth.

use ibid_model::Product;
use ibid_tests::{API_KEY, ApiClient, Reply, TestServer, small_order};
use reqwest::Method;
use serde_json::{Value, json};

async fn document(client: &ApiClient) -> Value {
    let reply = Reply::of(client.bare(Method::GET, "/openapi.json")).await;
    assert_eq!(reply.status, 200);
    reply.json()
}

/// Checks a body against a named schema of the document.
fn check(document: &Value, schema: &str, body: &Value) {
    let root = json!({"$schema": "https://json-schema.org/draft/2020-12/schema",
                      "$ref": format!("#/components/schemas/{schema}"), "components": document["components"]});
    let validator = jsonschema::validator_for(&root).unwrap();
    let faults: Vec<_> = validator
        .iter_errors(body)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{schema}: {faults:#?}");
}

#[tokio::test]
async fn live_answers_fit_their_schemas() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let document = document(&client).await;
    let order = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"});
    check(&document, "ScanRequest", &order);
    let scan = client.scan(&order).await.json();
    check(&document, "ScanReply", &scan);
    let id = scan["scanId"].as_str().unwrap();
    check(
        &document,
        "StoredScan",
        &client.get(&format!("/api/v1/scan/{id}")).await.json(),
    );
    check(
        &document,
        "Evidence",
        &client.get(&format!("/api/v1/scan/{id}/answers")).await.json(),
    );
    check(
        &document,
        "StoredScan",
        &client.get(&format!("/api/v1/scan/{id}/rescored")).await.json(),
    );
    let again = client.scan(&order).await.json();
    let other = again["scanId"].as_str().unwrap();
    check(
        &document,
        "Comparison",
        &client
            .get(&format!("/api/v1/scan/{id}/compare/{other}"))
            .await
            .json(),
    );
    check(&document, "Models", &client.get("/api/v1/models").await.json());
    check(&document, "Problem", &client.scan(&json!({})).await.json());
    check(&document, "Problem", &client.get("/nowhere").await.json());
}

#[tokio::test]
async fn bought_answers_fit_their_schemas() {
    let facilitator = std::sync::Arc::new(ibid_x402::SandboxFacilitator::new());
    let server = ibid_tests::Setup::default().selling(facilitator).spawn();
    let (client, buyer) = (ApiClient::of(&server), ibid_tests::Buyer::of(&server));
    let document = document(&client).await;
    let order = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"});
    let version = ibid_model::X402Version::V2;
    for (path, product, request, reply) in [
        ("scan", Product::Scan, "PaidScanRequest", "StoredScan"),
        ("radius", Product::Radius, "RadiusRequest", "StoredScan"),
        ("full", Product::Full, "FullRequest", "FullReply"),
    ] {
        check(&document, request, &order);
        let path = format!("/api/a2a/{path}");
        check(
            &document,
            "PaymentRequired",
            &buyer.ask(&path, &order).await.json(),
        );
        check(
            &document,
            reply,
            &buyer.buy(&path, product, version, &order).await.json(),
        );
    }
    let page = json!({"url": "https://example.com/"});
    check(&document, "AuditRequest", &page);
    let audit = buyer.buy("/api/a2a/audit", Product::Audit, version, &page).await;
    check(&document, "AuditReply", &audit.json());
    check(
        &document,
        "ReceiptPage",
        &buyer.receipts(&json!({"limit": 3})).await.json(),
    );
}

#[tokio::test]
async fn every_path_in_the_document_is_served() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let document = document(&client).await;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let request = client
                .bare(
                    method.clone(),
                    &path
                        .replace("{id}", "0")
                        .replace("{other}", "1")
                        .replace("{delivery}", "1"),
                )
                .bearer_auth(API_KEY)
                .json(&small_order());
            let reply = Reply::of(request).await;
            let unserved = reply.status == 405 || (reply.status == 404 && reply.code() == "not_found");
            assert!(!unserved, "{method} {path}: {}", reply.text);
        }
    }
}

#[tokio::test]
async fn every_reference_in_the_document_resolves() {
    let server = TestServer::spawn();
    let document = document(&ApiClient::of(&server)).await;
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 10);
    for reference in references {
        assert!(
            document.pointer(reference.trim_start_matches('#')).is_some(),
            "{reference}"
        );
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            references.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| collect(member, references));
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect(element, references)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn a_custom_model_table_is_described() {
    let table = json!({"model": [{"alias": "local", "name": "Llama", "candidates": ["llama3.2:3b"], "grounding": "none",
        "prices": {"prompt_per_million": 0, "completion_per_million": 0, "per_request": 0, "per_search": 0}}]});
    let catalog: ibid_model::Catalog = serde_json::from_value(table).unwrap();
    let facilitator = std::sync::Arc::new(ibid_x402::SandboxFacilitator::new());
    let server = ibid_tests::Setup::default()
        .selling(facilitator)
        .tune(|service| service.catalog = catalog)
        .spawn();
    let client = ApiClient::of(&server);
    let schemas = &document(&client).await["components"]["schemas"];
    for request in ["ScanRequest", "PaidScanRequest", "RadiusRequest", "FullRequest"] {
        let models = &schemas[request]["properties"]["models"];
        let about = models["description"].as_str().unwrap();
        assert!(about.contains(r#"Default: `["local"]`."#), "{request}: {about}");
    }
    let offer = ibid_tests::Buyer::of(&server)
        .ask("/api/a2a/scan", &json!({}))
        .await
        .json();
    let models = &offer["accepts"][0]["outputSchema"]["input"]["bodyFields"]["models"];
    assert_eq!(models["default"], json!(["local"]));
}
