//! Two stored scans compared.

use ibid_tests::{API_KEY, ApiClient, Buyer, Reply, Setup, TestServer, small_order};
use reqwest::Method;
use serde_json::{Value, json};

async fn scanned(client: &ApiClient, order: &Value) -> String {
    let reply = client.scan(order).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["scanId"].as_str().unwrap().to_owned()
}

async fn compared(client: &ApiClient, first: &str, second: &str) -> Value {
    let reply = client
        .get(&format!("/api/v1/scan/{first}/compare/{second}"))
        .await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("content-type")),
        (200, "application/json"),
        "{}",
        reply.text
    );
    reply.json()
}

#[tokio::test]
async fn the_same_order_twice_is_within_noise() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let order = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "questionsPerModel": 6});
    let (first, second) = (scanned(&client, &order).await, scanned(&client, &order).await);
    let found = compared(&client, &first, &second).await;
    assert_eq!(found["verdict"], "within_noise");
    assert_eq!(
        (&found["first"]["scanId"], &found["second"]["scanId"]),
        (&json!(first), &json!(second))
    );
    assert_eq!(
        (&found["overall"]["pairing"], &found["overall"]["pairs"]),
        (&json!("paired"), &json!(33))
    );
    assert_eq!(
        (&found["overall"]["mean"], &found["overall"]["pValue"]),
        (&json!(0.0), &json!(1.0))
    );
    assert_eq!(found["models"].as_array().unwrap().len(), 3);
    assert_eq!(found["radius"]["pairs"], 6, "three markets in each of two rings");
    assert!(
        found["sentence"]
            .as_str()
            .unwrap()
            .starts_with("The score of example.com is "),
        "{}",
        found["sentence"]
    );
}

#[tokio::test]
async fn fewer_than_six_questions_are_not_comparable() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let order = json!({"domain": "example.com", "keyword": "plumber", "questionsPerModel": 1});
    let (first, second) = (scanned(&client, &order).await, scanned(&client, &order).await);
    let found = compared(&client, &first, &second).await;
    assert_eq!(
        (&found["verdict"], &found["reasons"][0]["code"]),
        (&json!("not_comparable"), &json!("too_few_questions"))
    );
    assert_eq!(found["overall"]["pValue"], Value::Null);
}

#[tokio::test]
async fn scans_of_other_questions_are_not_comparable_with_a_reason() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let order = json!({"domain": "example.com", "keyword": "plumber", "questionsPerModel": 10});
    let mut other = order.clone();
    other["domain"] = json!("example.org");
    let (first, second) = (scanned(&client, &order).await, scanned(&client, &other).await);
    let found = compared(&client, &first, &second).await;
    assert_eq!(
        (&found["verdict"], &found["reasons"][0]["code"]),
        (&json!("not_comparable"), &json!("other_domain"))
    );
    assert_eq!(found["reasons"][0]["blocks"], true);
    assert!(found["reasons"][0]["stillComparable"].is_string());
    // The same questions were asked, so the numbers are there for who wants the websites compared.
    assert_eq!(found["overall"]["pairs"], 30);
}

#[tokio::test]
async fn scans_of_other_surfaces_and_unknown_ids_are_not_found() {
    let facilitator = std::sync::Arc::new(ibid_x402::SandboxFacilitator::new());
    let server = Setup::default().selling(facilitator).spawn();
    let (client, buyer) = (ApiClient::of(&server), Buyer::of(&server));
    let own = scanned(&client, &small_order()).await;
    let order = json!({"domain": "example.com", "keyword": "plumber"});
    let payment = buyer.pay(ibid_model::Product::Scan, ibid_model::X402Version::V2);
    let bought = buyer.send("/api/a2a/scan", &payment, &order).await.json();
    let bought = bought["scanId"].as_str().unwrap().to_owned();
    let unknown = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
    for (first, second) in [
        (&*own, unknown),
        (unknown, &own),
        (&own, "x"),
        ("x", &own),
        (&own, &bought),
        (&bought, &own),
    ] {
        let reply = client
            .get(&format!("/api/v1/scan/{first}/compare/{second}"))
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (404, "scan_not_found"),
            "{first} {second}"
        );
    }
}

#[tokio::test]
async fn the_bearer_key_is_needed_before_anything_is_looked_up() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let path = "/api/v1/scan/x/compare/y";
    for request in [
        client.bare(Method::GET, path),
        client.bare(Method::GET, path).bearer_auth(format!("{API_KEY}x")),
    ] {
        let reply = Reply::of(request).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (401, "unauthorized")
        );
    }
    assert_eq!(
        Reply::of(client.bare(Method::POST, path).bearer_auth(API_KEY))
            .await
            .status,
        405
    );
}

#[tokio::test]
async fn a_series_has_a_level_and_no_change_while_nothing_moves() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let order = json!({"domain": "example.com", "keyword": "plumber", "questionsPerModel": 4});
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(scanned(&client, &order).await);
    }
    let history = |ids: Value| {
        let request = client.bare(Method::POST, "/api/v1/history").bearer_auth(API_KEY);
        Reply::of(request.json(&json!({"scanIds": ids})))
    };
    let reply = history(json!(ids)).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let found = reply.json();
    assert_eq!(
        (&found["runs"], &found["changes"], &found["notes"]),
        (&json!(4), &json!([]), &json!([]))
    );
    let level = &found["level"];
    assert_eq!((&level["runs"], &level["since"]), (&json!(4), &json!(ids[0])));
    assert!(
        level["interval"]["low"].as_f64() < level["score"].as_f64(),
        "{level}"
    );

    let other = scanned(
        &client,
        &json!({"domain": "example.org", "keyword": "plumber", "questionsPerModel": 4}),
    )
    .await;
    let reply = history(json!([ids[0], other])).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["code"]),
        (409, &json!("not_one_series"))
    );
    assert_eq!(
        reply.json()["cause"],
        "scan 2 has another website than the first: example.org"
    );
    let unknown = history(json!([ids[0], "6f9619ff-8b86-4011-b42d-00c04fc964ff"])).await;
    assert_eq!(
        (unknown.status.as_u16(), &unknown.json()["code"]),
        (404, &json!("scan_not_found"))
    );
    for (short, code) in [(json!([ids[0]]), "out_of_range"), (Value::Null, "required")] {
        let reply = history(short).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["errors"][0]["code"]),
            (400, &json!(code))
        );
    }
}
