//! The card, the extension header, and what else is found before a call (section 1 of the protocol).

use crate::client::{Agent, Outcome, PATH, asks, id, message, small_scan, state, words};
use crate::schema::check;
use crate::shop::Shop;
use ibid_a2a::{PAYMENT_EXTENSION, PAYMENT_EXTENSIONS};
use ibid_audit::Auditor;
use ibid_audit::fetch::FetchConfig;
use ibid_model::Product;
use ibid_service::{Pages, Paid};
use ibid_tests::{Method, Reply, Setup};
use ibid_x402::SandboxFacilitator;
use serde_json::{Value, json};
use std::sync::Arc;

async fn read(agent: &Agent, path: &str) -> Reply {
    Reply::of(agent.buyer.bare(Method::GET, path)).await
}

#[tokio::test]
async fn the_card_is_at_both_addresses() {
    let shop = Shop::open();
    let [old, new] = ["/.well-known/agent.json", "/.well-known/agent-card.json"];
    let (old, new) = (read(&shop.agent, old).await, read(&shop.agent, new).await);
    assert_eq!(
        (old.status.as_u16(), old.header("content-type")),
        (200, "application/json")
    );
    assert_eq!(old.text, new.text);
    let card = old.json();
    check("AgentCard", &card);
    assert_eq!(
        (&card["protocolVersion"], &card["preferredTransport"]),
        (&json!("0.2.6"), &json!("JSONRPC"))
    );
    assert_eq!(card["url"], format!("http://ibid.test{PATH}"));
    assert_eq!(card["capabilities"]["streaming"], true);
    assert!(card.get("securitySchemes").is_none() && card.get("security").is_none());
    assert_eq!(
        card["supportedInterfaces"],
        json!([
            {"url": card["url"], "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": "http://ibid.test/api/a2a/v1", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
            {"url": card["url"], "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
        ])
    );
    let extensions = card["capabilities"]["extensions"].as_array().unwrap();
    let declared = extensions
        .iter()
        .map(|one| (one["uri"].as_str().unwrap(), &one["required"]));
    assert_eq!(
        declared.collect::<Vec<_>>(),
        PAYMENT_EXTENSIONS.map(|uri| (uri, &json!(false)))
    );
    let tag = old.header("etag").to_owned();
    assert!(tag.starts_with('"'), "{tag}");
    let known = |tag: String| {
        let request = shop.agent.buyer.bare(Method::GET, "/.well-known/agent-card.json");
        Reply::of(request.header("If-None-Match", tag))
    };
    let same = known(format!("\"other\", W/{tag}")).await;
    assert_eq!((same.status.as_u16(), same.text.as_str()), (304, ""));
    assert_eq!(known("\"other\"".to_owned()).await.status, 200);
    let head = Reply::of(shop.agent.buyer.bare(Method::HEAD, "/.well-known/agent.json")).await;
    assert_eq!((head.status.as_u16(), head.text.as_str()), (200, ""));
}

#[tokio::test]
async fn every_example_of_the_card_works_when_it_is_pasted() {
    let shop = Shop::open();
    let card = read(&shop.agent, "/.well-known/agent-card.json").await.json();
    let skills = card["skills"].as_array().unwrap();
    let ids: Vec<&str> = skills.iter().map(|skill| skill["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["scan", "radius", "audit", "full", "my-receipts"]);
    for skill in skills {
        let example = skill["examples"][0].as_str().unwrap();
        let task = shop.agent.send(words(example)).await.result();
        let offer = &task["status"]["message"]["metadata"]["x402.payment.required"]["accepts"][0];
        assert_eq!(
            (state(&task), &task["metadata"]["skill"]),
            ("input-required", &skill["id"]),
            "{example}"
        );
        let price = offer["maxAmountRequired"].as_str().unwrap();
        let listed =
            &card["capabilities"]["extensions"][0]["params"]["prices"][skill["id"].as_str().unwrap()];
        assert_eq!(listed, price);
        let resource = format!("http://ibid.test{PATH}#{}", skill["id"].as_str().unwrap());
        assert_eq!(offer["resource"], resource);
    }
}

#[tokio::test]
async fn an_activated_extension_is_echoed_under_the_name_that_was_used() {
    let shop = Shop::open();
    let send = |name: Option<&'static str>, value: String| {
        let request = shop
            .agent
            .request("message/send", &json!({"message": words("hello")}));
        Reply::of(match name {
            Some(name) => request.header(name, value),
            None => request,
        })
    };
    let echoed =
        |reply: &Reply| ["x-a2a-extensions", "a2a-extensions"].map(|name| reply.header(name).to_owned());
    let list = || format!("https://other.example/v1, {PAYMENT_EXTENSION}");
    let none = || String::new();
    let uri = || PAYMENT_EXTENSION.to_owned();
    assert_eq!(echoed(&send(None, none()).await), [none(), none()]);
    assert_eq!(
        echoed(&send(Some("X-A2A-Extensions"), list()).await),
        [uri(), none()]
    );
    assert_eq!(
        echoed(&send(Some("A2A-Extensions"), uri()).await),
        [none(), uri()]
    );
    // No other version stands in for it, and no client is required to activate it.
    let other = send(Some("X-A2A-Extensions"), format!("{PAYMENT_EXTENSION}.2")).await;
    assert_eq!((echoed(&other), other.status.as_u16()), ([none(), none()], 200));
    // Errors and streams echo it, too.
    let stream = shop
        .agent
        .request("message/stream", &json!({"message": words("hello")}));
    assert_eq!(
        echoed(&Reply::of(stream.header("X-A2A-Extensions", uri())).await),
        [uri(), none()]
    );
    let unknown = shop.agent.request("no/method", &json!({}));
    assert_eq!(
        echoed(&Reply::of(unknown.header("X-A2A-Extensions", uri())).await),
        [uri(), none()]
    );
}

#[tokio::test]
async fn browsers_of_named_origins_may_call() {
    let shop = Shop::open();
    let preflight = shop
        .agent
        .buyer
        .bare(Method::OPTIONS, PATH)
        .header("Origin", "https://wallet.test")
        .header("Access-Control-Request-Method", "POST");
    let reply = Reply::of(preflight).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("access-control-allow-origin")),
        (204, "https://wallet.test")
    );
    assert!(
        reply
            .header("access-control-allow-headers")
            .contains("X-A2A-Extensions")
    );
    for (method, path) in [
        (Method::POST, PATH),
        (Method::GET, "/.well-known/agent-card.json"),
    ] {
        for (origin, allowed) in [
            ("https://wallet.test", "https://wallet.test"),
            ("https://evil.test", ""),
        ] {
            let request = shop
                .agent
                .buyer
                .bare(method.clone(), path)
                .header("Origin", origin)
                .json(&json!({}));
            let reply = Reply::of(request).await;
            assert_eq!(reply.header("access-control-allow-origin"), allowed, "{path}");
            if !allowed.is_empty() {
                assert!(
                    reply
                        .header("access-control-expose-headers")
                        .contains("X-A2A-Extensions")
                );
            }
        }
    }
}

#[tokio::test]
async fn requests_that_are_no_calls_get_http_statuses() {
    let shop = Shop::open();
    let bare = |method| shop.agent.buyer.bare(method, PATH);
    let get = Reply::of(bare(Method::GET)).await;
    assert_eq!((get.status.as_u16(), get.header("allow")), (405, "POST"));
    let typed = Reply::of(bare(Method::POST).header("Content-Type", "text/plain").body("{}")).await;
    assert_eq!(typed.status, 415);
    let long = Reply::of(
        bare(Method::POST)
            .header("Content-Type", "application/json")
            .body(vec![b' '; (4 << 20) + 1]),
    )
    .await;
    assert_eq!(
        (long.status.as_u16(), long.code()),
        (413, "payload_too_large".to_owned())
    );
}

#[tokio::test]
async fn a_server_without_a_seller_lists_no_skills() {
    let server = ibid_tests::TestServer::spawn();
    let agent = Agent::of(&server);
    // Words are free.
    assert_eq!(
        state(&agent.send(words("hello")).await.result()),
        "input-required"
    );
    let answer = agent
        .send(message(json!({"kind": "data", "data": {"skill": "my-receipts"}})))
        .await;
    assert_eq!(answer.refusal(), (-32052, "paid_surface_disabled"));
    let card: Value = read(&agent, "/.well-known/agent.json").await.json();
    check("AgentCard", &card);
}

#[tokio::test]
async fn a_server_without_a_provider_key_sells_audits() {
    let auditor = Auditor::new(FetchConfig::default()).unwrap();
    let keyless = Paid {
        key: None,
        ..ibid_tests::buyer::paid(Arc::new(SandboxFacilitator::new()))
    };
    let server = Setup::default()
        .tune(|service| {
            service.paid = Some(keyless);
            service.pages = Some(Pages::Invented(auditor));
        })
        .spawn();
    let agent = Agent::of(&server);
    let refused = agent.send(asks(small_scan())).await;
    assert_eq!(
        (refused.code(), &refused["error"]["data"]["code"]),
        (-32052, &json!("paid_surface_disabled"))
    );
    let audit = asks(json!({"skill": "audit", "url": "https://example.com/"}));
    let asked = agent.send(audit).await.result();
    assert_eq!(state(&asked), "input-required");
    let payment = agent.payment(Product::Audit);
    let task = agent.send(agent.pays(&id(&asked), &payment)).await.result();
    assert_eq!(state(&task), "completed");
}
