//! Sold orders are fitted to their price, and the offer shows their size.

use crate::paid::{SCAN, decoded, shop};
use ibid_model::{Asset, AtomicUsdc, Network, PriceList, Product, TokenAddress, UsdMicros, X402Version};
use ibid_service::{CostCaps, Paid};
use ibid_tests::buyer::{self, draft, small_purchase};
use ibid_tests::{Buyer, Setup, TestServer};
use ibid_x402::sandbox::TestWallet;
use ibid_x402::{PriceQuote, SandboxFacilitator, Terms};
use serde_json::{Value, json};
use std::num::NonZeroU32;
use std::sync::Arc;

const RADIUS: &str = "/api/a2a/radius";

fn radius() -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"})
}

/// The codes of warnings.
fn codes(warnings: &Value) -> Vec<&str> {
    let warnings = warnings.as_array().map_or(&[][..], Vec::as_slice);
    warnings
        .iter()
        .filter_map(|warning| warning["code"].as_str())
        .collect()
}

/// A shop whose settings a test changes.
fn shop_with(change: impl FnOnce(&mut Paid)) -> TestServer {
    let facilitator = Arc::new(SandboxFacilitator::new());
    let mut paid = buyer::paid(facilitator);
    change(&mut paid);
    Setup::default().tune(|service| service.paid = Some(paid)).spawn()
}

#[tokio::test]
async fn orders_that_name_no_size_leave_a_fifth_of_the_price_and_the_offer_shows_it() {
    let (server, _) = shop();
    let buyer = Buyer::of(&server);
    for (path, price, answers, width) in [
        (SCAN, 0.15, 6, 69.0),
        ("/api/a2a/watch", 0.15, 6, 69.0),
        (RADIUS, 0.5, 21, 69.0),
        ("/api/a2a/full", 0.6, 27, 54.0),
    ] {
        let reply = buyer.ask(path, &radius()).await;
        assert_eq!(reply.status, 402, "{}", reply.text);
        let body = reply.json();
        let plan = &body["plan"];
        assert_eq!(
            (&plan["answers"], &plan["expectedWidth"]),
            (&json!(answers), &json!(width)),
            "{path}"
        );
        assert_eq!(codes(&plan["warnings"]), ["language_guessed", "fitted_to_price"]);
        let words = format!("{answers} answers, range about {width} points wide");
        let offer = decoded(reply.header("payment-required"));
        for described in [
            &body["accepts"][0]["description"],
            &offer["resource"]["description"],
        ] {
            let described = described.as_str().unwrap();
            assert!(
                described.ends_with(&words) && described.len() <= 200,
                "{described}"
            );
        }
        assert_eq!(&offer["extensions"]["plan"]["info"], plan);
        let skill = path.rsplit('/').next().unwrap().replace("watch", "scan");
        let product = Product::ALL
            .into_iter()
            .find(|product| product.skill().as_str() == skill);
        let sold = buyer
            .buy(path, product.unwrap(), X402Version::V1, &radius())
            .await;
        assert_eq!(sold.status, 200, "{path}: {}", sold.text);
        if path == "/api/a2a/watch" {
            continue;
        }
        let result = &sold.json()["result"];
        let result = if result["scan"].is_object() {
            &result["scan"]
        } else {
            result
        };
        assert_eq!(result["usage"]["questions"], answers, "{path}");
        let estimate = result["usage"]["estimatedCostUsd"].as_f64().unwrap();
        assert!(estimate <= price * 0.8, "{path}: {estimate}");
        assert_eq!(
            codes(&result["warnings"]),
            ["language_guessed", "fitted_to_price"],
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_low_price_leaves_the_four_nearest_markets_and_the_operators_models() {
    let prices = PriceList::with([(Product::Radius, AtomicUsdc::new(145_000))]).unwrap();
    let server = shop_with(|paid| {
        paid.terms = Arc::new(Terms::clone(&paid.terms).priced(prices));
        paid.models = vec!["model-5-latest".parse().unwrap()];
    });
    let buyer = Buyer::of(&server);
    let offer = buyer.ask(RADIUS, &radius()).await.json();
    // Three core questions and one in each of four markets: $0.112 of $0.116.
    assert_eq!(offer["plan"]["answers"], 7, "{offer}");
    let terms = Arc::new(Terms::clone(&buyer::terms()).priced(prices));
    let listing = ibid_x402::Listing::new("http://ibid.test/".parse().unwrap(), "a test");
    let quote = PriceQuote::sale(Product::Radius, terms, Arc::new(listing));
    let payment = draft(&quote, X402Version::V2).sign(&buyer.wallet);
    let sold = buyer.send(RADIUS, &payment, &radius()).await;
    assert_eq!(sold.status, 200, "{}", sold.text);
    let result = &sold.json()["result"];
    let rings = result["radius"]["rings"].as_array().unwrap();
    let markets = rings.iter().map(|ring| ring["markets"].as_array().unwrap().len());
    assert_eq!(markets.sum::<usize>(), 4, "{result}");
    assert_eq!(result["usage"]["questions"], 7);
}

#[tokio::test]
async fn named_members_hold_up_to_the_cap_and_a_refusal_names_counts_that_fit() {
    let (server, facilitator) = shop();
    let buyer = Buyer::of(&server);
    let dear = json!({"domain": "example.com", "keyword": "crm",
                      "models": ["model-1-latest", "model-2-latest", "model-3-latest"]});
    let refused = buyer.buy(SCAN, Product::Scan, X402Version::V2, &dear).await;
    assert_eq!(
        (refused.status.as_u16(), refused.code()),
        (400, "plan_too_expensive".into())
    );
    let counts = json!({"questionsPerModel": 1, "keywordsPerRing": 1, "queriesPerKeyword": 1});
    assert_eq!(refused.json()["counts"], counts, "{}", refused.text);
    assert_eq!(refused.json()["mostCostUsd"], 0.12);
    assert_eq!(facilitator.calls().verify, 0);
    let mut fitting = dear.clone();
    fitting
        .as_object_mut()
        .unwrap()
        .extend(counts.as_object().unwrap().clone());
    let sold = buyer.buy(SCAN, Product::Scan, X402Version::V2, &fitting).await;
    assert_eq!(sold.status, 200, "{}", sold.text);
    assert_eq!(sold.json()["result"]["usage"]["questions"], 3);

    let server = shop_with(|paid| {
        paid.caps = CostCaps::with([(Product::Scan, Some(UsdMicros::new(400_000)))]);
    });
    let buyer = Buyer::of(&server);
    let mut nine = dear;
    nine["questionsPerModel"] = json!(3);
    assert_eq!(buyer.ask(SCAN, &nine).await.json()["plan"]["answers"], 9);
}

/// What was bought stays bought: the price, wallet, token, network, time to pay and plan of today are asked of new orders only.
#[tokio::test]
async fn a_change_of_terms_strands_no_buyer() {
    let facilitator = Arc::new(SandboxFacilitator::new());
    let store = Arc::new(ibid_store::Store::in_memory().unwrap());
    let network = Network::BaseSepolia;
    let timeout = NonZeroU32::new(600).unwrap();
    let usdc = Asset::usdc(network);
    let dear = PriceList::with([(Product::Scan, AtomicUsdc::new(250_000))]).unwrap();
    let other = Asset {
        contract: TokenAddress::from_bytes([9; 20]),
        name: "Other".to_owned(),
        version: "1".to_owned(),
    };
    let elsewhere = TestWallet::other().address();
    let cheap = CostCaps::with([(Product::Scan, Some(UsdMicros::new(1)))]);
    let changes: [(Terms, CostCaps); 6] = [
        (
            Terms::new(network, usdc.clone(), buyer::pay_to(), timeout).priced(dear),
            CostCaps::default(),
        ),
        (
            Terms::new(network, usdc.clone(), elsewhere, timeout),
            CostCaps::default(),
        ),
        (
            Terms::new(network, other, buyer::pay_to(), timeout),
            CostCaps::default(),
        ),
        (
            Terms::new(
                Network::Base,
                Asset::usdc(Network::Base),
                buyer::pay_to(),
                timeout,
            ),
            CostCaps::default(),
        ),
        (
            Terms::new(
                network,
                usdc.clone(),
                buyer::pay_to(),
                NonZeroU32::new(60).unwrap(),
            ),
            CostCaps::default(),
        ),
        (Terms::new(network, usdc, buyer::pay_to(), timeout), cheap),
    ];
    let shop = |change: &dyn Fn(&mut Paid)| {
        let mut paid = buyer::paid(facilitator.clone());
        change(&mut paid);
        let setup = Setup::default().store(store.clone());
        setup.tune(|service| service.paid = Some(paid)).spawn()
    };
    let before = shop(&|_| {});
    let buyer = Buyer::of(&before);
    let mut bought = Vec::new();
    for version in [X402Version::V1, X402Version::V2] {
        let payment = buyer.pay(Product::Scan, version);
        let reply = buyer.send(SCAN, &payment, &small_purchase()).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        bought.push((payment, reply.text));
    }
    let mut returned = 0;
    for (terms, caps) in changes {
        let terms = Arc::new(terms);
        let after = shop(&|paid| {
            paid.terms = terms.clone();
            paid.caps = caps;
        });
        let buyer = Buyer::with(&after.url, TestWallet::rich());
        for (payment, text) in &bought {
            let again = buyer.send(SCAN, payment, &small_purchase()).await;
            assert_eq!((again.status.as_u16(), &again.text), (200, text), "{terms:?}");
            assert!(!again.header("payment-response").is_empty());
            returned += 1;
            // For another request it is refused as ever.
            let mut other = small_purchase();
            other["keyword"] = json!("roofer");
            assert!(buyer.send(SCAN, payment, &other).await.status.is_client_error());
        }
    }
    assert_eq!((returned, facilitator.transfers().len()), (12, 2));
}
