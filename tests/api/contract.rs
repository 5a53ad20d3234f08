//! The contract to the letter: the documents that describe the service, its offers and its refusals.
//!
//! A difference here is a change that callers see.

use crate::v1_upstream::behind;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ibid_model::{Product, X402Version};
use ibid_provider::{Router, RouterConfig};
use ibid_tests::buyer::{draft, paid, quote, small_purchase};
use ibid_tests::fake_router::{FakeRouter, Reply as Answer, Script as Answers};
use ibid_tests::{API_KEY, ApiClient, Buyer, Reply, Setup, TestServer, small_order};
use ibid_x402::sandbox::Script;
use ibid_x402::{Outage, SandboxFacilitator};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::sync::Arc;

const PAID: [&str; 6] = ["scan", "radius", "audit", "full", "watch", "my-receipts"];

/// A server for each part of the price list that a deployment may sell.
fn servers() -> [(&'static str, TestServer); 3] {
    let selling = || Setup::default().selling(Arc::new(SandboxFacilitator::new()));
    let audits = selling().tune(|service| {
        let mut paid = paid(Arc::new(SandboxFacilitator::new()));
        paid.key = None;
        service.paid = Some(paid);
    });
    [
        ("everything", selling().spawn()),
        ("audits", audits.spawn()),
        ("nothing", TestServer::spawn()),
    ]
}

/// One member a line, so that a difference can be read. JSON has no line ends of its own: nothing else is changed.
fn lines(text: &str) -> String {
    assert!(!text.contains('\n'));
    let text = text.replace(env!("CARGO_PKG_VERSION"), "[version]");
    text.replace(",\"", ",\n\"").replace("\":{\"", "\":{\n\"")
}

async fn get(server: &TestServer, path: &str) -> String {
    let reply = Reply::of(ApiClient::of(server).bare(Method::GET, path)).await;
    assert_eq!(reply.status, 200, "{path}");
    reply.text
}

/// Removes the members `x-payment-info`, the only ones that depend on what is sold. Returns them with their paths.
fn take_prices(openapi: &mut Value) -> Vec<String> {
    let mut prices = Vec::new();
    for (path, operations) in openapi["paths"].as_object_mut().unwrap() {
        for operation in operations.as_object_mut().unwrap().values_mut() {
            let info = operation
                .as_object_mut()
                .and_then(|operation| operation.remove("x-payment-info"));
            prices.extend(info.map(|info| format!("{path} {info}")));
        }
    }
    prices
}

#[tokio::test]
async fn the_documents_look_like_this() {
    for (sold, server) in servers() {
        let card = get(&server, "/.well-known/agent.json").await;
        assert_eq!(card, get(&server, "/.well-known/agent-card.json").await);
        insta::assert_snapshot!(format!("card_{sold}"), lines(&card));
        insta::assert_snapshot!(format!("llms_{sold}"), get(&server, "/llms.txt").await);
        let mut openapi: Value = serde_json::from_str(&get(&server, "/openapi.json").await).unwrap();
        let prices = take_prices(&mut openapi);
        insta::assert_snapshot!(format!("openapi_prices_{sold}"), prices.join("\n"));
        insta::assert_snapshot!("openapi", lines(&openapi.to_string()));
    }
}

#[tokio::test]
async fn the_card_of_a_real_service_looks_like_this() {
    ibid_tests::install_tls();
    let router = Router::new(&RouterConfig::new("http://127.0.0.1:9/".parse().unwrap())).unwrap();
    let server = Setup::default().provider(Arc::new(router)).spawn();
    insta::assert_snapshot!("card_real", lines(&get(&server, "/.well-known/agent.json").await));
}

/// The offer of version 2, which travels in a header.
fn header(reply: &Reply) -> String {
    let bytes = STANDARD.decode(reply.header("payment-required")).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn offer(reply: &Reply) -> String {
    assert_eq!(reply.status, 402, "{}", reply.text);
    format!(
        "{}\n\nPAYMENT-REQUIRED\n{}",
        lines(&reply.text),
        lines(&header(reply))
    )
}

#[tokio::test]
async fn the_offers_look_like_this() {
    for (sold, server) in servers() {
        let buyer = Buyer::of(&server);
        for path in PAID {
            let reply = buyer.ask(&format!("/api/a2a/{path}"), &json!({})).await;
            match reply.status.as_u16() {
                402 => insta::assert_snapshot!(format!("offer_{sold}_{path}"), offer(&reply)),
                status => assert_eq!((status, reply.code().as_str()), (503, "paid_surface_disabled")),
            }
        }
    }
}

#[tokio::test]
async fn a_refused_payment_is_offered_again() {
    let facilitator = Arc::new(SandboxFacilitator::new());
    let server = Setup::default().selling(Arc::clone(&facilitator) as _).spawn();
    let buyer = Buyer::of(&server);
    let dear = draft(&quote(Product::Full), X402Version::V1).sign(&buyer.wallet);
    let refused = buyer.send("/api/a2a/scan", &dear, &small_purchase()).await;
    insta::assert_snapshot!("offer_after_wrong_amount", offer(&refused));
    facilitator.script_settle(Script::Refuse("insufficient_funds".to_owned()));
    let unsettled = buyer
        .buy("/api/a2a/scan", Product::Scan, X402Version::V2, &small_purchase())
        .await;
    insta::assert_snapshot!("offer_after_settlement", offer(&unsettled));
}

/// The lines of several problem documents, each below what was done.
#[derive(Default)]
struct Problems(String);

impl Problems {
    async fn add(&mut self, name: &str, request: RequestBuilder) {
        let reply = Reply::of(request.header("X-Request-Id", "snapshot")).await;
        assert_eq!(
            reply.header("content-type"),
            "application/problem+json",
            "{name}: {}",
            reply.text
        );
        let id = reply.json()["scanId"].as_str().unwrap_or("no id").to_owned();
        let text = reply.text.replace(&id, "[id of the run]");
        self.0.push_str(&format!("# {name}\n{}\n\n", lines(&text)));
    }
}

#[tokio::test]
async fn the_problems_of_a_healthy_service_look_like_this() {
    let [(_, server), (_, audits), (_, nothing)] = servers();
    let client = ApiClient::of(&server);
    let mut problems = Problems::default();
    let post = |client: &ApiClient, path: &str, body: Value| client.bare(Method::POST, path).json(&body);
    let scan = |body: Value| client.scan_request(&body);
    let large = json!({"domain": "example.com", "keyword": "crm", "location": "Lyon, France", "keywordsPerRing": 50,
                       "queriesPerKeyword": 10});
    problems.add("not an object", scan(json!([]))).await;
    problems.add("every field wrong", scan(json!({
        "domain": "localhost", "keyword": 7, "location": "", "tier": "pro", "language": "english",
        "brandNames": ["ok", 1], "learnNames": 1, "models": ["model-1-latest", "gpt", 3], "rings": [0, "1", 1.5],
        "questionsPerModel": 0, "keywordsPerRing": "5", "queriesPerKeyword": 2.5
    }))).await;
    problems.add("no field", scan(json!({}))).await;
    problems.add("too many of everything", scan(json!({
        "domain": "a.com", "keyword": "k", "brandNames": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"],
        "models": [], "rings": vec![1; 101], "tier": 1
    }))).await;
    problems
        .add(
            "radius without a place",
            post(&client, "/api/a2a/radius", small_purchase()),
        )
        .await;
    problems
        .add(
            "unknown place",
            scan(json!({"domain": "example.com", "keyword": "crm", "location": "Atlantyda, Spain"})),
        )
        .await;
    problems.add("plan too large", scan(large.clone())).await;
    problems
        .add(
            "plan too expensive",
            post(
                &client,
                "/api/a2a/scan",
                json!({"domain": "example.com", "keyword": "crm",
        "location": "Lyon, France", "rings": [1, 2, 3], "keywordsPerRing": 5}),
            ),
        )
        .await;
    let keyless = || client.bare(Method::POST, "/api/v1/scan").bearer_auth(API_KEY);
    problems
        .add("no provider key", keyless().json(&small_order()))
        .await;
    problems
        .add("no provider key, and no field", keyless().json(&json!({})))
        .await;
    problems
        .add(
            "provider key with a blank",
            keyless().header("X-Router-Key", "a b").json(&small_order()),
        )
        .await;
    problems
        .add(
            "bad payment",
            post(&client, "/api/a2a/scan", small_purchase()).header("X-PAYMENT", "%"),
        )
        .await;
    problems
        .add(
            "two payments",
            post(&client, "/api/a2a/scan", small_purchase())
                .header("X-PAYMENT", "a")
                .header("X-PAYMENT", "b"),
        )
        .await;
    problems
        .add(
            "private page",
            post(&client, "/api/a2a/audit", json!({"url": "http://127.0.0.1/"})),
        )
        .await;
    problems
        .add(
            "no page",
            post(&client, "/api/a2a/audit", json!({"html": 1, "x": 1})),
        )
        .await;
    problems
        .add(
            "no cursor",
            post(
                &client,
                "/api/a2a/my-receipts",
                json!({"cursor": "x", "limit": 0}),
            ),
        )
        .await;
    problems
        .add(
            "no bearer key",
            client.bare(Method::POST, "/api/v1/scan").json(&small_order()),
        )
        .await;
    problems
        .add(
            "no session",
            post(&client, "/api/app/scan", small_order()).header("Sec-Fetch-Site", "same-origin"),
        )
        .await;
    problems
        .add("another site", post(&client, "/api/app/scan", small_order()))
        .await;
    problems
        .add("no such path", client.bare(Method::GET, "/nowhere"))
        .await;
    problems
        .add(
            "no such scan",
            client.bare(Method::GET, "/api/v1/scan/1").bearer_auth(API_KEY),
        )
        .await;
    problems
        .add("nothing bought", client.bare(Method::GET, "/api/a2a/scan/1"))
        .await;
    problems
        .add("another method", client.bare(Method::PUT, "/api/v1/models"))
        .await;
    problems
        .add(
            "another type",
            client.bare(Method::POST, "/api/a2a/scan").body("a"),
        )
        .await;
    problems
        .add(
            "too many bytes",
            post(&client, "/api/a2a/scan", json!({"domain": "a".repeat(70_000)})),
        )
        .await;
    problems
        .add(
            "nothing is sold",
            post(&ApiClient::of(&nothing), "/api/a2a/scan", small_purchase()),
        )
        .await;
    problems
        .add(
            "only audits are sold",
            post(&ApiClient::of(&audits), "/api/a2a/scan", small_purchase()),
        )
        .await;
    insta::assert_snapshot!("problems", problems.0);
}

#[tokio::test]
async fn the_problems_of_others_look_like_this() {
    let mut problems = Problems::default();
    for (status, name) in [(401, "key rejected"), (402, "no credit"), (503, "no answer")] {
        let fake = FakeRouter::spawn();
        fake.on_model(
            "~openai/gpt-sol-latest",
            Answers::always(Answer::error(status, json!({}))),
        );
        let server = behind(&fake);
        problems
            .add(name, ApiClient::of(&server).scan_request(&small_order()))
            .await;
    }
    let facilitator = Arc::new(SandboxFacilitator::new());
    let server = Setup::default().selling(Arc::clone(&facilitator) as _).spawn();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    facilitator.script_verify(Script::Fail(Outage::Timeout));
    problems
        .add(
            "no verdict",
            buyer.request("/api/a2a/scan", &payment, &small_purchase()),
        )
        .await;
    for _ in 0..3 {
        facilitator.script_settle(Script::Fail(Outage::Timeout));
    }
    problems
        .add(
            "no outcome",
            buyer.request("/api/a2a/scan", &payment, &small_purchase()),
        )
        .await;
    server.service.set_router_reachable(false);
    problems
        .add("not ready", ApiClient::of(&server).bare(Method::GET, "/readyz"))
        .await;
    insta::assert_snapshot!("problems_of_others", problems.0);
}

/// Returns the text of the agent's answer to a data part, or the error.
async fn answer(server: &TestServer, data: &Value) -> String {
    let message = json!({"role": "user", "messageId": "m-1", "parts": [{"kind": "data", "data": data}]});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}});
    let reply = Buyer::of(server).ask("/api/a2a/jsonrpc", &call).await.json();
    let said = reply
        .pointer("/result/status/message/parts")
        .or(reply.get("error"));
    lines(&said.unwrap().to_string())
}

#[tokio::test]
async fn the_words_of_the_agent_look_like_this() {
    for (sold, server) in servers() {
        let mut said = String::new();
        for data in [
            json!({}),
            json!({"skill": "scan"}),
            json!({"skill": "radius"}),
            json!({"skill": "audit"}),
            json!({"skill": "full"}),
            json!({"skill": "my-receipts"}),
            json!({"skill": "none"}),
            json!({"domain": "example.com", "keyword": "crm"}),
            json!({"url": "http://127.0.0.1/"}),
            json!({"domain": "localhost", "keyword": 7, "rings": [7]}),
            json!({"domain": "example.com", "keyword": "crm", "location": "Atlantyda, Spain"}),
            json!({"domain": "example.com", "keyword": "crm", "location": "Lyon, France", "rings": [1, 2],
                   "keywordsPerRing": 50, "queriesPerKeyword": 10}),
            json!({"domain": "example.com", "keyword": "crm", "location": "Lyon, France", "rings": [1, 2, 3],
                   "keywordsPerRing": 5}),
        ] {
            said.push_str(&format!("# {data}\n{}\n\n", answer(&server, &data).await));
        }
        insta::assert_snapshot!(format!("agent_{sold}"), said);
    }
}

#[test]
fn the_explained_codes_are_these() {
    let rows = ibid_model::contract::PROBLEMS.iter().map(|row| {
        format!(
            "{} {}\n  {}\n  {}\n",
            row.status, row.word, row.meaning, row.remedy
        )
    });
    insta::assert_snapshot!("codes", rows.collect::<String>());
}
