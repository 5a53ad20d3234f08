//! The bytes of every dialect.

use super::*;
use crate::prompt::{Coordinates, Scene};
use tokio::time::Instant;

fn prompt(search: WebSearch) -> Prompt {
    Prompt {
        model: "vendor/model".to_owned(),
        text: "Which \"dentist\"?\n".to_owned(),
        search,
        engine: None,
        force_search: false,
        resume: None,
        place: None,
        max_tokens: 2_000,
        deadline: Instant::now(),
        share: crate::Share::default(),
        scene: Scene {
            domain: "target-domain.es".parse().unwrap(),
            keyword: "secret keyword".to_owned(),
            place: Some("Nowhere".to_owned()),
            distance_km: Some(12.5),
            language: "tlh".to_owned(),
        },
    }
}

/// The prompt with a place and with the vendor's own engine.
fn placed(search: WebSearch) -> Prompt {
    Prompt {
        engine: Some(SearchEngine::Native),
        place: Some(UserPlace {
            city: Some("Sevilla".to_owned()),
            region: None,
            country_code: "ES".to_owned(),
            coordinates: Some(Coordinates {
                latitude: 37.5,
                longitude: -6.0,
            }),
        }),
        ..prompt(search)
    }
}

fn style(dialect: Dialect) -> Style {
    Style::of(dialect, &"http://127.0.0.1/v1".parse().unwrap())
}

fn check(style: Style, prompt: &Prompt, expected: Value) -> Asked {
    let ask = style.ask(prompt, Firmness::Strongest);
    assert_eq!(ask.body, expected);
    let text = ask.body.to_string();
    for hidden in ["target-domain", "secret keyword", "Nowhere", "12.5", "tlh"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    ask.asked
}

fn messages() -> Value {
    json!([{"role": "user", "content": "Which \"dentist\"?\n"}])
}

fn approximately_sevilla() -> Value {
    json!({"type": "approximate", "city": "Sevilla", "country": "ES"})
}

#[test]
fn openrouter_gets_a_forced_tool_with_engine_and_place() {
    let style = style(Dialect::OpenRouter);
    let mut body = json!({"model": "vendor/model", "messages": messages(), "max_completion_tokens": 2000,
        "tools": [{"type": "openrouter:web_search",
            "parameters": {"engine": "native", "user_location": approximately_sevilla()}}],
        "tool_choice": {"type": "openrouter:web_search"}});
    let asked = check(style, &placed(WebSearch::Tool), body.clone());
    assert_eq!(
        (asked.engine, asked.location),
        (Some("native"), Some(LocationHint::Sent))
    );
    // Another engine takes no place.
    let mut exa = placed(WebSearch::Tool);
    exa.engine = Some(SearchEngine::Exa);
    body["tools"][0]["parameters"] = json!({"engine": "exa"});
    let asked = check(style, &exa, body.clone());
    assert_eq!(
        (asked.engine, asked.location),
        (Some("exa"), Some(LocationHint::NotSupported))
    );
    body["tools"] = json!([{"type": "openrouter:web_search"}]);
    assert_eq!(
        check(style, &prompt(WebSearch::Tool), body.clone()).location,
        None
    );
    // A model that refuses to be forced is still offered the tool.
    body.as_object_mut().unwrap().remove("tool_choice");
    assert_eq!(style.ask(&prompt(WebSearch::Tool), Firmness::Offered).body, body);
}

#[test]
fn openrouter_sends_the_place_along_with_built_in_searchers() {
    let style = style(Dialect::OpenRouter);
    let mut body = json!({"model": "vendor/model", "messages": messages(), "max_completion_tokens": 2000});
    let asked = check(style, &placed(WebSearch::Off), body.clone());
    assert_eq!(
        (asked.search, asked.location),
        (SearchAsked::Nothing, Some(LocationHint::NotSupported))
    );
    check(style, &prompt(WebSearch::Builtin), body.clone());
    let offered = style.ask(&placed(WebSearch::Builtin), Firmness::Offered);
    assert_eq!(
        (offered.body, offered.asked.location),
        (body.clone(), Some(LocationHint::NotSupported))
    );
    body["web_search_options"] = json!({"user_location":
        {"city": "Sevilla", "country": "ES", "latitude": 37.5, "longitude": -6.0}});
    let asked = check(style, &placed(WebSearch::Builtin), body);
    assert_eq!(
        (asked.search, asked.location),
        (SearchAsked::Builtin, Some(LocationHint::Sent))
    );
}

#[test]
fn plain_chat_completions_get_standard_members_only() {
    let mut body = json!({"model": "vendor/model", "messages": messages(), "max_tokens": 2000});
    let asked = check(style(Dialect::OpenAi), &placed(WebSearch::Tool), body.clone());
    assert_eq!(
        (asked.search, asked.location),
        (SearchAsked::Nothing, Some(LocationHint::NotSupported))
    );
    let openai = Style::of(Dialect::OpenAi, &"https://api.openai.com/v1".parse().unwrap());
    let mut short = prompt(WebSearch::Tool);
    short.max_tokens = 1;
    body.as_object_mut().unwrap().remove("max_tokens");
    body["max_completion_tokens"] = json!(16);
    check(openai, &short, body);
}

#[test]
fn perplexity_searches_every_time_and_takes_a_point() {
    let style = style(Dialect::Perplexity);
    let body = json!({"model": "vendor/model", "messages": messages(), "max_tokens": 2000,
        "disable_search": false, "enable_search_classifier": false,
        "web_search_options": {"user_location":
            {"city": "Sevilla", "country": "ES", "latitude": 37.5, "longitude": -6.0}}});
    for search in [WebSearch::Tool, WebSearch::Builtin] {
        let asked = check(style, &placed(search), body.clone());
        assert_eq!(
            (asked.search, asked.engine),
            (SearchAsked::Builtin, Some("perplexity"))
        );
    }
    let off =
        json!({"model": "vendor/model", "messages": messages(), "max_tokens": 2000, "disable_search": true});
    check(style, &placed(WebSearch::Off), off);
}

#[test]
fn litellm_gets_search_options() {
    let body = json!({"model": "vendor/model", "messages": messages(), "max_tokens": 2000,
        "web_search_options": {"search_context_size": "medium",
            "user_location": {"type": "approximate", "approximate": {"city": "Sevilla", "country": "ES"}}}});
    let asked = check(style(Dialect::LiteLlm), &placed(WebSearch::Tool), body);
    assert_eq!(
        (asked.search, asked.location),
        (SearchAsked::Tool, Some(LocationHint::Sent))
    );
}

#[test]
fn responses_require_the_tool() {
    let style = style(Dialect::OpenAiResponses);
    let mut body = json!({"model": "vendor/model", "input": "Which \"dentist\"?\n", "max_output_tokens": 2000,
        "store": false, "tools": [{"type": "web_search", "user_location": approximately_sevilla()}],
        "include": ["web_search_call.action.sources"], "tool_choice": "required"});
    check(style, &placed(WebSearch::Tool), body.clone());
    body.as_object_mut().unwrap().remove("tool_choice");
    assert_eq!(style.ask(&placed(WebSearch::Tool), Firmness::Offered).body, body);
    let off = json!({"model": "vendor/model", "input": "Which \"dentist\"?\n", "max_output_tokens": 2000, "store": false});
    check(style, &placed(WebSearch::Off), off);
}

#[test]
fn messages_force_the_tool_by_name() {
    let style = style(Dialect::Anthropic);
    let mut body = json!({"model": "vendor/model", "messages": messages(), "max_tokens": 2000,
        "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 3,
            "user_location": approximately_sevilla()}],
        "tool_choice": {"type": "tool", "name": "web_search"}});
    check(style, &placed(WebSearch::Tool), body.clone());
    body.as_object_mut().unwrap().remove("tool_choice");
    assert_eq!(style.ask(&placed(WebSearch::Tool), Firmness::Offered).body, body);
}

#[test]
fn gemini_gets_search_grounding_and_a_point() {
    let style = style(Dialect::Gemini);
    let contents = json!([{"role": "user", "parts": [{"text": "Which \"dentist\"?\n"}]}]);
    let limit = json!({"maxOutputTokens": 2000});
    let body = json!({"contents": contents, "generationConfig": limit, "tools": [{"google_search": {}}],
        "toolConfig": {"retrievalConfig": {"latLng": {"latitude": 37.5, "longitude": -6.0}}}});
    let asked = check(style, &placed(WebSearch::Tool), body);
    assert_eq!(
        (asked.engine, asked.location),
        (Some("google"), Some(LocationHint::Sent))
    );
    check(
        style,
        &placed(WebSearch::Off),
        json!({"contents": contents, "generationConfig": limit}),
    );
}

#[test]
fn a_paused_turn_is_sent_back() {
    let said = json!([{"type": "server_tool_use", "id": "s1"}]);
    let prompt = Prompt {
        resume: Some(said.clone()),
        ..prompt(WebSearch::Tool)
    };
    let body = vendor::messages(&prompt, Firmness::Strongest);
    assert_eq!(body["messages"][1], json!({"role": "assistant", "content": said}));
    assert!(body.get("tool_choice").is_none());
}
