use super::*;
use crate::incoming::Incoming;
use ibid_model::contract::object;
use serde_json::json;

fn message(parts: Value, metadata: Value) -> Message {
    let params = json!({"message": {"role": "user", "messageId": "m", "parts": parts, "metadata": metadata}});
    Incoming::parse(params.as_object().unwrap().clone())
        .unwrap()
        .message
}

fn found(parts: Value, metadata: Value, wanted: Option<Skill>) -> String {
    match find(&message(parts, metadata), wanted) {
        Ok(Found::Request(request)) => format!("{} {}", request.skill, Value::Object(request.fields)),
        Ok(Found::Words { wanted }) => format!("words {}", wanted.map_or("", Skill::as_str)),
        Err(CallError::InvalidParams(bad)) => bad
            .faults
            .iter()
            .map(|fault| fault.field.clone())
            .collect::<Vec<_>>()
            .join(" "),
        Err(other) => panic!("{other}"),
    }
}

#[track_caller]
fn check(data: Value, expected: &str) {
    // A data part, the same as text, and as a fenced block of text.
    let texts = [
        data.to_string(),
        format!("\n```json\n{data}\n```\n"),
        format!("``` {data:#} ```"),
    ];
    assert_eq!(
        found(json!([{"kind": "data", "data": data}]), json!({}), None),
        expected,
        "{data}"
    );
    // Into a text there is no pointer.
    let expected = expected.replace("/data/skill", "/text");
    for text in texts {
        assert_eq!(
            found(json!([{"kind": "text", "text": text}]), json!({}), None),
            expected,
            "{text}"
        );
    }
}

#[test]
fn a_skill_is_named_or_inferred() {
    check(
        json!({"skill": "scan", "domain": "a.example"}),
        r#"scan {"domain":"a.example"}"#,
    );
    check(
        json!({"skill": "my-receipts", "limit": 5}),
        r#"my-receipts {"limit":5}"#,
    );
    check(
        json!({"domain": "a.example", "keyword": "k"}),
        r#"scan {"domain":"a.example","keyword":"k"}"#,
    );
    check(
        json!({"domain": "a.example", "keyword": "k", "rings": [1]}),
        r#"radius {"domain":"a.example","keyword":"k","rings":[1]}"#,
    );
    check(
        json!({"url": "https://a.example/"}),
        r#"audit {"url":"https://a.example/"}"#,
    );
    check(json!({"html": "<p>"}), r#"audit {"html":"<p>"}"#);
    check(
        json!({"url": "u", "domain": "a.example", "keyword": "k"}),
        r#"scan {"domain":"a.example","keyword":"k"}"#,
    );
    check(
        json!({"skill": "audit", "url": null, "html": ""}),
        r#"audit {"html":""}"#,
    );
    for words in [
        json!({}),
        json!({"domain": "a.example"}),
        json!({"url": "u", "domain": "d"}),
        json!({"q": 1}),
    ] {
        check(words, "words ");
    }
    check(json!({"skill": "watch"}), "/message/parts/0/data/skill");
    check(json!({"skill": 7}), "/message/parts/0/data/skill");
}

#[test]
fn the_skill_may_stand_in_the_metadata() {
    let data = json!([{"kind": "data", "data": {"domain": "d", "keyword": "k"}}]);
    let named = |skill: &str| json!({"skillId": skill});
    assert_eq!(
        found(data.clone(), named("full"), None),
        r#"full {"domain":"d","keyword":"k"}"#
    );
    assert_eq!(
        found(data.clone(), named("bogus"), None),
        "/message/metadata/skillId"
    );
    let both = json!([{"kind": "data", "data": {"skill": "scan"}}]);
    assert_eq!(found(both.clone(), named("scan"), None), "scan {}");
    assert_eq!(found(both, named("audit"), None), "/message/parts/0/data/skill");
    let words = json!([{"kind": "text", "text": "please"}]);
    assert_eq!(found(words.clone(), named("radius"), None), "words radius");
    assert_eq!(found(words.clone(), named("my-receipts"), None), "my-receipts {}");
    // What an earlier message named, a later one may fill in.
    assert_eq!(
        found(data, json!({}), Some(Skill::Full)),
        r#"full {"domain":"d","keyword":"k"}"#
    );
    assert_eq!(found(words.clone(), json!({}), Some(Skill::Full)), "words full");
    let page = json!([{"kind": "data", "data": {"url": "u"}}]);
    assert_eq!(
        found(page.clone(), json!({}), Some(Skill::Scan)),
        r#"audit {"url":"u"}"#
    );
    assert_eq!(found(page, json!({}), Some(Skill::Full)), r#"full {"url":"u"}"#);
}

#[test]
fn a_message_holds_one_request() {
    let scan = json!({"skill": "scan", "domain": "d", "keyword": "k"});
    let part = |data: &Value| json!({"kind": "data", "data": data});
    let text = |text: &str| json!({"kind": "text", "text": text});
    let expected = r#"scan {"domain":"d","keyword":"k"}"#;
    assert_eq!(
        found(json!([text("hi"), part(&scan), text("bye")]), json!({}), None),
        expected
    );
    assert_eq!(
        found(json!([part(&scan), text(&scan.to_string())]), json!({}), None),
        expected
    );
    let other = json!({"skill": "scan", "domain": "e", "keyword": "k"});
    assert_eq!(
        found(json!([part(&scan), text("{"), part(&other)]), json!({}), None),
        "/message/parts/2"
    );
    // Parsers disagree about which of two equal members counts.
    let twice = r#"{"skill": "scan", "domain": "d", "domain": "e"}"#;
    assert_eq!(
        found(json!([text(twice)]), json!({}), None),
        "/message/parts/0/text"
    );
}

#[test]
fn texts_that_are_not_json_are_prose() {
    for words in [
        "",
        "scan example.com",
        "{",
        "{}x",
        "[1]",
        "```",
        "```json",
        "```\n{\n```",
        "\"x\"",
        "{domain: 1}",
    ] {
        assert_eq!(
            found(json!([{"kind": "text", "text": words}]), json!({}), None),
            "words ",
            "{words}"
        );
    }
}

#[test]
fn only_members_that_the_skill_knows_are_kept() {
    let data = json!({"skill": "scan", "domain": "d", "routerApiKey": "sk-secret", "tier": "byok", "html": "<p>",
        "x402.payment.payload": {"signature": "0x"}, "X-PAYMENT": "eyJ"});
    check(data, r#"scan {"domain":"d"}"#);
}

#[test]
fn every_example_names_its_skill_and_uses_fields_of_the_table() {
    for skill in Skill::ALL {
        let example = object(skill.row().example);
        let text = Value::Object(example.clone()).to_string();
        let Ok(Found::Request(request)) =
            find(&message(json!([{"kind": "text", "text": text}]), json!({})), None)
        else {
            panic!("{text}");
        };
        assert_eq!(request.skill(), skill);
        assert_eq!(
            request.fields().len() + 1,
            example.len(),
            "{text} has members that are not kept"
        );
        for field in skill.row().required {
            assert!(example.contains_key(field.name), "{text} lacks {}", field.name);
        }
    }
}

#[test]
fn a_misspelt_member_is_refused_with_the_nearest_name() {
    for (name, meant) in [("questionPerModel", Some("questionsPerModel")), ("colour", None)] {
        let mut members = json!({"skill": "scan", "domain": "a.example", "keyword": "crm"});
        members[name] = json!(1);
        let found = request(members.as_object().unwrap(), None, None, || "/here".to_owned());
        let said = found.err().map(|error| format!("{error:?}"));
        match meant {
            Some(meant) => assert!(said.unwrap().contains(&format!("the nearest is {meant}"))),
            None => assert_eq!(said, None),
        }
    }
}
