//! Blocks of every kind of fault.

use super::*;

fn parse(json: &str) -> Block {
    read(json, 10, 1 << 20)
}

#[track_caller]
fn errors(json: &str, expected: &[(u32, &str)]) {
    let block = parse(json);
    let found: Vec<_> = block
        .errors
        .iter()
        .map(|(line, text)| (*line, text.as_str()))
        .collect();
    assert_eq!(found, expected, "{json}");
}

#[test]
fn faults_are_named_with_their_line() {
    errors(r#"{"@context":"https://schema.org","@type":"Article"}"#, &[]);
    errors(r#"{"@context":"http://schema.org/","@type":"Article"}"#, &[]);
    errors(
        r#"{"@context":["https://schema.org",{"x":"y"}],"@type":"Article"}"#,
        &[],
    );
    errors(
        r#"{"@context":{"@vocab":"https://schema.org/"},"@type":"Article"}"#,
        &[],
    );
    errors(r#"[{"@context":"https://schema.org","@type":"Article"}]"#, &[]);
    errors(
        "//<![CDATA[\n{\"@context\":\"https://schema.org\",\"@type\":\"A\"}\n//]]>",
        &[],
    );
    errors("", &[(10, "the block is empty")]);
    errors(
        "{\"@context\":\"https://schema.org\",\n\"@type\":}",
        &[(11, "the JSON is not valid (column 9)")],
    );
    errors("\n\n{\"a\":", &[(12, "the JSON ends too early (column 5)")]);
    errors(
        r#"{"@type":"Article"}"#,
        &[(10, "there is no schema.org @context")],
    );
    errors(
        r#"{"@context":"https://evil.example/schema.org","@type":"A"}"#,
        &[(10, "there is no schema.org @context")],
    );
    errors(
        r#"{"@context":"https://schema.org"}"#,
        &[(10, "no object has an @type")],
    );
    errors(
        &format!("{}{}", "[".repeat(500), "]".repeat(500)),
        &[(10, "the JSON is not valid (column 128)")],
    );
}

#[test]
fn graphs_are_walked_and_references_followed() {
    let block = parse(
        r##"{"@context":"https://schema.org","@graph":[
        {"@type":["Article","https://schema.org/TechArticle"],"headline":"H","author":{"@id":"#me"},"datePublished":"2026-01-02","publisher":{"@type":"Organization","name":"Acme"},"isAccessibleForFree":"False"},
        {"@type":"Person","@id":"#me","name":"Ana"},
        {"@type":"WebPage","empty":"","none":null}]}"##,
    );
    let types: Vec<_> = block
        .items
        .iter()
        .map(|item| (item.types.join("+"), item.is_root))
        .collect();
    assert_eq!(
        types,
        [
            ("Article+TechArticle".to_owned(), true),
            ("Organization".into(), false),
            ("Person".into(), true),
            ("WebPage".into(), true)
        ]
    );
    let article = &block.items[0];
    assert_eq!(
        article.authors,
        [Author {
            name: "Ana".into(),
            is_organisation: false
        }]
    );
    assert_eq!(
        article.dates,
        [("datePublished".to_owned(), "2026-01-02".to_owned())]
    );
    assert!(article.not_free && !article.has_selector);
    assert!(block.items[3].properties.is_empty());
}

#[test]
fn falsehood_has_many_spellings() {
    for (json, expected) in [
        ("false", true),
        ("\"False\"", true),
        ("\"http://schema.org/False\"", true),
        ("true", false),
        ("\"no\"", false),
        ("null", false),
        ("0", false),
    ] {
        let value: Value = serde_json::from_str(json).expect("json");
        assert_eq!(is_false(&value), expected, "{json}");
    }
}
