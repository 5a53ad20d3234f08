//! The walk of docs/A2A.md: every body that the page prints is sent, and the page's answers are those of the server.

use crate::client::{Outcome, PATH, id, state};
use ibid_model::Product;
use ibid_tests::receiver::Receiver;
use ibid_tests::{Method, Reply};
use serde_json::Value;

const PAGE: &str = include_str!("../../docs/A2A.md");

/// The bodies of the shell examples, and the requests printed as JSON.
fn bodies(page: &str) -> Vec<String> {
    let sent = page
        .split("<<'BODY'\n")
        .skip(1)
        .map(|rest| rest.split("\nBODY").next().unwrap().to_owned());
    let printed = page
        .split("```json\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().to_owned());
    sent.chain(printed)
        .filter(|body| body.contains("\"method\""))
        .collect()
}

fn method(body: &str) -> String {
    serde_json::from_str::<Value>(body).unwrap_or_else(|error| panic!("{error}: {body}"))["method"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn the_page_can_be_walked() {
    let mut receiver = Receiver::spawn();
    let shop = crate::push::shop(&receiver);
    let bodies = bodies(PAGE);
    let methods: Vec<String> = bodies.iter().map(|body| method(body)).collect();
    for wanted in ["message/send", "message/stream", "tasks/get", "tasks/cancel"] {
        assert!(
            methods.iter().any(|method| method == wanted),
            "{wanted}: {methods:?}"
        );
    }
    let mut task = String::new();
    for body in &bodies {
        let mut call: Value = serde_json::from_str(
            &body
                .replace("TASK", &task)
                .replace("http://127.0.0.1:9000/notify", &receiver.url("/notify")),
        )
        .unwrap();
        let request = |call: &Value| shop.agent.buyer.bare(Method::POST, PATH).json(call);
        match call["method"].as_str().unwrap() {
            "message/stream" => {
                let text = Reply::of(request(&call)).await.text;
                assert!(
                    text.starts_with("data: {") && text.contains(r#""final":true"#),
                    "{text}"
                );
            }
            "message/send" => {
                let payload = call.pointer_mut("/params/message/metadata/x402.payment.payload");
                let paid = payload.is_some();
                if let Some(payload) = payload {
                    // The page cannot print a signature that is still valid; the form is the page's.
                    let signed = shop.agent.payment(Product::Scan).payload().clone();
                    assert_eq!(members(payload), members(&signed));
                    *payload = signed;
                }
                let answer = Reply::of(request(&call)).await.json().result();
                assert_eq!(
                    state(&answer),
                    if paid { "completed" } else { "input-required" },
                    "{body}"
                );
                task = id(&answer);
            }
            "tasks/get" => assert_eq!(id(&Reply::of(request(&call)).await.json().result()), task),
            "tasks/cancel" => assert_eq!(Reply::of(request(&call)).await.json().code(), -32002),
            other => panic!("{other}"),
        }
    }
    assert_eq!(receiver.next().await.path, "/notify");
}

/// The names of all members, nested ones too.
fn members(value: &Value) -> Vec<String> {
    match value {
        Value::Object(object) => object
            .iter()
            .flat_map(|(name, value)| std::iter::once(name.clone()).chain(members(value)))
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_code_and_word_of_the_page_is_ours() {
    for code in [
        "-32700",
        "-32600",
        "-32601",
        "-32602",
        "-32603",
        "-32001",
        "-32002",
        "-32003",
        "-32004",
        "-32005",
        "-32007",
        "-32050",
        "-32051",
        "-32052",
        "-32053",
        "-32054",
        "plan_too_expensive",
        "location_not_found",
        "malformed_payment",
    ] {
        assert!(PAGE.contains(code), "{code}");
    }
}
