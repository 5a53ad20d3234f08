//! Paying for skills (section 2.8 of the protocol): every skill, both ways to pay, and payments that are not taken.

use crate::client::{Outcome, asks, id, payment_status, small_scan, state, submission, told, with, words};
use crate::shop::Shop;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ibid_model::{Product, X402Version};
use ibid_tests::{Method, Reply};
use ibid_x402::sandbox::{Script, TestWallet};
use serde_json::{Value, json};

/// The document of a task's artifact, and its summary.
fn artifact(task: &Value) -> (Value, String) {
    let parts = task["artifacts"][0]["parts"].as_array().unwrap();
    assert_eq!(task["artifacts"].as_array().unwrap().len(), 1);
    assert_eq!(
        (parts[0]["kind"].as_str(), parts[1]["kind"].as_str(), parts.len()),
        (Some("data"), Some("text"), 2)
    );
    (
        parts[0]["data"].clone(),
        parts[1]["text"].as_str().unwrap().to_owned(),
    )
}

fn place() -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1], "models": ["model-1-latest"],
        "questionsPerModel": 1})
}

#[tokio::test]
async fn every_skill_is_bought_and_yields_the_document_of_its_route() {
    let shop = Shop::open();
    let named = |skill: &str, mut request: Value| {
        request["skill"] = json!(skill);
        request
    };
    for (product, skill, request, members) in [
        (
            Product::Scan,
            "scan",
            small_scan(),
            vec!["result", "scanId", "status"],
        ),
        (
            Product::Radius,
            "radius",
            named("radius", place()),
            vec!["result", "scanId", "status"],
        ),
        (
            Product::Audit,
            "audit",
            json!({"skill": "audit", "url": "https://example.com/"}),
            vec!["auditId", "result", "status"],
        ),
        (
            Product::Audit,
            "audit",
            json!({"skill": "audit", "html": "<title>t</title><p>Words."}),
            vec!["auditId", "result", "status"],
        ),
        (
            Product::Full,
            "full",
            named("full", place()),
            vec!["audit", "result", "scanId", "status"],
        ),
    ] {
        let asked = shop.agent.send(asks(request)).await.result();
        let offer = &told(&asked)["x402.payment.required"];
        assert_eq!(
            (&offer["x402Version"], &offer["accepts"][0]["network"]),
            (&json!(1), &json!("base-sepolia"))
        );
        assert_eq!(
            offer["accepts"][0]["maxAmountRequired"],
            product.price().get().to_string()
        );
        let task = shop.agent.pay(&asked, &shop.agent.payment(product)).await;
        assert_eq!(
            (state(&task), payment_status(&task)),
            ("completed", "payment-completed"),
            "{task:#}"
        );
        let (document, summary) = artifact(&task);
        assert_eq!(document.as_object().unwrap().keys().collect::<Vec<_>>(), members);
        assert_eq!(
            (task["artifacts"][0]["name"].as_str(), document["status"].as_str()),
            (Some(skill), Some("complete"))
        );
        assert!(summary.contains("of 100"), "{summary}");
        let receipts = told(&task)["x402.payment.receipts"].as_array().unwrap();
        assert_eq!(
            (receipts.len(), &receipts[0]["success"], &receipts[0]["network"]),
            (1, &json!(true), &json!("base-sepolia"))
        );
        assert_eq!(shop.agent.get(&id(&task)).await.result(), task);
        // The REST surface has it under its id.
        if let Some(scan) = document["scanId"].as_str() {
            let kept = Reply::of(
                shop.agent
                    .buyer
                    .bare(Method::GET, &format!("/api/a2a/scan/{scan}")),
            )
            .await;
            assert_eq!(kept.json(), document);
        }
    }
    assert_eq!(shop.transfers(), 5);
}

#[tokio::test]
async fn agents_may_have_the_names_of_the_home_page_looked_for() {
    let shop = Shop::open();
    let mut request = small_scan();
    request["learnNames"] = json!(true);
    let asked = shop.agent.send(asks(request)).await.result();
    let payment = shop.agent.payment(Product::Scan);
    let paid = shop.agent.send(shop.agent.pays(&id(&asked), &payment)).await;
    let (document, _) = artifact(&paid.result());
    let names = document["result"]["brandNames"].as_array().unwrap();
    assert!(
        names.iter().any(|name| name["source"] == "home_page"),
        "{names:?}"
    );
}

#[tokio::test]
async fn a_wallet_lists_its_purchases_and_is_not_charged() {
    let shop = Shop::open();
    let bought = shop.agent.asked().await;
    shop.agent.pay(&bought, &shop.agent.payment(Product::Scan)).await;
    let asked = shop
        .agent
        .send(asks(json!({"skill": "my-receipts", "limit": 5})))
        .await
        .result();
    assert_eq!(
        told(&asked)["x402.payment.required"]["accepts"][0]["maxAmountRequired"],
        "1"
    );
    let proof = shop.agent.buyer.prove(X402Version::V1);
    let task = shop.agent.pay(&asked, &proof).await;
    assert_eq!(
        (state(&task), payment_status(&task)),
        ("completed", "payment-verified")
    );
    let (page, _) = artifact(&task);
    assert_eq!(page["wallet"], shop.agent.buyer.wallet.address().to_string());
    assert_eq!(
        page["receipts"][0]["resource"],
        "http://ibid.test/api/a2a/jsonrpc#scan"
    );
    assert_eq!(
        (page["receipts"].as_array().unwrap().len(), shop.transfers()),
        (1, 1)
    );
    // A proof is good for once.
    let again = shop
        .agent
        .send(asks(json!({"skill": "my-receipts"})))
        .await
        .result();
    let refused = shop.agent.pay(&again, &proof).await;
    assert_eq!(
        (state(&refused), &told(&refused)["x402.payment.error"]),
        ("input-required", &json!("DUPLICATE_NONCE"))
    );
    let faulty = shop
        .agent
        .send(asks(json!({"skill": "my-receipts", "limit": 101})))
        .await;
    assert_eq!(faulty.code(), -32602);
}

#[tokio::test]
async fn a_payment_may_come_with_the_first_message() {
    let shop = Shop::open();
    let payment = shop.agent.payment(Product::Scan);
    let task = shop.agent.pay_directly(small_scan(), &payment).await;
    assert_eq!((state(&task), shop.transfers()), ("completed", 1));
    // If the answer was lost, the same message opens another task with the same result, and the buyer pays once.
    let again = shop.agent.pay_directly(small_scan(), &payment).await;
    assert_ne!(again["id"], task["id"]);
    assert_eq!((artifact(&again), shop.transfers()), (artifact(&task), 1));
    assert_eq!(
        told(&again)["x402.payment.receipts"],
        told(&task)["x402.payment.receipts"]
    );
    // A payment for nothing is not used.
    let words = with(
        words("hello"),
        "metadata",
        submission(&shop.agent.payment(Product::Scan)),
    );
    let unused = shop.agent.send(words).await.result();
    assert_eq!(state(&unused), "input-required");
    assert!(
        unused["status"]["message"]["parts"][0]["text"]
            .as_str()
            .unwrap()
            .contains("not used")
    );
}

#[tokio::test]
async fn a_payment_may_come_in_a_header_of_either_version() {
    let shop = Shop::open();
    for version in [X402Version::V1, X402Version::V2] {
        for first in [true, false] {
            let payment = match version {
                X402Version::V1 => shop.agent.payment(Product::Scan),
                // Version 2 names the whole offer, and so the resource of this surface is not part of it.
                X402Version::V2 => shop.agent.buyer.pay(Product::Scan, version),
            };
            let message = match first {
                true => asks(small_scan()),
                false => with(
                    words("paid in the header"),
                    "taskId",
                    shop.agent.asked().await["id"].clone(),
                ),
            };
            let request = shop.agent.request("message/send", &json!({"message": message}));
            let reply = Reply::of(request.header(payment.header_name(), payment.header())).await;
            let task = reply.json().result();
            assert_eq!(state(&task), "completed", "{version:?}: {task:#}");
            assert_eq!(
                reply.header("x-payment-response"),
                reply.header("payment-response")
            );
            let told: Value =
                serde_json::from_slice(&STANDARD.decode(reply.header("payment-response")).unwrap()).unwrap();
            assert_eq!(
                told,
                task["status"]["message"]["metadata"]["x402.payment.receipts"][0]
            );
        }
    }
    assert_eq!(shop.transfers(), 4);
    let payment = shop.agent.payment(Product::Scan);
    let both = with(asks(small_scan()), "metadata", submission(&payment));
    let request = shop.agent.request("message/send", &json!({"message": both}));
    let reply = Reply::of(request.header(payment.header_name(), payment.header()))
        .await
        .json();
    assert_eq!(reply.refusal(), (-32602, "two_payments"));
    let broken = shop
        .agent
        .request("message/send", &json!({"message": asks(small_scan())}))
        .header("X-PAYMENT", "%%%");
    let reply = Reply::of(broken).await.json();
    assert_eq!(reply.refusal(), (-32602, "malformed_payment"));
}

#[tokio::test]
async fn the_rest_surface_and_the_agent_surface_share_payments() {
    let shop = Shop::open();
    let payment = shop.agent.payment(Product::Scan);
    let order = ibid_tests::buyer::small_purchase();
    let bought = shop.agent.buyer.send("/api/a2a/scan", &payment, &order).await;
    assert_eq!(bought.status, 200);
    let task = shop.agent.pay_directly(small_scan(), &payment).await;
    assert_eq!((artifact(&task).0, shop.transfers()), (bought.json(), 1));
    // For anything else it is used.
    let mut other = small_scan();
    other["keyword"] = json!("roofer");
    let refused = shop.agent.pay_directly(other, &payment).await;
    assert_eq!(
        (payment_status(&refused), &told(&refused)["x402.payment.error"]),
        ("payment-failed", &json!("DUPLICATE_NONCE"))
    );
}

#[tokio::test]
async fn the_stored_request_is_the_one_that_runs() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    let payment = shop.agent.payment(Product::Scan);
    let mut other = small_scan();
    other["domain"] = json!("evil.example");
    let swapped = with(
        with(asks(other), "taskId", task["id"].clone()),
        "metadata",
        submission(&payment),
    );
    let answer = shop.agent.send(swapped).await;
    assert_eq!(answer.refusal(), (-32602, "request_differs"));
    assert_eq!((shop.facilitator.calls().verify, shop.questions()), (0, 0));
    // Repeating the request is not a swap.
    let repeated = with(
        with(asks(small_scan()), "taskId", task["id"].clone()),
        "metadata",
        submission(&payment),
    );
    let task = shop.agent.send(repeated).await.result();
    assert_eq!(artifact(&task).0["result"]["domain"], "example.com");
    // Price and recipient are those of the offer; those of the payload do not count.
    let dear = shop.agent.send(asks(json!({"skill": "full", "domain": "example.com", "keyword": "plumber", "location": "Lyon, France"}))).await.result();
    let cheap = shop.agent.pay(&dear, &shop.agent.payment(Product::Scan)).await;
    assert_eq!(
        (state(&cheap), &told(&cheap)["x402.payment.error"]),
        ("input-required", &json!("INVALID_AMOUNT"))
    );
}

#[tokio::test]
async fn refused_payments_leave_the_offer_standing() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    let quote = ibid_tests::buyer::quote(Product::Scan);
    let draft = || ibid_tests::buyer::draft(&quote, X402Version::V1);
    let rich = TestWallet::rich();
    let forged = draft().sign_for(rich.address(), &TestWallet::other());
    let mut late = draft();
    late.valid_before = "1000000000".to_owned();
    let mut cheap = draft();
    cheap.value = "149999".to_owned();
    let mut chain = draft();
    chain.envelope["network"] = json!("base");
    let empty = draft().sign(&TestWallet::empty());
    for (payment, code) in [
        (forged, "INVALID_SIGNATURE"),
        (late.sign(&rich), "EXPIRED_PAYMENT"),
        (cheap.sign(&rich), "INVALID_AMOUNT"),
        (chain.sign(&rich), "NETWORK_MISMATCH"),
        (empty, "INSUFFICIENT_FUNDS"),
    ] {
        let refused = shop.agent.pay(&task, &payment).await;
        assert_eq!(
            (state(&refused), payment_status(&refused)),
            ("input-required", "payment-failed"),
            "{code}"
        );
        assert_eq!(told(&refused)["x402.payment.error"], code);
        assert_eq!(
            told(&refused)["x402.payment.required"],
            told(&task)["x402.payment.required"]
        );
    }
    let mut broken = shop.agent.payment(Product::Scan);
    broken.payload_mut()["payload"] = json!("nothing");
    let answer = shop.agent.send(shop.agent.pays(&id(&task), &broken)).await;
    assert_eq!(answer.refusal(), (-32602, "malformed_payment"));
    let none = with(
        with(words("x"), "taskId", task["id"].clone()),
        "metadata",
        json!({"x402.payment.status": "payment-submitted"}),
    );
    assert_eq!(shop.agent.send(none).await.code(), -32602);
    // The offer still stands.
    let paid = shop.agent.pay(&task, &shop.agent.payment(Product::Scan)).await;
    assert_eq!((state(&paid), shop.transfers()), ("completed", 1));
}

#[tokio::test]
async fn a_facilitator_without_a_verdict_is_no_refusal() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    let payment = shop.agent.payment(Product::Scan);
    shop.facilitator
        .script_verify(Script::Fail(ibid_x402::Outage::Timeout));
    let answer = shop.agent.send(shop.agent.pays(&id(&task), &payment)).await;
    assert_eq!(answer.refusal(), (-32053, "facilitator_unavailable"));
    assert!(answer["error"]["data"]["retryAfter"].is_u64());
    assert_eq!(
        payment_status(&shop.agent.get(&id(&task)).await.result()),
        "payment-required"
    );
    let paid = shop.agent.pay(&task, &payment).await;
    assert_eq!(state(&paid), "completed");
}

#[tokio::test]
async fn failed_work_is_not_charged_and_ends_the_task() {
    let shop = Shop::open();
    shop.fail.store(true, std::sync::atomic::Ordering::SeqCst);
    let task = shop.agent.asked().await;
    let payment = shop.agent.payment(Product::Scan);
    let failed = shop.agent.pay(&task, &payment).await;
    assert_eq!(
        (state(&failed), payment_status(&failed), shop.transfers()),
        ("failed", "payment-failed", 0)
    );
    shop.fail.store(false, std::sync::atomic::Ordering::SeqCst);
    // The same payment buys it in another task.
    let again = shop.agent.pay_directly(small_scan(), &payment).await;
    assert_eq!((state(&again), shop.transfers()), ("completed", 1));
}

#[tokio::test]
async fn a_refused_settlement_withholds_the_result_and_every_receipt_is_kept() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    let payment = shop.agent.payment(Product::Scan);
    shop.facilitator.script_settle(Script::Refuse(
        "invalid_exact_evm_insufficient_balance".to_owned(),
    ));
    let refused = shop.agent.pay(&task, &payment).await;
    assert_eq!(
        (state(&refused), payment_status(&refused)),
        ("input-required", "payment-failed")
    );
    assert_eq!(told(&refused)["x402.payment.error"], "INSUFFICIENT_FUNDS");
    assert_eq!(told(&refused)["x402.payment.receipts"][0]["success"], false);
    assert!(refused.get("artifacts").is_none());
    let asked = shop.questions();
    // The same payment settles the result that is there.
    let paid = shop.agent.pay(&task, &payment).await;
    assert_eq!(
        (state(&paid), shop.questions(), shop.transfers()),
        ("completed", asked, 1)
    );
    let receipts: Vec<bool> = told(&paid)["x402.payment.receipts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|receipt| receipt["success"].as_bool().unwrap())
        .collect();
    assert_eq!(receipts, [false, true], "appended, never replaced");
}

#[tokio::test]
async fn an_unknown_settlement_is_reported_and_ends_by_itself() {
    let shop = Shop::open();
    let task = shop.agent.asked().await;
    let payment = shop.agent.payment(Product::Scan);
    // More than the patience of the call lasts for.
    for _ in 0..6 {
        shop.facilitator.script_settle(Script::Pending);
    }
    let waiting = shop.agent.pay(&task, &payment).await;
    let check = |waiting: &Value| {
        assert_eq!(
            (state(waiting), payment_status(waiting)),
            ("working", "payment-verified")
        );
        let text = waiting["status"]["message"]["parts"][0]["text"].as_str();
        assert!(text.unwrap().contains("Do not pay again"));
        assert!(waiting.get("artifacts").is_none());
    };
    check(&waiting);
    // A client that pays again gets the same answer at once: the chain may take longer than a call.
    shop.settle.shut();
    check(&shop.agent.pay(&task, &payment).await);
    shop.settle.open();
    let ended = crate::shop::until(async || {
        let task = shop.agent.get(&id(&task)).await.result();
        (state(&task) == "completed").then_some(task)
    })
    .await;
    assert_eq!(
        (ended["artifacts"].as_array().unwrap().len(), shop.transfers()),
        (1, 1)
    );
}

#[tokio::test]
async fn signed_payments_are_never_shown() {
    let shop = Shop::open();
    let payments = [
        shop.agent.payment(Product::Scan),
        shop.agent.payment(Product::Scan),
    ];
    let secrets: Vec<String> = payments
        .iter()
        .map(|payment| {
            payment.payload()["payload"]["signature"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let task = shop.agent.asked().await;
    // In the metadata, in a data part, in a text, beside the message: wherever clients put it.
    let careless = json!({"role": "user", "messageId": "careless", "taskId": task["id"], "metadata": submission(&payments[0]),
        "parts": [{"kind": "text", "text": payments[0].payload().to_string()}, {"kind": "text", "text": payments[1].header()},
            {"kind": "data", "data": {"note": payments[0].payload()}}]});
    let params = json!({"message": careless, "metadata": submission(&payments[1])});
    let events = shop.agent.stream("message/stream", params).await;
    let got = shop.agent.get(&id(&task)).await;
    let stored = String::from_utf8(
        shop.server
            .store
            .task(id(&task).parse().unwrap())
            .unwrap()
            .unwrap(),
    )
    .unwrap();
    for secret in &secrets {
        for (place, text) in [
            ("events", json!(events).to_string()),
            ("get", got.to_string()),
            ("store", stored.clone()),
        ] {
            assert!(!text.contains(secret), "{place}");
        }
    }
    for payment in &payments {
        assert!(!stored.contains(&payment.header()));
    }
}
