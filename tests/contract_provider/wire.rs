//! Wire formats, and the list of models.

use crate::support::{TARGET, ask, config, question, router};
use ibid_model::{Catalog, UsdMicros};
use ibid_provider::{Dialect, ProviderError, UserPlace, WebSearch, available};
use ibid_tests::fake_router::{Attempt, FakeRouter, Reply, Script};
use serde_json::json;

/// Asks one question and returns the request that arrived.
async fn sent(dialect: Dialect, search: WebSearch) -> Attempt {
    let fake = FakeRouter::spawn();
    let mut config = config(&fake);
    config.dialect = dialect;
    config.referer = Some("https://ibid.example/".to_owned());
    let mut prompt = question("vendor/model");
    prompt.search = search;
    prompt.place = Some(UserPlace {
        city: Some("Sevilla".to_owned()),
        region: Some("Andalucía".to_owned()),
        country_code: "ES".to_owned(),
        coordinates: None,
    });
    // The fake replies with chat completions, which not every dialect can read.
    let _ = ask(&router(&config), "k", &prompt).await;
    fake.log().attempts.remove(0)
}

#[tokio::test]
async fn openrouter_gets_its_search_tool_and_attribution() {
    let request = sent(Dialect::OpenRouter, WebSearch::Tool).await;
    assert_eq!(request.target, "/v1/chat/completions");
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("authorization"), Some("Bearer k"));
    assert_eq!(request.header("referer"), Some("https://ibid.example/"));
    assert_eq!(request.header("x-openrouter-title"), Some("ibid"));
    assert!(
        request
            .header("user-agent")
            .is_some_and(|agent| agent.starts_with("ibid/"))
    );
    let body = request.json();
    let location = json!({"type": "approximate", "city": "Sevilla", "region": "Andalucía", "country": "ES"});
    assert_eq!(
        body["tools"],
        json!([{"type": "openrouter:web_search", "parameters": {"user_location": location}}])
    );
    assert_eq!(body["tool_choice"], json!({"type": "openrouter:web_search"}));
    assert_eq!(body["max_completion_tokens"], 500);
    assert!(sent(Dialect::OpenRouter, WebSearch::Builtin).await.json()["tools"].is_null());
}

#[tokio::test]
async fn other_routers_get_only_standard_members_and_headers() {
    let request = sent(Dialect::OpenAi, WebSearch::Tool).await;
    let body = request.json();
    let mut members: Vec<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
    members.sort_unstable();
    assert_eq!(members, ["max_tokens", "messages", "model"]);
    assert_eq!(request.header("x-openrouter-title"), None);
    assert_eq!(request.header("referer"), None);
}

#[tokio::test]
async fn the_target_never_leaves_the_process() {
    for dialect in [
        Dialect::OpenRouter,
        Dialect::OpenAi,
        Dialect::OpenAiResponses,
        Dialect::Anthropic,
        Dialect::Perplexity,
        Dialect::Gemini,
        Dialect::LiteLlm,
    ] {
        let request = sent(dialect, WebSearch::Tool).await;
        let everything = format!("{request:?}").to_lowercase();
        assert!(everything.contains("sevilla"));
        for word in [TARGET, "scanned-target", "scanned_target", "distance"] {
            assert!(!everything.contains(word), "{word} in {everything}");
        }
    }
}

#[tokio::test]
async fn a_base_address_may_be_written_in_many_ways() {
    for tail in ["", "/", "/v1", "/v1/", "/v1/chat/completions"] {
        let fake = FakeRouter::spawn();
        let mut config = config(&fake);
        config.base_url = format!("{}{tail}", fake.base_url().as_str().trim_end_matches("/v1"))
            .parse()
            .unwrap();
        ask(&router(&config), "k", &question("m"))
            .await
            .expect("an answer");
        assert_eq!(fake.log().attempts[0].target, "/v1/chat/completions", "{tail}");
    }
}

#[tokio::test]
async fn the_list_of_models_prices_the_table() {
    let fake = FakeRouter::spawn();
    fake.list(Reply::json(json!({"data": [
        {"id": "openai/gpt-6-sol", "pricing": {"prompt": "0.000003", "completion": "0.000012", "web_search": "0.02"}},
        {"id": "~x-ai/grok-latest", "pricing": {"prompt": "-1", "completion": "-1"}},
    ]})));
    let router = router(&config(&fake));
    let models = router.models(None).await.unwrap();
    let catalog = available(&Catalog::builtin(), &models);
    let first = &catalog.models()[0];
    assert_eq!(first.first_candidate(), "openai/gpt-6-sol");
    assert_eq!(first.prices.prompt_per_million, UsdMicros::new(3_000_000));
    assert_eq!(first.prices.per_search, UsdMicros::new(20_000));
    assert_eq!(catalog.models()[4], Catalog::builtin().models()[4]);
    assert_eq!(fake.log().lists[0].header("authorization"), None);
    router.models(Some(&"k".parse().unwrap())).await.unwrap();
    assert_eq!(fake.log().lists[1].header("authorization"), Some("Bearer k"));
    assert_eq!(router.probe().await, Ok(()));
}

#[tokio::test]
async fn a_list_that_is_none_is_an_error() {
    let fake = FakeRouter::spawn();
    let router = router(&config(&fake));
    let models = async |reply: Reply| {
        fake.list(reply);
        (router.models(None).await.unwrap_err(), router.probe().await)
    };
    assert_eq!(
        models(Reply::error(401, json!({}))).await,
        (ProviderError::KeyRejected, Ok(()))
    );
    assert_eq!(
        models(Reply::error(503, json!({}))).await,
        (ProviderError::Unavailable, Err(ProviderError::Unavailable))
    );
    assert_eq!(
        models(Reply::raw(200, "text/html", "<html>")).await,
        (ProviderError::Unreadable, Ok(()))
    );
    let long = vec![b' '; 9_000_000];
    assert_eq!(
        models(Reply::raw(200, "application/json", long)).await,
        (ProviderError::Unreadable, Ok(()))
    );
    drop(fake);
    assert_eq!(router.probe().await, Err(ProviderError::Connection));
    assert_eq!(router.models(None).await, Err(ProviderError::Connection));
}

#[tokio::test]
async fn connections_are_kept_for_the_next_question() {
    let fake = FakeRouter::spawn();
    fake.on_model("m", Script::always(Reply::text("fine")));
    let router = router(&config(&fake));
    for _ in 0..20 {
        ask(&router, "k", &question("m")).await.expect("an answer");
    }
    assert_eq!(fake.log().attempts.len(), 20);
    assert_eq!(fake.connections(), 1);
}
