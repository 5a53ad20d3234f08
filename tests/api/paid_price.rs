//! Sold orders are fitted to their price, and the offer shows their size.

use crate::paid::{SCAN, decoded, shop};
use ibid_model::{AtomicUsdc, PriceList, Product, UsdMicros, X402Version};
use ibid_service::{CostCaps, Paid};
use ibid_tests::buyer::{self, draft};
use ibid_tests::{Buyer, Setup, TestServer};
use ibid_x402::{PriceQuote, SandboxFacilitator, Terms};
use serde_json::{Value, json};
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
    Setup::default().tune(|builder| builder.paid(paid)).spawn()
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
