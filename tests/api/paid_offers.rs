//! Offers of an operator: several tokens, own prices, signed offers, descriptions for catalogues, and the networks that
//! the facilitator serves.

use crate::paid::{SCAN, decoded};
use ibid_model::{Asset, AtomicUsdc, Network, PriceList, Product, Wallet, X402Version};
use ibid_service::Paid;
use ibid_tests::buyer::{self, fresh_nonce, small_purchase};
use ibid_tests::fake_facilitator::{FakeFacilitator, Fault};
use ibid_tests::{ApiClient, Buyer, Reply, Setup, TestServer};
use ibid_x402::sandbox::Draft;
use ibid_x402::{
    Accepted, Listing, OfferSigner, PriceQuote, RemoteFacilitator, RemoteOptions, SandboxFacilitator, Terms,
};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn other_wallet() -> Wallet {
    Wallet::from_bytes([0x22; 20])
}

/// USDC on two chains, and another token on the first.
fn accepted() -> [Accepted; 3] {
    let usdc = |network, pay_to| Accepted::new(network, Asset::usdc(network), pay_to);
    let mut other = Asset::usdc(Network::Base);
    other.name = "Other".to_owned();
    [
        usdc(Network::BaseSepolia, buyer::pay_to()),
        usdc(Network::Base, other_wallet()),
        Accepted::new(Network::BaseSepolia, other, buyer::pay_to()),
    ]
}

fn terms_of(accepted: impl IntoIterator<Item = Accepted>) -> Terms {
    let mut accepted = accepted.into_iter();
    let first = accepted.next().unwrap();
    let timeout = NonZeroU32::new(600).unwrap();
    accepted.fold(
        Terms::new(first.network, first.asset, first.pay_to, timeout),
        Terms::and,
    )
}

fn shop(terms: Terms) -> (TestServer, Arc<SandboxFacilitator>) {
    let facilitator = Arc::new(SandboxFacilitator::new());
    let paid = Paid {
        terms: Arc::new(terms),
        chain: Some(facilitator.clone()),
        ..buyer::paid(facilitator.clone())
    };
    let server = Setup::default().tune(|service| service.paid = Some(paid)).spawn();
    (server, facilitator)
}

/// The quote of a server that accepts one token alone, as a buyer who has chosen it sees it.
fn quote_in(accepted: Accepted, prices: PriceList) -> PriceQuote {
    let listing = Listing::new("http://ibid.test/".parse().unwrap(), "a test");
    let terms = Arc::new(terms_of([accepted]).priced(prices));
    PriceQuote::sale(Product::Scan, terms, Arc::new(listing))
}

#[tokio::test]
async fn every_accepted_token_buys() {
    let (server, facilitator) = shop(terms_of(accepted()));
    let buyer = Buyer::of(&server);
    let reply = buyer.ask(SCAN, &small_purchase()).await;
    let networks = |entries: &Value| -> Vec<String> {
        let entries = entries.as_array().unwrap().iter();
        entries
            .map(|entry| entry["network"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        networks(&reply.json()["accepts"]),
        ["base-sepolia", "base", "base-sepolia"]
    );
    let header = reply.header("payment-required");
    assert!(header.len() <= 6 * 1024, "{}", header.len());
    assert_eq!(
        networks(&decoded(header)["accepts"]),
        ["eip155:84532", "eip155:8453", "eip155:84532"]
    );
    for accepted in accepted() {
        for version in [X402Version::V1, X402Version::V2] {
            let quote = quote_in(accepted.clone(), PriceList::STANDARD);
            let payment = Draft::of(&quote, version, Timestamp::now(), fresh_nonce()).sign(&buyer.wallet);
            let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
            assert_eq!(reply.status, 200, "{version:?} {accepted:?}: {}", reply.text);
            let transfer = facilitator.transfers().pop().unwrap();
            assert_eq!(
                (transfer.key.network, transfer.key.asset, transfer.to),
                (accepted.network, accepted.asset.contract, accepted.pay_to)
            );
        }
    }
    assert_eq!(facilitator.transfers().len(), 6);
    // The wallet of one chain is no recipient on the other.
    let stray = Accepted::new(Network::Base, Asset::usdc(Network::Base), buyer::pay_to());
    let quote = quote_in(stray, PriceList::STANDARD);
    for (version, code) in [
        (X402Version::V1, "recipient_mismatch"),
        (X402Version::V2, "offer_mismatch"),
    ] {
        let payment = Draft::of(&quote, version, Timestamp::now(), fresh_nonce()).sign(&buyer.wallet);
        let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["error"]),
            (402, &json!(code))
        );
    }
}

#[tokio::test]
async fn the_operators_prices_are_asked_and_shown() {
    let prices = PriceList::with([(Product::Scan, AtomicUsdc::new(250_000))]).unwrap();
    let (server, facilitator) = shop(terms_of(accepted()).priced(prices));
    let buyer = Buyer::of(&server);
    // The price of the contract is not enough.
    let cheap = buyer
        .buy(SCAN, Product::Scan, X402Version::V1, &small_purchase())
        .await;
    assert_eq!(
        (cheap.status.as_u16(), &cheap.json()["error"]),
        (402, &json!("invalid_amount"))
    );
    let quote = quote_in(accepted()[0].clone(), prices);
    let payment = Draft::of(&quote, X402Version::V2, Timestamp::now(), fresh_nonce()).sign(&buyer.wallet);
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(facilitator.transfers()[0].amount, AtomicUsdc::new(250_000));
    let client = ApiClient::of(&server);
    let text = |path: &'static str| {
        let reply = Reply::of(client.bare(Method::GET, path));
        async { reply.await.text }
    };
    assert!(text("/llms.txt").await.contains("(0.25 USDC)"));
    assert!(text("/").await.contains(r#"<td class="num">0.25</td>"#));
    let card: Value = serde_json::from_str(&text("/.well-known/agent-card.json").await).unwrap();
    assert_eq!(
        card["capabilities"]["extensions"][0]["params"]["prices"]["scan"],
        "250000"
    );
    let document: Value = serde_json::from_str(&text("/openapi.json").await).unwrap();
    let info = |path: &str| document["paths"][path]["post"]["x-payment-info"].clone();
    assert_eq!(
        info(SCAN),
        json!({"price": {"mode": "fixed", "currency": "USD", "amount": "0.25"}, "protocols": [{"x402": {}}]})
    );
    assert_eq!(info("/api/a2a/radius")["price"]["amount"], "0.5");
    assert_eq!(
        info("/api/a2a/my-receipts"),
        Value::Null,
        "a proof is never settled"
    );
}

/// The paths that `/.well-known/x402` lists, sorted.
async fn listed(server: &TestServer) -> Vec<String> {
    let client = ApiClient::of(server);
    let document = Reply::of(client.bare(Method::GET, "/.well-known/x402"))
        .await
        .json();
    assert_eq!(document["version"], 1);
    let resources = document["resources"].as_array().unwrap().iter();
    let mut paths: Vec<String> = resources
        .map(|resource| resource.as_str().unwrap())
        .map(|resource| resource.trim_start_matches("http://ibid.test").to_owned())
        .collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn catalogues_find_what_is_sold() {
    let (without_audits, _) = shop(terms_of(accepted()));
    assert_eq!(
        listed(&without_audits).await,
        ["/api/a2a/radius", "/api/a2a/scan", "/api/a2a/watch"]
    );
    let client = ApiClient::of(&without_audits);
    let openapi = Reply::of(client.bare(Method::GET, "/openapi.json")).await.json();
    let priced = |path: &str| openapi["paths"][path]["post"].get("x-payment-info").is_some();
    assert_eq!(
        ["scan", "radius", "audit", "full"].map(|path| priced(&format!("/api/a2a/{path}"))),
        [true, true, false, false]
    );
    let card = Reply::of(client.bare(Method::GET, "/.well-known/agent-card.json")).await;
    let skills: Vec<_> = card.json()["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["id"].clone())
        .collect();
    assert_eq!(skills, ["scan", "radius", "my-receipts"]);
    let server = Setup::default()
        .selling(Arc::new(SandboxFacilitator::new()))
        .spawn();
    let listed_paths = listed(&server).await;
    assert_eq!(
        listed_paths,
        ["audit", "full", "radius", "scan", "watch"].map(|path| format!("/api/a2a/{path}"))
    );
    let buyer = Buyer::of(&server);
    for path in &listed_paths {
        let resource = format!("http://ibid.test{path}");
        let reply = buyer.ask(path, &json!({})).await;
        assert_eq!(reply.status, 402, "{path}: {}", reply.text);
        let offer = decoded(reply.header("payment-required"));
        assert_eq!(offer["resource"]["url"], resource);
        let streamed = path.ends_with("/watch");
        let (mime, output) = match streamed {
            true => (
                "text/event-stream",
                json!({"type": "text", "format": "text/event-stream"}),
            ),
            false => ("application/json", json!({"type": "json", "format": null})),
        };
        assert_eq!(offer["resource"]["mimeType"], mime, "{path}");
        assert_eq!(reply.json()["accepts"][0]["mimeType"], mime, "{path}");
        let described = &offer["extensions"]["bazaar"]["info"]["output"];
        assert_eq!(
            (
                &described["type"],
                described.get("format").unwrap_or(&Value::Null)
            ),
            (&output["type"], &output["format"]),
            "{path}"
        );
    }
    // Nothing sold, nothing listed.
    assert_eq!(listed(&TestServer::spawn()).await, [""; 0]);
}

#[tokio::test]
async fn offers_and_receipts_are_signed_with_a_key() {
    let signer = OfferSigner::from_hex(&"11".repeat(32)).unwrap();
    let (server, facilitator) = shop(terms_of(accepted()).signed(signer));
    let buyer = Buyer::of(&server);
    let reply = buyer.ask(SCAN, &small_purchase()).await;
    let header = reply.header("payment-required");
    assert!(header.len() <= 6 * 1024, "{}", header.len());
    let offer = decoded(header);
    let signed = offer["extensions"]["offer-receipt"]["info"]["offers"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(signed.len(), 3);
    for (index, (signed, entry)) in signed
        .iter()
        .zip(offer["accepts"].as_array().unwrap())
        .enumerate()
    {
        let payload = &signed["payload"];
        assert_eq!(
            (&signed["format"], &signed["acceptIndex"]),
            (&json!("eip712"), &json!(index))
        );
        for member in ["network", "asset", "payTo", "amount", "scheme"] {
            assert_eq!(payload[member], entry[member], "{member}");
        }
        assert_eq!(payload["resourceUrl"], offer["resource"]["url"]);
        assert_eq!(signed["signature"].as_str().unwrap().len(), 132);
    }
    let reply = buyer
        .buy(SCAN, Product::Scan, X402Version::V2, &small_purchase())
        .await;
    let settled = decoded(reply.header("payment-response"));
    let receipt = &settled["extensions"]["offer-receipt"]["info"]["receipt"];
    let payload = &receipt["payload"];
    assert_eq!(
        payload["transaction"],
        facilitator.transfers()[0].transaction.as_str()
    );
    assert_eq!(payload["payer"], buyer.wallet.address().to_string());
    assert_eq!(payload["resourceUrl"], "http://ibid.test/api/a2a/scan");
    assert_eq!(receipt["signature"].as_str().unwrap().len(), 132);
    // Version 1 has no extensions.
    let reply = buyer
        .buy(SCAN, Product::Scan, X402Version::V1, &small_purchase())
        .await;
    assert_eq!(
        decoded(reply.header("x-payment-response")).get("extensions"),
        None
    );
}

/// A server in front of a facilitator that answers `/supported` with these networks, once each time it is asked.
async fn in_front_of(answers: &[&[&str]]) -> (TestServer, FakeFacilitator) {
    let fake = FakeFacilitator::spawn(Arc::new(SandboxFacilitator::new()));
    for networks in answers {
        let kinds = networks
            .iter()
            .map(|network| json!({"x402Version": 2, "scheme": "exact", "network": network}));
        let body = json!({"kinds": kinds.collect::<Vec<_>>()}).to_string();
        fake.fail("/supported", Fault::Answer(200, body));
    }
    let facilitator = Arc::new(RemoteFacilitator::new(RemoteOptions::new(fake.base_url())).unwrap());
    let paid = Paid {
        terms: Arc::new(terms_of(accepted())),
        ..buyer::paid(facilitator)
    };
    let server = Setup::default().tune(|service| service.paid = Some(paid)).spawn();
    (server, fake)
}

/// Asks until the answer has this status: the first look at the facilitator runs beside the first requests.
async fn until(buyer: &Buyer, status: u16) -> Reply {
    let start = Instant::now();
    loop {
        let reply = buyer.ask(SCAN, &small_purchase()).await;
        if reply.status == status {
            return reply;
        }
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "the answer is never {status}"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_facilitator_of_other_networks_closes_the_shop_until_it_serves_ours() {
    let (server, fake) = in_front_of(&[&["eip155:1"], &["eip155:8453"]]).await;
    let buyer = Buyer::of(&server);
    let reply = until(&buyer, 503).await;
    assert_eq!(reply.code(), "paid_surface_disabled", "{}", reply.text);
    let payment = buyer.pay(Product::Scan, X402Version::V2);
    let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
    assert_eq!((reply.status.as_u16(), fake.requests("/verify").len()), (503, 0));
    assert_eq!(buyer.receipts(&json!({})).await.status, 503);
    assert!(
        !server
            .service
            .shop
            .payment_figures()
            .await
            .unwrap()
            .unwrap()
            .served
    );
    // The next look finds one of the networks.
    server.service.shop.check_networks().await;
    let reply = until(&buyer, 402).await;
    let entries = reply.json()["accepts"].as_array().unwrap().clone();
    assert_eq!((entries.len(), &entries[0]["network"]), (1, &json!("base")));
    assert!(
        server
            .service
            .shop
            .payment_figures()
            .await
            .unwrap()
            .unwrap()
            .served
    );
    // A look without an answer changes nothing.
    fake.fail("/supported", Fault::Answer(500, "{}".to_owned()));
    server.service.shop.check_networks().await;
    assert_eq!(buyer.ask(SCAN, &small_purchase()).await.status, 402);
    assert_eq!(fake.requests("/supported").len(), 3);
}
