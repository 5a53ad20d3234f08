//! Watching, receipts, audits and bundles, browsers, and a service that sells nothing.

use crate::paid::{SCAN, shop};
use ibid_audit::Auditor;
use ibid_audit::fetch::FetchConfig;
use ibid_model::{Product, X402Version};
use ibid_service::{Pages, Paid};
use ibid_tests::buyer::{self, small_purchase};
use ibid_tests::{Buyer, Reply, Setup, TestServer};
use ibid_x402::sandbox::{Script, TestWallet};
use ibid_x402::{Facilitator, SandboxFacilitator};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const WATCH: &str = "/api/a2a/watch";
const RECEIPTS: &str = "/api/a2a/my-receipts";

/// Names and data of a stream.
fn events(text: &str) -> Vec<(String, Value)> {
    let frames = text
        .split("\n\n")
        .filter(|frame| !frame.is_empty() && !frame.starts_with(':'));
    frames
        .map(|frame| {
            assert!(!frame.contains("id:") || frame.contains("\"scanId\""), "{frame}");
            let (name, data) = frame.split_once('\n').unwrap();
            let name = name.strip_prefix("event: ").unwrap().to_owned();
            (
                name,
                serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap(),
            )
        })
        .collect()
}

#[tokio::test]
async fn a_watched_scan_streams_progress_then_result_then_receipt() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let mut order = small_purchase();
    order["questionsPerModel"] = json!(4);
    let offer = buyer.ask(WATCH, &order).await.json();
    assert_eq!(offer["accepts"][0]["mimeType"], "text/event-stream");
    let payment = buyer.pay(Product::Scan, X402Version::V1);
    let reply = buyer.send(WATCH, &payment, &order).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("content-type")),
        (200, "text/event-stream")
    );
    assert_eq!(
        (
            reply.header("x-accel-buffering"),
            reply.header("payment-response")
        ),
        ("no", "")
    );
    let events = events(&reply.text);
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "progress",
            "progress",
            "progress",
            "progress",
            "scan_complete",
            "payment_settled"
        ]
    );
    let (last, complete) = (&events[3].1, &events[4].1);
    assert_eq!(
        (&last["done"], &last["total"], &last["scanId"]),
        (&json!(4), &json!(4), &complete["scanId"])
    );
    assert!(last.get("cited").is_none() && last.get("score").is_none());
    assert_eq!(complete["status"], "complete");
    assert_eq!(
        (&events[5].1["success"], &events[5].1["network"]),
        (&json!(true), &json!("base-sepolia"))
    );
    // The same payment again, on the stream or without it.
    let again = buyer.send(WATCH, &payment, &order).await;
    assert!(
        again.text.starts_with("event: scan_complete"),
        "{:.80}",
        again.text
    );
    assert_eq!(buyer.send(SCAN, &payment, &order).await.json(), *complete);
    assert_eq!((facilitator.calls().verify, facilitator.calls().settle), (1, 1));
}

#[tokio::test]
async fn the_same_payment_works_again_after_a_stream_is_closed() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    facilitator.script_settle(Script::Delay(Duration::from_millis(300)));
    let mut stream = buyer
        .request(WATCH, &payment, &small_purchase())
        .send()
        .await
        .unwrap();
    let first = stream.chunk().await.unwrap().unwrap();
    assert!(first.starts_with(b"event: progress"));
    drop(stream);
    let reply = buyer.send(WATCH, &payment, &small_purchase()).await;
    let names: Vec<String> = events(&reply.text).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["scan_complete", "payment_settled"]);
    assert_eq!((facilitator.calls().verify, facilitator.calls().settle), (1, 1));
}

#[tokio::test]
async fn a_failed_stream_sends_an_error_and_settles_nothing() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    facilitator.script_settle(Script::Refuse("insufficient_funds".to_owned()));
    let reply = buyer
        .buy(WATCH, Product::Scan, X402Version::V2, &small_purchase())
        .await;
    let events = events(&reply.text);
    let (name, data) = events.last().unwrap();
    assert_eq!(
        (name.as_str(), &data["status"]),
        ("scan_complete", &json!("failed"))
    );
    assert_eq!(data["error"]["code"], "insufficient_funds");
    assert!(!reply.text.contains("payment_settled") && !reply.text.contains("overallScore"));
    // What can be refused before the stream is refused before it.
    assert_eq!(buyer.ask(WATCH, &small_purchase()).await.status, 402);
    assert_eq!(buyer.ask(WATCH, &json!({"domain": 1})).await.status, 400);
}

#[tokio::test]
async fn receipts_are_the_wallets_own_and_cost_nothing() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let mut other = Buyer::of(&server);
    other.wallet = TestWallet::other();
    let mut scans = Vec::new();
    for _ in 0..3 {
        let reply = buyer
            .buy(SCAN, Product::Scan, X402Version::V2, &small_purchase())
            .await;
        scans.push(reply.json()["scanId"].clone());
    }
    assert_eq!(
        other
            .buy(SCAN, Product::Scan, X402Version::V1, &small_purchase())
            .await
            .status,
        200
    );
    let settles = facilitator.calls().settle;
    let page = buyer.receipts(&json!({"limit": 2})).await;
    assert_eq!((page.status.as_u16(), page.header("payment-response")), (200, ""));
    let page = page.json();
    assert_eq!(page["wallet"], buyer.wallet.address().to_string());
    let receipts = page["receipts"].as_array().unwrap();
    assert_eq!(receipts.len(), 2);
    assert_eq!(
        (&receipts[0]["scanId"], &receipts[1]["scanId"]),
        (&scans[2], &scans[1])
    );
    assert_eq!(
        (&receipts[0]["skill"], &receipts[0]["amount"]),
        (&json!("scan"), &json!("150000"))
    );
    assert_eq!(receipts[0]["resource"], "http://ibid.test/api/a2a/scan");
    let rest = buyer
        .receipts(&json!({"cursor": page["nextCursor"]}))
        .await
        .json();
    assert_eq!(
        (rest["receipts"].as_array().unwrap().len(), &rest["nextCursor"]),
        (1, &Value::Null)
    );
    // A cursor of another wallet returns no page.
    let stolen = other
        .receipts(&json!({"cursor": page["nextCursor"]}))
        .await
        .json();
    assert_eq!(stolen["receipts"], json!([]));
    assert_eq!(
        other.receipts(&json!({})).await.json()["receipts"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(facilitator.calls().settle, settles, "nothing is settled");
    assert_eq!(
        buyer
            .receipts(&json!({"limit": 101, "cursor": "x"}))
            .await
            .faults()
            .len(),
        2
    );
}

#[tokio::test]
async fn a_captured_proof_cannot_be_used_again() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let proof = buyer.prove(X402Version::V1);
    facilitator.script_verify(Script::Refuse("invalid_network".to_owned()));
    assert_eq!(
        buyer.send(RECEIPTS, &proof, &json!({})).await.json()["error"],
        "network_mismatch"
    );
    assert_eq!(buyer.send(RECEIPTS, &proof, &json!({})).await.status, 200);
    let again = buyer.send(RECEIPTS, &proof, &json!({})).await;
    assert_eq!(
        (again.status.as_u16(), &again.json()["error"]),
        (402, &json!("duplicate_nonce"))
    );
    // A signature of another wallet is refused.
    let draft = buyer::draft(&buyer::proof(), X402Version::V2);
    let forged = draft.sign_for(buyer.wallet.address(), &TestWallet::other());
    assert_eq!(buyer.send(RECEIPTS, &forged, &json!({})).await.status, 402);
}

#[tokio::test]
async fn a_radius_analysis_is_sold_whole() {
    let (server, _) = shop();
    let buyer = Buyer::of(&server);
    let body = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"});
    let reply = buyer
        .buy("/api/a2a/radius", Product::Radius, X402Version::V2, &body)
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let result = &reply.json()["result"];
    assert_eq!(result["radius"]["rings"].as_array().unwrap().len(), 2);
    assert_eq!(result["models"].as_array().unwrap().len(), 3);
    let reply = buyer.ask("/api/a2a/radius", &small_purchase()).await;
    assert_eq!(reply.faults(), ["/location: required"]);
}

#[tokio::test]
async fn audits_and_bundles_are_sold() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let body = json!({"html": "<html><title>Pumps</title><p>A pump moves water.</p>"});
    let reply = buyer
        .buy("/api/a2a/audit", Product::Audit, X402Version::V1, &body)
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let audit = reply.json();
    assert_eq!(
        audit.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["auditId", "result", "status"]
    );
    assert!(audit["result"]["score"].is_number());
    let body = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"});
    let reply = buyer
        .buy("/api/a2a/full", Product::Full, X402Version::V2, &body)
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let full = reply.json();
    assert_eq!(full["audit"]["url"], "https://example.com/");
    assert!(full["result"]["overallScore"].is_number());
    let receipts = buyer.receipts(&json!({})).await.json()["receipts"].clone();
    assert_eq!(
        (&receipts[0]["skill"], &receipts[0]["scanId"]),
        (&json!("full"), &full["scanId"])
    );
    assert_eq!(
        (&receipts[1]["skill"], &receipts[1]["scanId"]),
        (&json!("audit"), &Value::Null)
    );
    for (body, fault) in [
        (json!({"url": "http://127.0.0.1/"}), "/url: invalid"),
        (json!({"url": "file:///etc/passwd"}), "/url: invalid"),
        (json!({"other": 1}), "/url: required"),
    ] {
        let reply = buyer
            .buy("/api/a2a/audit", Product::Audit, X402Version::V1, &body)
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.faults()),
            (400, vec![fault.to_owned()])
        );
    }
    assert_eq!(facilitator.transfers().len(), 2);
}

#[tokio::test]
async fn browsers_of_named_origins_may_pay() {
    let (server, _) = shop();
    let buyer = Buyer::of(&server);
    let preflight = |path: &str, origin: &'static str| {
        let request = buyer.bare(Method::OPTIONS, path).header("Origin", origin);
        Reply::of(request.header("Access-Control-Request-Method", "POST"))
    };
    let reply = preflight(SCAN, "https://wallet.test").await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("access-control-allow-origin")),
        (204, "https://wallet.test")
    );
    let allowed = reply.header("access-control-allow-headers").to_ascii_lowercase();
    for name in [
        "x-payment",
        "payment-signature",
        "content-type",
        "access-control-expose-headers",
    ] {
        assert!(allowed.contains(name), "{name}");
    }
    let asked = buyer
        .bare(Method::POST, SCAN)
        .header("Origin", "https://wallet.test")
        .json(&small_purchase());
    let reply = Reply::of(asked).await;
    assert_eq!((reply.status.as_u16(), reply.header("vary")), (402, "Origin"));
    for name in ["payment-required", "payment-response", "x-payment-response"] {
        assert!(
            reply
                .header("access-control-expose-headers")
                .to_ascii_lowercase()
                .contains(name)
        );
    }
    for (path, origin) in [
        (SCAN, "https://evil.test"),
        ("/api/v1/scan", "https://wallet.test"),
    ] {
        let reply = preflight(path, origin).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("access-control-allow-origin")),
            (405, ""),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_service_without_a_seller_lists_no_skills() {
    let server = TestServer::spawn();
    let buyer = Buyer::of(&server);
    for path in ["scan", "radius", "watch", "audit", "full", "my-receipts"] {
        for body in [json!({}), small_purchase()] {
            let reply = buyer.ask(&format!("/api/a2a/{path}"), &body).await;
            assert_eq!(
                (reply.status.as_u16(), reply.code()),
                (503, "paid_surface_disabled".into()),
                "{path}"
            );
        }
    }
    let reply = Reply::of(buyer.bare(
        Method::GET,
        &format!("{SCAN}/11111111-1111-4111-8111-111111111111"),
    ))
    .await;
    assert_eq!(reply.status, 404);
}

#[tokio::test]
async fn without_a_key_for_the_models_audits_are_sold_and_scans_are_not() {
    let auditor = Auditor::new(FetchConfig::default()).expect("an auditor");
    let facilitator = Arc::new(SandboxFacilitator::new());
    let keyless = Paid {
        key: None,
        ..buyer::paid(Arc::clone(&facilitator) as Arc<dyn Facilitator>)
    };
    let server = Setup::default()
        .tune(|service| {
            service.paid = Some(keyless);
            service.pages = Some(Pages::Invented(auditor));
        })
        .spawn();
    let buyer = Buyer::of(&server);
    for (path, product) in [
        ("scan", Product::Scan),
        ("radius", Product::Radius),
        ("watch", Product::Scan),
        ("full", Product::Full),
    ] {
        let path = format!("/api/a2a/{path}");
        let mut replies = vec![
            buyer.ask(&path, &json!({})).await,
            buyer.ask(&path, &small_purchase()).await,
        ];
        let payment = buyer.pay(product, X402Version::V2);
        replies.push(buyer.send(&path, &payment, &small_purchase()).await);
        for reply in replies {
            assert_eq!(
                (reply.status.as_u16(), reply.code()),
                (503, "paid_surface_disabled".into()),
                "{path}"
            );
        }
    }
    for url in ["x", "ftp://example.com/", ""] {
        let reply = buyer
            .ask("/api/a2a/audit", &json!({"url": url, "html": "<p>Hello"}))
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.faults()),
            (400, vec!["/url: invalid".to_owned()]),
            "{url}"
        );
    }
    let payment = buyer.pay(Product::Audit, X402Version::V2);
    let body = json!({"url": "https://example.com/"});
    let reply = buyer.send("/api/a2a/audit", &payment, &body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert!(reply.json()["result"]["score"].is_number(), "{}", reply.text);
    let proof = buyer.prove(X402Version::V2);
    let receipts = buyer.send(RECEIPTS, &proof, &json!({})).await.json();
    assert_eq!(receipts["receipts"].as_array().map(Vec::len), Some(1));
    assert_eq!(receipts["receipts"][0]["skill"], "audit");

    // Every list of prices shows the sold skills and no other price.
    let read =
        async |path: &str| Reply::of(buyer.bare(Method::GET, path).header("Accept", "text/html")).await;
    let card = read("/.well-known/agent-card.json").await.json();
    let skills = card["skills"].as_array().expect("skills");
    let ids: Vec<_> = skills.iter().map(|skill| skill["id"].clone()).collect();
    assert_eq!(ids, ["audit", "my-receipts"]);
    assert_eq!(
        card["capabilities"]["extensions"][0]["params"]["prices"],
        json!({"audit": "20000", "my-receipts": "1"})
    );
    for path in ["/", "/docs", "/llms.txt"] {
        let page = read(path).await.text;
        assert!(page.contains("nly page audits are sold on this server"), "{path}");
        assert!(page.contains("0.02"), "{path}");
        for price in [
            ">0.15<",
            ">0.5<",
            ">0.6<",
            "(0.15 USDC)",
            "(0.5 USDC)",
            "(0.6 USDC)",
        ] {
            assert!(!page.contains(price), "{price} on {path}");
        }
    }
    let words = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": {
        "role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "What can you do?"}]}}});
    let said = buyer.ask("/api/a2a/jsonrpc", &words).await.json();
    let parts = &said["result"]["status"]["message"]["parts"];
    let offered = parts[1]["data"]["skills"].as_array().expect("skills");
    let offered: Vec<_> = offered.iter().map(|skill| skill["skill"].clone()).collect();
    assert_eq!(offered, ["audit", "my-receipts"]);
    assert!(
        !parts[0]["text"]
            .as_str()
            .expect("words")
            .contains("scan (0.15 USDC)")
    );
}

#[tokio::test]
async fn no_payment_header_is_logged_or_returned() {
    let logs = ibid_tests::logs::capture();
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    facilitator.script_settle(Script::LoseAnswer);
    let mut secrets = Vec::new();
    for version in [X402Version::V1, X402Version::V2] {
        let payment = buyer.pay(Product::Scan, version);
        let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
        let proof = buyer.prove(version);
        let receipts = buyer.send(RECEIPTS, &proof, &json!({})).await;
        for sent in [&payment, &proof] {
            secrets.push(sent.payload()["payload"]["signature"].as_str().unwrap()[2..].to_owned());
            secrets.push(sent.header());
        }
        for reply in [&reply, &receipts] {
            assert_eq!(reply.status, 200, "{}", reply.text);
            let seen = format!("{} {:?}", reply.text, reply.headers);
            assert!(secrets.iter().all(|secret| !seen.contains(secret)));
        }
    }
    let text = logs.text();
    assert!(
        secrets.iter().all(|secret| !text.contains(secret)),
        "a signature is in the log"
    );
    assert!(!text.contains("operator-key"));
}
