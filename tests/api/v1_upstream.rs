//! Faults of the model router as callers see them, and the data that the router receives.

use ibid_provider::{Router, RouterConfig};
use ibid_tests::fake_router::{End, FakeRouter, Reply as Answer, Script};
use ibid_tests::{ApiClient, PROVIDER_KEY, Setup, TestServer, small_order};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Identifiers behind the first two aliases.
const FIRST: &str = "~openai/gpt-sol-latest";
const SECOND: &str = "~anthropic/claude-opus-latest";

/// A service whose questions go to a fake router over real sockets.
pub(crate) fn behind(fake: &FakeRouter) -> TestServer {
    ibid_tests::install_tls();
    let mut config = RouterConfig::new(fake.base_url());
    config.attempt_timeout = Duration::from_millis(500);
    // Retries have tests of their own; here they would only take time.
    config.retry.extra_attempts = 0;
    Setup::default()
        .provider(Arc::new(Router::new(&config).unwrap()))
        .spawn()
}

fn two_models() -> Value {
    json!({"domain": "brandnamo.com", "keyword": "plumber", "models": ["model-1-latest", "model-2-latest"],
           "brandNames": ["Brandnamo & Sons"]})
}

#[tokio::test]
async fn one_failing_model_does_not_fail_the_scan() {
    let fake = FakeRouter::spawn();
    fake.on_model(
        FIRST,
        Script::always(Answer::text(
            "1. **Brandnamo** is the best choice\n2. **Rival Works**",
        )),
    );
    fake.on_model(SECOND, Script::always(Answer::error(500, json!({}))));
    let server = behind(&fake);
    let reply = ApiClient::of(&server).scan(&two_models()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let result = reply.json()["result"].clone();
    assert_eq!(result["models"][0]["cited"], true);
    assert_eq!(result["overallScore"], result["models"][0]["score"]);
    assert_eq!(result["models"][1]["error"]["code"], "unavailable");
    assert_eq!(
        (&result["usage"]["answered"], &result["usage"]["failed"]),
        (&json!(3), &json!(3))
    );
}

#[tokio::test]
async fn when_all_models_fail_the_scan_fails_and_nothing_is_kept() {
    let fake = FakeRouter::spawn();
    for broken in [
        Answer::error(503, json!({})),
        Answer::truncated(),
        Answer::reset(),
        Answer::hang(),
        Answer::raw(200, "text/html", "<html>busy</html>"),
        Answer::message(json!({"content": ""})),
        Answer::error_in_200(json!(502), json!({})),
        Answer::error(429, json!({})),
    ] {
        fake.on_model(FIRST, Script::always(broken.clone()));
        let reply = ApiClient::of(&behind(&fake)).scan(&small_order()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (500, "provider_unavailable".into()),
            "{broken:?}"
        );
        assert!(reply.json()["cause"].is_string());
    }
}

#[tokio::test]
async fn the_cause_comes_by_its_name_with_what_to_do() {
    for (status, message, code, cause) in [
        (
            403,
            "Key limit exceeded (monthly limit).",
            400,
            Some("provider_key_cap_reached"),
        ),
        (
            400,
            "Your credit balance is too low to access the API.",
            400,
            None,
        ),
        (
            403,
            "Web search is not enabled for your organization.",
            500,
            Some("search_disabled"),
        ),
        (
            404,
            "No endpoints found matching your data policy.",
            500,
            Some("privacy_restricted"),
        ),
        (
            404,
            "No endpoints found that support tool use.",
            500,
            Some("no_tool_support"),
        ),
        (403, "Access to model denied.", 500, Some("model_closed")),
    ] {
        let fake = FakeRouter::spawn();
        fake.on_model(
            FIRST,
            Script::always(Answer::error(status, json!({"message": message}))),
        );
        let reply = ApiClient::of(&behind(&fake)).scan(&small_order()).await;
        assert_eq!(reply.status.as_u16(), code, "{message}: {}", reply.text);
        assert_eq!(reply.json()["cause"].as_str(), cause, "{}", reply.text);
        if let Some(cause) = cause.and_then(ibid_provider::ProviderError::of_code) {
            let detail = reply.json()["detail"].as_str().unwrap().to_owned();
            assert!(detail.contains(&cause.cause().remedy), "{detail}");
        }
    }
}

#[tokio::test]
async fn further_websites_and_paths_of_shared_hosts_are_own() {
    let fake = FakeRouter::spawn();
    let text = "Good: [Canopy](https://github.com/other/canopy), [one](https://github.com/acme/tool/wiki) and \
                [the guide](https://docs.acmetools.dev/start). Brandnamo is firm, too; see docs.acmetools.dev.";
    fake.on_model(FIRST, Script::always(Answer::text(text)));
    let server = behind(&fake);
    let scan = |domain: &str, own: Value| {
        let order =
            json!({"domain": domain, "ownDomains": own, "keyword": "deploys", "models": ["model-1-latest"]});
        let client = ApiClient::of(&server);
        async move { client.scan(&order).await.json()["result"].clone() }
    };
    let kinds = |result: &Value| -> Vec<(String, String)> {
        let sites = result["sources"].as_array().unwrap().iter();
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        sites
            .map(|site| (word(&site["domain"]), word(&site["kind"])))
            .collect()
    };
    let has = |result: &Value, kind: &str, domain: &str| {
        kinds(result).contains(&(domain.to_owned(), kind.to_owned()))
    };
    let result = scan(
        "https://github.com/acme/tool",
        json!(["docs.acmetools.dev", "brandnamo.com"]),
    )
    .await;
    assert_eq!(result["models"][0]["linkedRate"], 1.0, "{result}");
    let own = |website: &str, answers: u32, mentions: u32| json!({"website": website, "answers": answers, "mentions": mentions});
    let websites = [
        own("github.com/acme/tool", 3, 0),
        own("docs.acmetools.dev", 3, 3),
        own("brandnamo.com", 0, 3),
    ];
    assert_eq!(result["websites"], json!(websites));
    assert!(has(&result, "own", "github.com") && has(&result, "own", "docs.acmetools.dev"));
    assert_eq!(
        kinds(&result)
            .iter()
            .filter(|(domain, _)| domain == "github.com")
            .count(),
        2
    );
    assert_eq!(result["warnings"], json!([]));

    let result = scan("github.com/acme/hammer", json!([])).await;
    assert_eq!(result["models"][0]["linkedRate"], 0.0, "{result}");
    let result = scan("brandnamo.com/shop", json!(["acmetools.dev"])).await;
    assert_eq!(result["models"][0]["linkedRate"], 1.0, "{result}");
    assert_eq!(result["domain"], "brandnamo.com");
    assert_eq!(result["warnings"][0]["code"], "path_left_out", "{result}");
}

#[tokio::test]
async fn what_only_announces_an_answer_is_asked_for_again_and_left_out() {
    let fake = FakeRouter::spawn();
    let text = json!({"content": "I'll search for well-reviewed plumbers near you."});
    fake.on_model(SECOND, Script::always(Answer::message(text)));
    let result = ApiClient::of(&behind(&fake)).scan(&two_models()).await.json()["result"].clone();
    assert_eq!(result["models"][1]["error"]["code"], "unfinished_answer");
    assert_eq!(result["overallScore"], result["models"][0]["score"]);
    assert_eq!(result["usage"]["secondAttempts"], 3);
    let warnings = result["warnings"].as_array().unwrap();
    assert!(
        warnings
            .iter()
            .any(|warning| warning["code"] == "unfinished_answers"),
        "{result}"
    );
}

#[tokio::test]
async fn a_key_that_every_model_refuses_ends_all_calls_at_once() {
    for (status, code) in [
        (401, "provider_key_rejected"),
        (403, "provider_key_rejected"),
        (402, "provider_credit_exhausted"),
    ] {
        let fake = FakeRouter::spawn();
        for model in [FIRST, SECOND] {
            fake.on_model(model, Script::always(Answer::error(status, json!({}))));
        }
        let reply = ApiClient::of(&behind(&fake)).scan(&two_models()).await;
        assert_eq!((reply.status.as_u16(), reply.code()), (400, code.into()));
    }
}

#[tokio::test]
async fn a_model_that_refuses_takes_no_answer_of_the_others() {
    for (status, code) in [
        (401, "provider_key_rejected"),
        (402, "provider_credit_exhausted"),
        (403, "provider_key_rejected"),
        (404, "model_unavailable"),
        (410, "model_retired"),
    ] {
        let fake = FakeRouter::spawn();
        fake.on_model(SECOND, Script::always(Answer::error(status, json!({}))));
        let mut order = two_models();
        order["questionsPerModel"] = json!(10);
        let result = ApiClient::of(&behind(&fake)).scan(&order).await.json()["result"].clone();
        assert_eq!(result["models"][1]["error"]["code"], code);
        assert_eq!(result["models"][0]["coverage"], 1.0, "{status}");
    }
}

#[tokio::test]
async fn a_client_that_hangs_up_stops_the_remaining_calls() {
    let fake = FakeRouter::spawn();
    fake.on_model(FIRST, Script::always(Answer::hang()));
    let server = behind(&fake);
    let client = ApiClient::of(&server);
    let mut order = small_order();
    order["questionsPerModel"] = json!(5);
    let request = client.scan_request(&order).send();
    tokio::select! {
        answer = request => unreachable!("the router hangs, so there is no {answer:?}"),
        _ = fake.until(|log| log.in_flight() == 5) => {}
    }
    let log = fake.until(|log| log.in_flight() == 0).await;
    assert_eq!((log.attempts.len(), log.ended(End::Aborted)), (5, 5));
}

#[tokio::test]
async fn the_router_learns_the_question_and_the_key_and_nothing_else() {
    let fake = FakeRouter::spawn();
    let server = behind(&fake);
    let mut order = two_models();
    order["location"] = json!("Lyon, France");
    assert_eq!(ApiClient::of(&server).scan(&order).await.status, 200);
    let log = fake.log();
    assert_eq!(log.attempts.len(), 66);
    for attempt in &log.attempts {
        assert_eq!(attempt.key.as_deref(), Some(PROVIDER_KEY));
        for (name, value) in &attempt.headers {
            assert!(name == "authorization" || !value.contains(PROVIDER_KEY), "{name}");
            assert!(
                !value.to_lowercase().contains("brandnamo") && name != "x-router-key",
                "{name}: {value}"
            );
        }
        let seen = format!("{} {}", attempt.target, attempt.body);
        assert!(
            !seen.to_lowercase().contains("brandnamo") && !seen.contains(PROVIDER_KEY),
            "{seen}"
        );
    }
}
