//! Answers of every shape that was seen in the wild, and of many that were not.

use super::parts::LONGEST_TEXT;
use super::*;
use crate::router::retrieval::SearchAsked;
use ibid_model::Finish;
use ibid_model::result::Searched;
use proptest::prelude::*;
use serde_json::json;

fn outcome(status: u16, body: &str) -> Outcome {
    reply(status, body.as_bytes()).outcome()
}

fn reply(status: u16, body: &[u8]) -> Reply<'_> {
    Reply {
        dialect: Dialect::OpenRouter,
        asked: Asked {
            search: SearchAsked::Tool,
            complete: true,
            engine: Some("native"),
            location: None,
        },
        status,
        hint: None,
        body,
    }
}

/// Reads a 200 with this body: text and finish, or the error.
fn check(body: &str, expected: Result<(&str, Finish), ProviderError>) {
    let seen = match outcome(200, body) {
        Outcome::Answered(completion) => Ok((completion.text, completion.finish)),
        Outcome::Failed(failure) => Err(failure.error),
    };
    let expected = expected.map(|(text, finish)| (text.to_owned(), finish));
    assert_eq!(seen, expected, "{}", body.get(..300).unwrap_or(body));
}

fn with_content(content: Value) -> String {
    json!({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}).to_string()
}

#[test]
fn reads_a_whole_answer() {
    let body = json!({
        "id": "gen-1", "provider": "Acme", "model": "vendor/model-2026", "created": 1.5,
        "choices": [{"index": 0, "finish_reason": "stop", "native_finish_reason": "STOP", "message": {
            "role": "assistant", "content": "Try A.", "refusal": null, "reasoning": "long",
            "annotations": [{"type": "url_citation", "url_citation":
                {"url": "https://a.com/", "title": "A", "start_index": 0, "end_index": 0}}]}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 20, "cost": 0.5},
        "citations": ["https://a.com/", "https://b.com/"],
    });
    let Outcome::Answered(completion) = outcome(200, &body.to_string()) else {
        panic!("no answer");
    };
    assert_eq!(completion.text, "Try A.");
    assert_eq!(completion.model.as_deref(), Some("vendor/model-2026"));
    assert_eq!(completion.finish, Finish::Complete);
    assert_eq!(completion.usage.cost.unwrap().get(), 500_000);
    let urls: Vec<_> = completion.citations.iter().map(|c| c.url.as_str()).collect();
    assert_eq!(urls, ["https://a.com/", "https://b.com/"]);
}

#[test]
fn a_search_shows_in_counters_and_sources() {
    let check = |body: Value, searched, queries, sources| {
        let Outcome::Answered(completion) = outcome(200, &body.to_string()) else {
            panic!("no answer");
        };
        let retrieval = completion.retrieval;
        assert_eq!(
            (retrieval.searched, retrieval.queries, retrieval.sources),
            (searched, queries, sources),
            "{body}"
        );
    };
    let said = |usage: Value, more: Value| {
        let mut message = json!({"content": "See https://a.com/."});
        if let (Value::Object(message), Value::Object(more)) = (&mut message, more) {
            message.extend(more);
        }
        json!({"choices": [{"message": message}], "usage": usage})
    };
    let none = || json!({});
    let counted = |n: u32| json!({"prompt_tokens": 5, "server_tool_use": {"web_search_requests": n}});
    check(said(counted(2), none()), Searched::Yes, Some(2), Some(0));
    check(said(counted(0), none()), Searched::No, Some(0), Some(0));
    // The address in the text is no evidence.
    check(
        said(json!({"prompt_tokens": 5}), none()),
        Searched::No,
        None,
        Some(0),
    );
    check(said(Value::Null, none()), Searched::Unknown, None, None);
    let annotated =
        json!({"annotations": [{"type": "url_citation", "url_citation": {"url": "https://a.com/"}}]});
    check(said(Value::Null, annotated.clone()), Searched::Yes, None, Some(1));
    check(said(counted(1), annotated), Searched::Yes, Some(1), Some(1));
    // https://docs.litellm.ai/docs/completion/web_search and its fields for Claude
    let litellm = json!({"provider_specific_fields": {"citations": [[
        {"type": "web_search_result_location", "url": "https://a.com/", "title": "A", "cited_text": "…"}]]}});
    let usage = json!({"prompt_tokens_details": {"web_search_requests": 1}});
    check(said(usage, litellm), Searched::Yes, Some(1), Some(1));
    // https://docs.perplexity.ai/api-reference/chat-completions-post
    let perplexity = json!({"choices": [{"message": {"content": "x"}}], "citations": ["https://a.com/"],
        "search_results": [{"title": "A", "url": "https://a.com/", "date": "2026-01-01"}], "usage": {"num_search_queries": 2}});
    check(perplexity, Searched::Yes, Some(2), Some(1));
}

#[test]
fn content_comes_in_many_shapes() {
    let whole = |text| Ok((text, Finish::Complete));
    check(&with_content(json!("plain")), whole("plain"));
    check(
        &with_content(
            json!([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "a "}, "b ", {"text": "c"}, 5, {"type": "text"}]),
        ),
        whole("a b c"),
    );
    for empty in [
        json!(null),
        json!(""),
        json!(" \n"),
        json!([]),
        json!({}),
        json!(7),
    ] {
        check(&with_content(empty), Err(ProviderError::Empty));
    }
    check(
        r#"{"choices":[{"text":"legacy","finish_reason":null}]}"#,
        whole("legacy"),
    );
    check(
        r#"{"choices":[{"message":{"content":"x"},"finish_reason":{"odd":1}}]}"#,
        whole("x"),
    );
}

#[test]
fn text_around_the_json_is_ignored() {
    let body = with_content(json!("x"));
    for odd in [
        format!("\u{feff}\n \r\n{body}"),
        format!("{body}\n\ndata: [DONE]\n"),
        format!("{body}{body}"),
        format!("[{body}, {{\"choices\": []}}]"),
        format!("data: {body}\n\ndata: [DONE]\n\n"),
        format!(": PROCESSING\n\ndata: {body}\n\n"),
    ] {
        check(&odd, Ok(("x", Finish::Complete)));
    }
}

#[test]
fn refusals_in_words_are_answers_and_filters_without_words_are_none() {
    check(
        r#"{"choices":[{"message":{"content":null,"refusal":"I can't."}}]}"#,
        Ok(("I can't.", Finish::Refused)),
    );
    check(
        r#"{"choices":[{"message":{"content":"part"},"finish_reason":"content_filter"}]}"#,
        Ok(("part", Finish::Refused)),
    );
    check(
        r#"{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}"#,
        Err(ProviderError::Empty),
    );
    check(
        r#"{"choices":[],"prompt_filter_results":[{}]}"#,
        Err(ProviderError::Empty),
    );
    check(
        r#"{"error":{"code":403,"metadata":{"reasons":["x"]}}}"#,
        Err(ProviderError::Empty),
    );
    check(
        r#"{"choices":[{"message":{"content":"x","refusal":""}}]}"#,
        Ok(("x", Finish::Complete)),
    );
}

#[test]
fn errors_hide_in_answers() {
    let limited = || Err(ProviderError::RateLimited { retry_after: None });
    check(r#"{"error":{"code":429,"message":"x"},"user_id":"u"}"#, limited());
    check(r#"{"error":{"code":"rate_limit_exceeded"}}"#, limited());
    check(r#"{"error":"something"}"#, Err(ProviderError::Unavailable));
    check(
        r#"{"object":"error","code":404,"message":"x"}"#,
        Err(ProviderError::ModelUnavailable),
    );
    check(
        r#"{"choices":[{"error":{"code":502},"message":{"content":"half"},"finish_reason":"error"}]}"#,
        Err(ProviderError::Unavailable),
    );
    check(
        r#"{"choices":[{"message":{"content":"half"},"finish_reason":"error"}]}"#,
        Err(ProviderError::Unavailable),
    );
    check(r#"[{"error":{"code":401}}]"#, Err(ProviderError::KeyRejected));
    check(
        "data: {\"error\":{\"code\":401}}\n\n",
        Err(ProviderError::KeyRejected),
    );
    for harmless in ["null", "{}", "\"\"", "false"] {
        let body = format!(r#"{{"error":{harmless},"choices":[{{"message":{{"content":"x"}}}}]}}"#);
        check(&body, Ok(("x", Finish::Complete)));
    }
}

#[test]
fn a_body_without_an_answer_is_unreadable_or_empty() {
    for body in [
        "",
        "   ",
        "<html><body>502</body></html>",
        "null",
        "7",
        "\"text\"",
        "{\"choices\":[{\"mess",
        "[]",
        "[7]",
        "data: nothing\n\n",
    ] {
        check(body, Err(ProviderError::Unreadable));
    }
    for body in [
        "{}",
        r#"{"choices":null}"#,
        r#"{"choices":[]}"#,
        r#"{"choices":{}}"#,
        r#"{"choices":[null]}"#,
    ] {
        check(body, Err(ProviderError::Empty));
    }
    let invalid = reply(200, b"\xff\xfe{}");
    assert!(
        matches!(invalid.outcome(), Outcome::Failed(failure) if failure.error == ProviderError::Unreadable)
    );
}

#[test]
fn empty_at_the_token_limit_is_not_tried_again() {
    let again = |reason: &str| {
        let body = json!({"choices": [{"message": {"content": ""}, "finish_reason": reason}]}).to_string();
        match outcome(200, &body) {
            Outcome::Failed(failure) => failure.again,
            Outcome::Answered(_) => panic!("answered"),
        }
    };
    assert_eq!((again("length"), again("stop")), (Again::Never, Again::Once));
}

#[test]
fn long_and_deep_answers_are_bounded() {
    let long = with_content(json!("é".repeat(200_000)));
    let Outcome::Answered(completion) = outcome(200, &long) else {
        panic!("no answer");
    };
    assert_eq!(
        (completion.text.len(), completion.finish),
        (LONGEST_TEXT, Finish::Truncated)
    );
    assert!(
        completion.text.capacity() < LONGEST_TEXT * 5 / 4,
        "{}",
        completion.text.capacity()
    );

    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let hidden = format!(
        r#"{{"reasoning_details":{deep},"choices":[{{"message":{{"content":"x","annotations":{deep}}}}}]}}"#
    );
    check(&hidden, Ok(("x", Finish::Complete)));
    check(&deep, Err(ProviderError::Unreadable));
    check(&format!(r#"{{"error":{deep}}}"#), Err(ProviderError::Unavailable));
}

#[test]
fn error_bodies_are_judged_by_status_and_words() {
    let error = |status, body: &str| match outcome(status, body) {
        Outcome::Failed(failure) => Some(failure.error),
        Outcome::Answered(_) => None,
    };
    assert_eq!(
        error(404, r#"{"error":"model 'x' not found"}"#),
        Some(ProviderError::ModelUnavailable)
    );
    assert_eq!(
        error(502, "<html>Bad gateway</html>"),
        Some(ProviderError::Unavailable)
    );
    assert_eq!(error(401, ""), Some(ProviderError::KeyRejected));
    assert_eq!(
        error(400, r#"{"error":{"code":"content_filter","message":"x"}}"#),
        Some(ProviderError::Empty)
    );
    assert_eq!(
        error(400, r#"[{"error":{"code":400}}]"#),
        Some(ProviderError::RequestRefused { status: 400 })
    );
    assert_eq!(
        error(400, r#"{"object":"error","code":40303}"#),
        Some(ProviderError::RequestRefused { status: 400 })
    );
}

/// Answers as routers send them, to be damaged.
fn real_answer() -> impl Strategy<Value = Vec<u8>> {
    let shapes = [
        json!({"id": "gen-1", "model": "a/b", "choices": [{"finish_reason": "stop", "message": {"content": "Try **A** and B.",
            "annotations": [{"type": "url_citation", "url_citation": {"url": "https://a.com", "start_index": 0, "end_index": 3}}]}}],
            "usage": {"prompt_tokens": 5, "cost": 0.01}}),
        json!({"error": {"code": 429, "message": "slow down", "metadata": {"provider_name": "Acme", "retry_after": 3}}}),
        json!({"choices": [{"message": {"content": [{"type": "text", "text": "A"}], "refusal": null}, "error": null}]}),
    ];
    prop::sample::select(shapes.map(|shape| shape.to_string().into_bytes()).to_vec())
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(body in prop::collection::vec(any::<u8>(), 0..300), status in 100_u16..600) {
        let _ = reply(status, &body).outcome();
    }

    #[test]
    fn no_damaged_answer_makes_it_panic(
        mut body in real_answer(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        prefix in "(data: |: x\n|\\[|\n)?",
        status in prop::sample::select(vec![200_u16, 200, 200, 403, 429, 500]),
    ) {
        for (at, byte) in edits {
            let at = at.index(body.len());
            body[at] = byte;
        }
        body.truncate(cut.index(body.len() + 1).max(1));
        let body = [prefix.as_bytes(), &body].concat();
        match reply(status, &body).outcome() {
            Outcome::Answered(completion) => {
                prop_assert!(!completion.text.trim().is_empty());
            }
            Outcome::Failed(failure) => {
                prop_assert!(status != 200 || failure.error != ProviderError::Connection);
            }
        }
    }
}
