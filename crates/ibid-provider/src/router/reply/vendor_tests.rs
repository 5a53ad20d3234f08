//! Replies of the vendors' own APIs, as their documents show them.

use super::*;
use crate::completion::Completion;
use crate::router::retrieval::SearchAsked;
use ibid_model::Finish;
use ibid_model::result::Searched;
use serde_json::json;

fn outcome(dialect: Dialect, body: &Value) -> Outcome {
    let asked = Asked {
        search: SearchAsked::Tool,
        complete: true,
        engine: Some("own"),
        location: None,
    };
    Reply {
        dialect,
        asked,
        status: 200,
        hint: None,
        body: body.to_string().as_bytes(),
    }
    .outcome()
}

fn answer(dialect: Dialect, body: &Value) -> Completion {
    match outcome(dialect, body) {
        Outcome::Answered(completion) => completion,
        Outcome::Failed(failure) => panic!("{failure:?}"),
    }
}

fn check(completion: &Completion, searched: Searched, queries: Option<u32>, sources: Option<u32>) {
    let retrieval = &completion.retrieval;
    assert_eq!(
        (retrieval.searched, retrieval.queries, retrieval.sources),
        (searched, queries, sources)
    );
    assert_eq!(completion.usage.searches, queries);
}

#[test]
fn responses_show_their_searches() {
    // https://developers.openai.com/api/docs/guides/tools-web-search
    let mut body = json!({
        "id": "resp_1", "object": "response", "status": "completed", "model": "gpt-6-sol-2026", "error": null,
        "incomplete_details": null,
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search",
                "query": "dentist sevilla", "sources": [{"type": "url", "url": "https://a.example/"},
                {"type": "url", "url": "https://b.example/"}, {"type": "url", "url": "https://c.example/"}]}},
            {"type": "web_search_call", "id": "ws_2", "status": "completed",
                "action": {"type": "open_page", "url": "https://a.example/"}},
            {"type": "message", "role": "assistant", "status": "completed", "content": [{"type": "output_text",
                "text": "Try A.", "annotations": [{"type": "url_citation", "start_index": 4, "end_index": 5,
                "url": "https://a.example/", "title": "A"}]}]},
        ],
        "usage": {"input_tokens": 320, "output_tokens": 80, "total_tokens": 400},
    });
    let completion = answer(Dialect::OpenAiResponses, &body);
    check(&completion, Searched::Yes, Some(1), Some(3));
    assert_eq!(completion.text, "Try A.");
    assert_eq!(completion.citations.len(), 1);
    assert_eq!(completion.model.as_deref(), Some("gpt-6-sol-2026"));
    assert_eq!(
        (completion.usage.prompt_tokens, completion.usage.completion_tokens),
        (320, 80)
    );
    assert_eq!(completion.retrieval.engine.as_deref(), Some("own"));

    body["output"] = json!([body["output"][3]]);
    body["output"][0]["content"][0]["annotations"] = json!([]);
    check(
        &answer(Dialect::OpenAiResponses, &body),
        Searched::No,
        Some(0),
        Some(0),
    );

    body["incomplete_details"] = json!({"reason": "max_output_tokens"});
    assert_eq!(answer(Dialect::OpenAiResponses, &body).finish, Finish::Truncated);
    body["output"][0]["content"] = json!([{"type": "refusal", "refusal": "I can't."}]);
    body["incomplete_details"] = Value::Null;
    let refused = answer(Dialect::OpenAiResponses, &body);
    assert_eq!(
        (refused.text.as_str(), refused.finish),
        ("I can't.", Finish::Refused)
    );
    let failed = json!({"status": "failed", "error": {"code": "server_error", "message": "x"}, "output": []});
    assert!(matches!(
        outcome(Dialect::OpenAiResponses, &failed),
        Outcome::Failed(_)
    ));
}

#[test]
fn messages_show_their_searches() {
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
    let mut body = json!({
        "role": "assistant", "type": "message", "model": "claude-opus-5-5", "stop_reason": "end_turn",
        "content": [
            {"type": "text", "text": "I'll search. "},
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "dentist"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
                {"type": "web_search_result", "url": "https://a.example/", "title": "A", "encrypted_content": "x", "page_age": "May"},
                {"type": "web_search_result", "url": "https://b.example/", "title": "B", "encrypted_content": "y"}]},
            {"type": "text", "text": "Try A.", "citations": [{"type": "web_search_result_location",
                "url": "https://a.example/", "title": "A", "encrypted_index": "z", "cited_text": "…"}]},
        ],
        "usage": {"input_tokens": 6039, "output_tokens": 931, "cache_read_input_tokens": 11,
            "server_tool_use": {"web_search_requests": 1}},
    });
    let completion = answer(Dialect::Anthropic, &body);
    check(&completion, Searched::Yes, Some(1), Some(2));
    assert_eq!(
        (completion.text.as_str(), completion.citations.len()),
        ("I'll search. Try A.", 1)
    );
    assert_eq!(completion.usage.prompt_tokens, 6_050);

    // A search that failed is no search.
    body["content"][2]["content"] =
        json!({"type": "web_search_tool_result_error", "error_code": "unavailable"});
    body["content"][3] = json!({"type": "text", "text": "Try A."});
    body["usage"]["server_tool_use"] = Value::Null;
    check(&answer(Dialect::Anthropic, &body), Searched::No, Some(0), Some(0));
    body["stop_reason"] = json!("pause_turn");
    let paused = answer(Dialect::Anthropic, &body);
    assert_eq!(paused.finish, Finish::Truncated);
    assert_eq!(paused.resume.as_ref(), Some(&body["content"]));
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}});
    assert!(matches!(
        outcome(Dialect::Anthropic, &overloaded),
        Outcome::Failed(_)
    ));
}

#[test]
fn gemini_shows_its_grounding() {
    // https://ai.google.dev/gemini-api/docs/google-search
    let mut body = json!({
        "candidates": [{
            "content": {"role": "model", "parts": [{"text": "hm", "thought": true}, {"text": "Try A."}]},
            "finishReason": "STOP",
            "groundingMetadata": {
                "webSearchQueries": ["dentist sevilla", "best dentist"],
                "searchEntryPoint": {"renderedContent": "<div>"},
                "groundingChunks": [{"web": {"uri": "https://vertexaisearch.cloud.google.com/x", "title": "a.example"}}],
                "groundingSupports": [{"segment": {"startIndex": 0, "endIndex": 6, "text": "Try A."},
                    "groundingChunkIndices": [0]}],
            },
        }],
        "modelVersion": "gemini-3.1-pro",
        "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 30, "thoughtsTokenCount": 8,
            "toolUsePromptTokenCount": 100},
    });
    let completion = answer(Dialect::Gemini, &body);
    check(&completion, Searched::Yes, Some(2), Some(1));
    assert_eq!(completion.text, "Try A.");
    assert_eq!(
        (completion.usage.prompt_tokens, completion.usage.completion_tokens),
        (112, 38)
    );
    assert_eq!(completion.citations[0].title.as_deref(), Some("a.example"));

    body["candidates"][0]["groundingMetadata"] = Value::Null;
    check(&answer(Dialect::Gemini, &body), Searched::No, None, Some(0));
    body["candidates"][0]["finishReason"] = json!("MAX_TOKENS");
    assert_eq!(answer(Dialect::Gemini, &body).finish, Finish::Truncated);
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    let blocked = outcome(Dialect::Gemini, &blocked);
    assert!(matches!(blocked, Outcome::Failed(failure) if failure.error == ProviderError::Empty));
}

#[test]
fn odd_bodies_are_no_answers() {
    for dialect in [Dialect::OpenAiResponses, Dialect::Anthropic, Dialect::Gemini] {
        for body in [json!({}), json!({"output": 5, "content": {}, "candidates": [7]})] {
            assert!(
                matches!(outcome(dialect, &body), Outcome::Failed(failure) if failure.error == ProviderError::Empty),
                "{dialect:?}: {body}"
            );
        }
        for body in [json!([1]), json!("text"), Value::Null] {
            assert!(
                matches!(outcome(dialect, &body), Outcome::Failed(failure) if failure.error == ProviderError::Unreadable)
            );
        }
    }
}
