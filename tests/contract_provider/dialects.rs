//! Every dialect against a fake of its router: the fields that ask for a search, and the record that its documented reply
//! gives. A test fails when a forcing field is missing from the wire.

use crate::support::{ask, config, question, router};
use ibid_model::SearchEngine;
use ibid_model::result::{LocationHint, Retrieval, Searched};
use ibid_provider::{Completion, Coordinates, Dialect, Prompt, Provider as _, Router, UserPlace, WebSearch};
use ibid_tests::fake_router::{Attempt, FakeRouter, Reply, Script};
use serde_json::{Value, json};

/// A question from Sevilla to a model that needs a search.
fn from_sevilla() -> Prompt {
    Prompt {
        engine: Some(SearchEngine::Native),
        place: Some(UserPlace {
            city: Some("Sevilla".to_owned()),
            region: Some("Andalucía".to_owned()),
            country_code: "ES".to_owned(),
            coordinates: Some(Coordinates {
                latitude: 37.38,
                longitude: -5.97,
            }),
        }),
        ..question("m")
    }
}

fn speaking(fake: &FakeRouter, dialect: Dialect) -> Router {
    let mut config = config(fake);
    config.dialect = dialect;
    router(&config)
}

/// Asks one question and returns the request and the answer.
async fn exchange(dialect: Dialect, prompt: &Prompt, reply: Value) -> (Attempt, Completion) {
    let fake = FakeRouter::spawn();
    fake.on_key("k", Script::always(Reply::json(reply)));
    let router = speaking(&fake, dialect);
    let answer = ask(&router, "k", prompt).await.expect("an answer");
    (fake.log().attempts.remove(0), answer)
}

fn check(retrieval: &Retrieval, searched: Searched, engine: Option<&str>, location: LocationHint) {
    assert_eq!(
        (
            retrieval.searched,
            retrieval.engine.as_deref(),
            retrieval.location
        ),
        (searched, engine, Some(location))
    );
}

fn chat(message: Value, more: Value) -> Value {
    let mut reply = json!({"id": "x", "object": "chat.completion", "model": "concrete",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}]});
    if let (Value::Object(reply), Value::Object(more)) = (&mut reply, more) {
        reply.extend(more);
    }
    reply
}

#[tokio::test]
async fn openrouter() {
    // https://openrouter.ai/docs/guides/features/server-tools/web-search
    let searched = chat(
        json!({"role": "assistant", "content": "Try A.", "annotations": [{"type": "url_citation",
            "url_citation": {"url": "https://a.example/", "title": "A", "start_index": 0, "end_index": 6}}]}),
        json!({"usage": {"prompt_tokens": 105, "completion_tokens": 250, "cost": 0.02,
            "server_tool_use": {"web_search_requests": 2}}}),
    );
    let (request, answer) = exchange(Dialect::OpenRouter, &from_sevilla(), searched).await;
    let body = request.json();
    assert_eq!(body["tool_choice"], json!({"type": "openrouter:web_search"}));
    assert_eq!(body["tools"][0]["type"], "openrouter:web_search");
    assert_eq!(body["tools"][0]["parameters"]["engine"], "native");
    assert_eq!(body["tools"][0]["parameters"]["user_location"]["city"], "Sevilla");
    check(
        &answer.retrieval,
        Searched::Yes,
        Some("native"),
        LocationHint::Sent,
    );
    assert_eq!(
        (answer.retrieval.queries, answer.retrieval.sources),
        (Some(2), Some(1))
    );

    let memory = chat(
        json!({"role": "assistant", "content": "Try [A](https://a.example/)."}),
        json!({"usage": {"prompt_tokens": 105, "completion_tokens": 250, "cost": 0.01}}),
    );
    let (_, answer) = exchange(Dialect::OpenRouter, &from_sevilla(), memory).await;
    check(&answer.retrieval, Searched::No, None, LocationHint::Sent);
}

#[tokio::test]
async fn openai_responses() {
    // https://developers.openai.com/api/docs/guides/tools-web-search
    let reply = json!({"id": "resp_1", "object": "response", "status": "completed", "model": "concrete", "output": [
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "dentist",
            "sources": [{"type": "url", "url": "https://a.example/"}]}},
        {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [
            {"type": "output_text", "text": "Try A.", "annotations": [{"type": "url_citation", "start_index": 4,
                "end_index": 5, "url": "https://a.example/", "title": "A"}]}]}],
        "usage": {"input_tokens": 10, "output_tokens": 20}});
    let (request, answer) = exchange(Dialect::OpenAiResponses, &from_sevilla(), reply).await;
    let body = request.json();
    assert_eq!(request.target, "/v1/responses");
    assert_eq!(request.header("authorization"), Some("Bearer k"));
    assert_eq!(body["tool_choice"], "required");
    assert_eq!(body["tools"][0]["type"], "web_search");
    assert_eq!(body["tools"][0]["user_location"]["country"], "ES");
    check(
        &answer.retrieval,
        Searched::Yes,
        Some("openai"),
        LocationHint::Sent,
    );
    assert_eq!(
        (answer.text.as_str(), answer.model.as_deref()),
        ("Try A.", Some("concrete"))
    );
}

#[tokio::test]
async fn anthropic() {
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
    let reply = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "concrete", "content": [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "dentist"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
            {"type": "web_search_result", "url": "https://a.example/", "title": "A", "encrypted_content": "x"}]},
        {"type": "text", "text": "Try A.", "citations": [{"type": "web_search_result_location",
            "url": "https://a.example/", "title": "A", "encrypted_index": "y", "cited_text": "A"}]}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": 20, "server_tool_use": {"web_search_requests": 1}}});
    let (request, answer) = exchange(Dialect::Anthropic, &from_sevilla(), reply).await;
    let body = request.json();
    assert_eq!(request.target, "/v1/messages");
    assert_eq!(request.header("x-api-key"), Some("k"));
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "web_search"}));
    assert_eq!(body["tools"][0]["name"], "web_search");
    assert_eq!(body["tools"][0]["user_location"]["region"], "Andalucía");
    check(
        &answer.retrieval,
        Searched::Yes,
        Some("anthropic"),
        LocationHint::Sent,
    );
    assert_eq!(answer.citations.len(), 1);
}

#[tokio::test]
async fn perplexity() {
    // https://docs.perplexity.ai/api-reference/chat-completions-post
    let reply = chat(
        json!({"role": "assistant", "content": "Try A [1]."}),
        json!({"citations": ["https://a.example/"],
            "search_results": [{"title": "A", "url": "https://a.example/", "date": "2026-01-01"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 20, "search_context_size": "low",
                "cost": {"total_cost": 0.006}}}),
    );
    let (request, answer) = exchange(Dialect::Perplexity, &from_sevilla(), reply).await;
    let body = request.json();
    assert_eq!(
        (&body["disable_search"], &body["enable_search_classifier"]),
        (&json!(false), &json!(false))
    );
    assert!(body["tools"].is_null());
    let place = &body["web_search_options"]["user_location"];
    assert_eq!(
        (&place["city"], &place["latitude"]),
        (&json!("Sevilla"), &json!(37.38))
    );
    check(
        &answer.retrieval,
        Searched::Yes,
        Some("perplexity"),
        LocationHint::Sent,
    );
    assert_eq!(answer.usage.cost.map(|cost| cost.get()), Some(6_000));
}

#[tokio::test]
async fn gemini() {
    // https://ai.google.dev/gemini-api/docs/google-search
    let mut reply = json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "Try A."}]},
        "finishReason": "STOP", "groundingMetadata": {"webSearchQueries": ["dentist"],
            "groundingChunks": [{"web": {"uri": "https://vertexaisearch.cloud.google.com/x", "title": "a.example"}}]}}],
        "modelVersion": "concrete", "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 20}});
    let (request, answer) = exchange(Dialect::Gemini, &from_sevilla(), reply.clone()).await;
    let body = request.json();
    assert_eq!(request.target, "/v1/models/m:generateContent");
    assert_eq!(request.header("x-goog-api-key"), Some("k"));
    assert_eq!(body["tools"], json!([{"google_search": {}}]));
    assert_eq!(body["toolConfig"]["retrievalConfig"]["latLng"]["latitude"], 37.38);
    check(
        &answer.retrieval,
        Searched::Yes,
        Some("google"),
        LocationHint::Sent,
    );

    reply["candidates"][0]["groundingMetadata"] = Value::Null;
    let (_, answer) = exchange(Dialect::Gemini, &from_sevilla(), reply).await;
    check(&answer.retrieval, Searched::No, None, LocationHint::Sent);
}

#[tokio::test]
async fn litellm() {
    // https://docs.litellm.ai/docs/completion/web_search
    let annotated = chat(
        json!({"role": "assistant", "content": "Try A.", "annotations": [{"type": "url_citation",
            "url_citation": {"url": "https://a.example/", "title": "A", "start_index": 0, "end_index": 6}}]}),
        json!({"usage": {"prompt_tokens": 10, "completion_tokens": 20}}),
    );
    let (request, answer) = exchange(Dialect::LiteLlm, &from_sevilla(), annotated).await;
    let options = &request.json()["web_search_options"];
    assert_eq!(options["search_context_size"], "medium");
    assert_eq!(options["user_location"]["approximate"]["city"], "Sevilla");
    check(&answer.retrieval, Searched::Yes, None, LocationHint::Sent);

    // A proxy shows what its provider shows: silence proves nothing.
    let silent = chat(
        json!({"role": "assistant", "content": "Try A."}),
        json!({"usage": {"prompt_tokens": 10}}),
    );
    let (_, answer) = exchange(Dialect::LiteLlm, &from_sevilla(), silent).await;
    check(&answer.retrieval, Searched::Unknown, None, LocationHint::Sent);
}

#[tokio::test]
async fn plain_chat_completions_answer_from_memory() {
    let reply = chat(json!({"role": "assistant", "content": "Try A."}), json!({}));
    let (request, answer) = exchange(Dialect::OpenAi, &from_sevilla(), reply).await;
    assert!(request.json()["tools"].is_null() && request.json()["web_search_options"].is_null());
    check(&answer.retrieval, Searched::No, None, LocationHint::NotSupported);
}

#[tokio::test]
async fn only_dialects_with_a_forcing_field_can_force() {
    let fake = FakeRouter::spawn();
    for (dialect, forces) in [
        (Dialect::OpenRouter, true),
        (Dialect::OpenAiResponses, true),
        (Dialect::Anthropic, true),
        (Dialect::OpenAi, false),
        (Dialect::Perplexity, false),
        (Dialect::Gemini, false),
        (Dialect::LiteLlm, false),
    ] {
        let router = speaking(&fake, dialect);
        assert_eq!(router.can_force_search(&from_sevilla()), forces, "{dialect:?}");
        let off = Prompt {
            search: WebSearch::Off,
            ..from_sevilla()
        };
        assert!(!router.can_force_search(&off));
    }
}

#[tokio::test]
async fn a_model_that_refuses_to_be_forced_is_offered_the_search() {
    // https://github.com/vercel/ai/issues/8201
    let refusal = json!({"error": {"type": "invalid_request_error", "param": "tool_choice", "code": null,
        "message": "Tool choices other than 'auto' are not supported with this model"}});
    let fake = FakeRouter::spawn();
    let refused = Reply::raw(400, "application/json", refusal.to_string());
    fake.on_model("m", Script::sequence([refused, Reply::text("fine")]));
    let router = speaking(&fake, Dialect::OpenRouter);
    assert_eq!(ask(&router, "k", &from_sevilla()).await.unwrap().text, "fine");
    assert!(!router.can_force_search(&from_sevilla()));
    ask(&router, "k", &from_sevilla()).await.unwrap();
    let other = Prompt {
        model: "other".to_owned(),
        ..from_sevilla()
    };
    ask(&router, "k", &other).await.unwrap();
    let attempts = fake.log().attempts;
    let forced: Vec<bool> = attempts
        .iter()
        .map(|attempt| !attempt.json()["tool_choice"].is_null())
        .collect();
    assert_eq!(forced, [true, false, false, true]);
    assert!(attempts.iter().all(|attempt| !attempt.json()["tools"].is_null()));
}

#[tokio::test]
async fn the_list_of_models_reveals_a_proxy() {
    let fake = FakeRouter::spawn();
    let router = speaking(&fake, Dialect::Auto);
    ask(&router, "k", &from_sevilla()).await.unwrap();
    // https://docs.litellm.ai/docs/proxy/model_management
    fake.list(Reply::json(json!({"object": "list", "data": [
        {"id": "m", "object": "model", "created": 1_677_610_602, "owned_by": "openai"}]})));
    router.models(None).await.unwrap();
    assert_eq!(router.dialect(), Dialect::LiteLlm);
    ask(&router, "k", &from_sevilla()).await.unwrap();
    let asked: Vec<bool> = fake
        .log()
        .attempts
        .iter()
        .map(|attempt| !attempt.json()["web_search_options"].is_null())
        .collect();
    assert_eq!(asked, [false, true]);

    // What the operator configured stays.
    let plain = speaking(&fake, Dialect::OpenAi);
    plain.models(None).await.unwrap();
    assert_eq!(plain.dialect(), Dialect::OpenAi);
}
