//! The happy path, the bounds, both key transports, stored scans.

use ibid_tests::{API_KEY, ApiClient, PROVIDER_KEY, Reply, TestServer, logs, small_order};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::HashMap;

#[tokio::test]
async fn a_scan_comes_back_whole_and_can_be_read_again() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let reply = client
        .scan(&json!({"domain": "https://www.Example.com/x", "keyword": " best  plumber ", "location": "Valencia, Spain"}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.header("x-sandbox"), "true");
    let body = reply.json();
    assert_eq!(
        body.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["cost", "result", "scanId", "status"]
    );
    assert_eq!(body["status"], "complete");
    let result = &body["result"];
    assert_eq!(
        (&result["domain"], &result["keyword"]),
        (&json!("example.com"), &json!("best plumber"))
    );
    assert_eq!(result["usage"]["questions"], 99);
    assert!(
        body["cost"].as_str().unwrap().contains("99 questions"),
        "{}",
        body["cost"]
    );
    assert_eq!(result["sandbox"], true);
    assert_eq!(result["models"].as_array().unwrap().len(), 3);
    assert_eq!(result["radius"]["rings"].as_array().unwrap().len(), 2);

    let id = body["scanId"].as_str().unwrap();
    let stored = client.get(&format!("/api/v1/scan/{id}")).await;
    assert_eq!(stored.status, 200);
    assert_eq!(
        stored.json().as_object().unwrap().keys().collect::<Vec<_>>(),
        ["result", "scanId", "status"]
    );
    let result_of = |text: &str| text[text.find("\"result\":").unwrap()..].to_owned();
    assert_eq!(result_of(&stored.text), result_of(&reply.text), "byte for byte");
}

#[tokio::test]
async fn numbers_are_within_their_ranges_and_agree_with_each_other() {
    let server = TestServer::spawn();
    let body = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1, 2, 3],
                      "models": ["model-1-latest", "model-5-latest"], "questionsPerModel": 10});
    let result = ApiClient::of(&server).scan(&body).await.json()["result"].clone();
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    let mut scores = Vec::new();
    for model in result["models"].as_array().unwrap() {
        let answers = model["answers"].as_array().unwrap();
        assert_eq!(answers.len(), 15, "ten core answers and five of the home town");
        let valid: Vec<f64> = answers
            .iter()
            .filter_map(|answer| answer["score"].as_f64())
            .collect();
        assert!(valid.iter().all(|score| (0.0..=100.0).contains(score)));
        // A question of the home town with the text of a core question is the same question.
        let mut questions: HashMap<&str, Vec<f64>> = HashMap::new();
        for answer in answers {
            let hash = answer["questionHash"].as_str().unwrap();
            questions
                .entry(hash)
                .or_default()
                .extend(answer["score"].as_f64());
        }
        let means = questions.values().filter(|scores| !scores.is_empty());
        let means: Vec<f64> = means
            .map(|scores| scores.iter().sum::<f64>() / scores.len() as f64)
            .collect();
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        // Answers are rounded to one decimal before they are sent, so their mean may differ by half a step.
        assert!(
            (mean - number(&model["score"])).abs() <= 0.11,
            "{mean} {}",
            model["score"]
        );
        for answer in answers.iter().filter(|answer| !answer["breakdown"].is_null()) {
            let parts = &answer["breakdown"];
            let sum: f64 = ["base", "rank", "link", "share"]
                .iter()
                .map(|part| number(&parts[*part]))
                .sum();
            let capped = parts["cap"].as_f64().map_or(sum, |cap| sum.min(cap));
            assert!((capped - number(&answer["score"])).abs() <= 0.11, "{answer}");
        }
        let cited = answers
            .iter()
            .filter(|a| !a["class"].is_null() && a["class"] != "none")
            .count() as f64;
        assert!((cited / valid.len() as f64 - number(&model["citedRate"])).abs() < 1e-3);
        assert_eq!(model["cited"], cited > 0.0);
        scores.push(number(&model["score"]));
    }
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    assert!((mean - number(&result["overallScore"])).abs() <= 0.11);
    let interval = &result["interval"];
    assert!(number(&interval["low"]) <= number(&result["overallScore"]));
    assert!(number(&interval["high"]) >= number(&result["overallScore"]));
    let own: Vec<_> = result["radius"]["topCompetitors"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["self"] == true)
        .collect();
    assert_eq!(own.len(), 1, "the target has exactly one row");
    for ring in result["radius"]["rings"].as_array().unwrap() {
        for market in ring["markets"].as_array().unwrap() {
            let km = number(&market["distanceKm"]);
            assert!(
                km >= number(&ring["fromKm"]) && km <= number(&ring["toKm"]),
                "{market}"
            );
        }
    }
}

#[tokio::test]
async fn every_question_has_its_evidence() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let scan = client
        .scan(&json!({"domain": "example.com", "keyword": "plumber", "questionsPerModel": 4}))
        .await
        .json();
    let id = scan["scanId"].as_str().unwrap();
    let evidence = client.get(&format!("/api/v1/scan/{id}/answers")).await.json();
    assert_eq!(evidence["scanId"], scan["scanId"]);
    let answers = evidence["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 12);
    for answer in answers {
        assert!(!answer["question"].as_str().unwrap().is_empty());
        // Offsets count characters.
        let text: Vec<char> = answer["text"].as_str().unwrap_or_default().chars().collect();
        for quote in answer["reading"]["quotes"].as_array().unwrap() {
            let (start, end) = (
                quote["start"].as_u64().unwrap() as usize,
                quote["end"].as_u64().unwrap() as usize,
            );
            let passage: String = text.get(start..end).unwrap().iter().collect();
            assert_eq!(passage, quote["text"].as_str().unwrap());
        }
    }
}

#[tokio::test]
async fn a_key_in_the_body_works_and_is_logged_as_deprecated() {
    let logs = logs::capture();
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let mut body = small_order();
    body["routerApiKey"] = json!(PROVIDER_KEY);
    let request = client
        .bare(Method::POST, "/api/v1/scan")
        .bearer_auth(API_KEY)
        .header("X-Request-Id", "legacy-1");
    assert_eq!(Reply::of(request.json(&body)).await.status, 200);
    let both = client.scan_request(&body).header("X-Request-Id", "legacy-2");
    assert_eq!(Reply::of(both).await.status, 200);
    for id in ["legacy-1", "legacy-2"] {
        let lines = logs.lines_with("byok.deprecated_body_key");
        let mine: Vec<_> = lines.iter().filter(|line| line.contains(id)).collect();
        assert!(mine.len() == 1 && mine[0].contains("WARN"), "{lines:?}");
    }
}

#[tokio::test]
async fn the_header_wins_over_the_body() {
    let server = TestServer::spawn();
    let mut body = small_order();
    // The sandbox rejects the key "invalid".
    body["routerApiKey"] = json!("invalid");
    assert_eq!(ApiClient::of(&server).scan(&body).await.status, 200);
}

#[tokio::test]
async fn a_missing_or_impossible_provider_key_is_a_bad_request() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let without = || {
        client
            .bare(Method::POST, "/api/v1/scan")
            .bearer_auth(API_KEY)
            .json(&small_order())
    };
    let reply = Reply::of(without()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (400, "provider_key_required".into())
    );
    let reply = Reply::of(without().header("X-Router-Key", "")).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code()),
        (400, "provider_key_required".into())
    );
    for bad in [&"k".repeat(513)[..], "a b", "tab\tkey"] {
        let reply = Reply::of(without().header("X-Router-Key", bad)).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (400, "provider_key_invalid".into()),
            "{bad}"
        );
    }
}

#[tokio::test]
async fn the_providers_verdict_on_the_key_is_not_our_401() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for (key, code) in [
        ("invalid", "provider_key_rejected"),
        ("broke", "provider_credit_exhausted"),
    ] {
        let request = client
            .bare(Method::POST, "/api/v1/scan")
            .bearer_auth(API_KEY)
            .header("X-Router-Key", key);
        let reply = Reply::of(request.json(&small_order())).await;
        assert_eq!((reply.status.as_u16(), reply.code()), (400, code.into()));
    }
}

#[tokio::test]
async fn unknown_scans_and_malformed_ids_are_not_found() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for id in ["11111111-1111-4111-8111-111111111111", "1", "..", "%00", "x'--"] {
        let reply = client.get(&format!("/api/v1/scan/{id}")).await;
        assert_eq!(reply.status, 404, "{id}");
    }
    let reply = client
        .get("/api/v1/scan/11111111-1111-4111-8111-111111111111")
        .await;
    assert_eq!(reply.code(), "scan_not_found");
    assert_eq!(reply.header("content-type"), "application/problem+json");
}

#[tokio::test]
async fn without_a_place_there_are_no_rings() {
    let server = TestServer::spawn();
    let mut body = small_order();
    body["rings"] = json!([1]);
    let result = ApiClient::of(&server).scan(&body).await.json()["result"].clone();
    assert_eq!(result["location"], Value::Null);
    assert_eq!(result["radius"]["rings"], json!([]));
    assert_eq!(result["radius"]["status"], "no_location");
    assert_eq!(result["warnings"][0]["code"], "rings_without_location");
}

#[tokio::test]
async fn the_same_order_gives_the_same_numbers() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let body = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"});
    let (first, second) = (client.scan(&body).await.json(), client.scan(&body).await.json());
    assert_ne!(first["scanId"], second["scanId"]);
    assert_eq!(first["result"]["overallScore"], second["result"]["overallScore"]);
    assert_eq!(
        first["result"]["models"][0]["answers"],
        second["result"]["models"][0]["answers"]
    );
}
