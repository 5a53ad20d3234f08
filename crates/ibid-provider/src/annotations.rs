//! Reads an answer's sources, however routers and trackers write them.
//!
//! Known shapes:
//!
//! - arrays of `url_citation` objects, nested (`{"type":"url_citation","url_citation":{..}}`) or flat
//! - lists of addresses
//! - lists of objects with an address in `url`, `uri`, `link`, `href`, `source`, `website` or `domain`
//! - objects whose keys are numbers (`{"1": "https://…"}`)
//! - lines of a reference list (`"[1] Title https://…"`)
//! - grounding chunks as `{"web":{uri, title}}`
//! - whole messages or answers that hold any of these
//!
//! Other values are skipped.
//!
//! ```
//! use ibid_provider::annotations::citations;
//!
//! let message = serde_json::json!({"content": "Ask Acme.", "annotations": [
//!     {"type": "url_citation", "url_citation": {"url": "https://acme.com/", "title": "Acme"}},
//! ]});
//! let sources = citations(&message);
//! assert_eq!((sources.len(), sources[0].url.as_str()), (1, "https://acme.com/"));
//! ```

use ibid_model::Citation;
use serde_json::{Map, Value};

/// Most sources taken from one answer.
pub const MOST: usize = 100;
/// Longest address taken, in bytes.
/// Redirecting addresses reach some 500.
const LONGEST_URL: usize = 4_096;
/// Most characters of a title that are kept.
const LONGEST_TITLE: usize = 300;
/// Most levels of arrays and objects that are looked into.
const DEEPEST: usize = 8;

/// Returns the sources in `value`, in order of appearance, at most [`MOST`].
///
/// `value` may be a list of sources, one source, a message, or a whole answer.
/// Values of other kinds are skipped.
/// A repeated address is kept only with another span.
#[must_use]
pub fn citations(value: &Value) -> Vec<Citation> {
    let mut found = Vec::new();
    collect(value, 0, &mut found);
    found
}

/// Adds the sources in `value` to those of the same answer.
pub(crate) fn collect(value: &Value, depth: usize, found: &mut Vec<Citation>) {
    if depth > DEEPEST || found.len() >= MOST {
        return;
    }
    match value {
        Value::String(text) => add(found, address_in(text), None, None),
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth + 1, found)),
        Value::Object(object) => match source(object) {
            Some((url, about)) => add(found, url, title(about), span(about).or_else(|| span(object))),
            None => holders(object).for_each(|inner| collect(inner, depth + 1, found)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The members that hold sources.
/// The most detailed ones come first, because duplicates are then bare addresses.
fn holders(object: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    const HOLDERS: [&str; 29] = [
        "choices",
        "candidates",
        "output",
        "message",
        "delta",
        "content",
        "annotations",
        "groundingMetadata",
        "grounding_metadata",
        "groundingChunks",
        "grounding_chunks",
        "citationMetadata",
        "citation_metadata",
        "citationSources",
        "search_results",
        "searchResults",
        "results",
        "sources",
        "references",
        "citations",
        "documents",
        "items",
        "links",
        "urls",
        "data",
        "metadata",
        "page",
        "provider_specific_fields",
        "vertex_ai_grounding_metadata",
    ];
    let named = HOLDERS.iter().filter_map(|name| object.get(*name));
    let is_number = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = object
        .iter()
        .filter(move |(key, _)| is_number(key))
        .map(|(_, value)| value);
    // A text is a remark, not a list: `"citations": "see below"`.
    let named = named.filter(|inner| inner.is_array() || inner.is_object());
    named.chain(numbered)
}

/// Members that hold an address.
/// The last ones hold a bare host.
const ADDRESSES: [&str; 9] = [
    "url",
    "uri",
    "link",
    "href",
    "sourceUrl",
    "source_url",
    "source",
    "website",
    "domain",
];

/// Finds a source's address, and the object that describes it.
fn source(object: &Map<String, Value>) -> Option<(&str, &Map<String, Value>)> {
    let nested = ["url_citation", "web", "source", "metadata", "page", "document"]
        .iter()
        .filter_map(|name| object.get(*name)?.as_object());
    nested.chain([object]).find_map(|about| {
        let texts = ADDRESSES.iter().filter_map(|name| about.get(*name)?.as_str());
        let url = texts.map(str::trim).find(|text| is_address(text))?;
        Some((url, about))
    })
}

/// The address in a line of a reference list ("[1] Title https://…"), or the text itself.
fn address_in(text: &str) -> &str {
    let text = text.trim();
    if !text.contains(char::is_whitespace) && !text.contains("](") {
        return text;
    }
    let starts = ["https://", "http://"];
    let Some(start) = starts.iter().filter_map(|scheme| text.find(scheme)).min() else {
        return text;
    };
    let address = text.get(start..).unwrap_or_default();
    let ends = |c: char| c.is_whitespace() || matches!(c, ')' | '>' | ']' | '"');
    let address = address.split(ends).next().unwrap_or_default();
    address.trim_end_matches(['.', ',', ';'])
}

fn title(about: &Map<String, Value>) -> Option<String> {
    // Vertex hides the address, has a headline as the title, and names the host apart from both.
    let hidden = |url: &Value| url.as_str().is_some_and(|url| url.contains("vertexaisearch."));
    let host = about
        .get("domain")
        .filter(|_| about.get("uri").is_some_and(hidden));
    let host = host.filter(|host| host.as_str().is_some_and(is_address));
    let title = host
        .or_else(|| about.get("title"))
        .or_else(|| about.get("name"))?;
    let title = title.as_str()?.trim();
    (!title.is_empty()).then(|| title.chars().take(LONGEST_TITLE).collect())
}

/// Returns the span if both ends are whole numbers in order.
fn span(object: &Map<String, Value>) -> Option<(u64, u64)> {
    let end = |names: [&str; 2]| names.iter().find_map(|name| object.get(*name)?.as_u64());
    let (start, end) = (
        end(["start_index", "startIndex"])?,
        end(["end_index", "endIndex"])?,
    );
    (start <= end).then_some((start, end))
}

fn add(found: &mut Vec<Citation>, url: &str, title: Option<String>, span: Option<(u64, u64)>) {
    let url = url.trim();
    if found.len() >= MOST || url.len() > LONGEST_URL || !is_address(url) {
        return;
    }
    // Without a span, a known address can add only its title.
    let same = |other: &&mut Citation| other.url == url && (span.is_none() || other.span == span);
    if let Some(known) = found.iter_mut().find(same) {
        known.title = known.title.take().or(title);
        return;
    }
    found.push(Citation {
        url: url.to_owned(),
        title,
        span,
    });
}

/// Whether the text is an http address or a bare host, with or without a path.
fn is_address(text: &str) -> bool {
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return false;
    }
    let starts = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    if starts("http://") || starts("https://") {
        return true;
    }
    let host = text.split(['/', '?', '#']).next().unwrap_or(text);
    let mut labels = host.split('.');
    let sane = labels
        .clone()
        .all(|label| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-'));
    let last = labels.next_back().unwrap_or_default();
    sane && labels.next().is_some() && last.len() >= 2 && !last.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    type Seen<'a> = (&'a str, Option<&'a str>, Option<(u64, u64)>);

    fn check(value: Value, expected: &[Seen<'_>]) {
        let found = citations(&value);
        let found: Vec<_> = found
            .iter()
            .map(|c| (c.url.as_str(), c.title.as_deref(), c.span))
            .collect();
        assert_eq!(found, expected, "{value}");
    }

    #[test]
    fn reads_every_known_shape() {
        let nested = json!([{"type": "url_citation", "url_citation":
            {"url": "https://a.com/x", "title": "A", "content": "…", "start_index": 3, "end_index": 9}}]);
        check(nested, &[("https://a.com/x", Some("A"), Some((3, 9)))]);
        let vertex = json!({"groundingChunks": [{"web": {"uri": "https://vertexaisearch.cloud.google.com/x",
            "title": "Plumber in Leeds", "domain": "example.com"}}]});
        check(
            vertex,
            &[(
                "https://vertexaisearch.cloud.google.com/x",
                Some("example.com"),
                None,
            )],
        );
        let proxied =
            json!({"provider_specific_fields": {"citations": [[{"url": "https://a.com/x", "title": "A"}]]}});
        check(proxied, &[("https://a.com/x", Some("A"), None)]);
        let zero = json!([{"type": "url_citation", "url_citation":
            {"url": "https://a.com", "title": "a.com", "start_index": 0, "end_index": 0}}]);
        check(zero, &[("https://a.com", Some("a.com"), Some((0, 0)))]);
        let flat =
            json!([{"type": "url_citation", "url": "https://a.com", "start_index": 1, "end_index": 2}]);
        check(flat, &[("https://a.com", None, Some((1, 2)))]);
        check(
            json!({"citations": ["https://a.com", "b.org/path"]}),
            &[("https://a.com", None, None), ("b.org/path", None, None)],
        );
        check(
            json!({"search_results": [{"url": "https://a.com", "title": "A", "date": null}]}),
            &[("https://a.com", Some("A"), None)],
        );
        check(
            json!([{"web": {"uri": "https://a.com", "title": "a.com"}}]),
            &[("https://a.com", Some("a.com"), None)],
        );
        check(json!("HTTPS://A.com"), &[("HTTPS://A.com", None, None)]);
    }

    #[test]
    fn reads_the_shapes_of_trackers() {
        check(
            json!([{"index": 2, "url": "https://a.com/x"}, {"title": "B", "href": "https://b.com"}]),
            &[
                ("https://a.com/x", None, None),
                ("https://b.com", Some("B"), None),
            ],
        );
        check(
            json!([{"name": "A", "source": "https://a.com"}, {"source": "Wikipedia", "link": "b.org"}]),
            &[("https://a.com", Some("A"), None), ("b.org", None, None)],
        );
        check(
            json!({"1": "https://a.com", "2": {"url": "https://b.com"}, "note": "https://c.com"}),
            &[("https://a.com", None, None), ("https://b.com", None, None)],
        );
        check(
            json!([
                "[1] A guide https://a.com/x.",
                "[B](https://b.com/y)",
                "no address here"
            ]),
            &[("https://a.com/x", None, None), ("https://b.com/y", None, None)],
        );
        check(
            json!({"sources": [{"url": "https://a.com"}], "references": ["https://b.com"]}),
            &[("https://a.com", None, None), ("https://b.com", None, None)],
        );
        check(
            json!({"candidates": [{"groundingMetadata": {"groundingChunks": [{"web": {"uri": "https://a.com"}}]},
                "citationMetadata": {"citationSources": [{"uri": "https://b.com", "startIndex": 1, "endIndex": 4}]}}]}),
            &[
                ("https://a.com", None, None),
                ("https://b.com", None, Some((1, 4))),
            ],
        );
        check(
            json!({"content": [{"type": "text", "text": "…", "citations": [
                {"type": "web_search_result_location", "url": "https://a.com", "title": "A", "cited_text": "…"}]}]}),
            &[("https://a.com", Some("A"), None)],
        );
        check(
            json!({"output": [{"type": "message", "content": [{"type": "output_text", "annotations": [
                {"type": "url_citation", "url": "https://a.com", "start_index": 1, "end_index": 2}]}]}]}),
            &[("https://a.com", None, Some((1, 2)))],
        );
    }

    #[test]
    fn reads_a_whole_answer_without_repeats() {
        let answer = json!({
            "citations": ["https://a.com", "https://b.com"],
            "search_results": [{"url": "https://a.com", "title": "A"}],
            "choices": [{"message": {"content": "see https://c.com", "annotations": [
                {"url_citation": {"url": "https://a.com", "start_index": 1, "end_index": 2}},
                {"url_citation": {"url": "https://a.com", "title": "A", "start_index": 5, "end_index": 6}},
                {"url_citation": {"url": "https://a.com", "title": "A", "start_index": 5, "end_index": 6}},
            ]}}],
        });
        check(
            answer,
            &[
                ("https://a.com", Some("A"), Some((1, 2))),
                ("https://a.com", Some("A"), Some((5, 6))),
                ("https://b.com", None, None),
            ],
        );
    }

    #[test]
    fn skips_annotations_that_are_no_source() {
        check(
            json!([
                null, 7, true, {}, [], "", "not an address", "1.2", "v1.0", "a..b", "javascript:alert(1)",
                {"type": "file_citation", "file_id": "f"}, {"url": 5}, {"url_citation": "x"},
                {"url": "https://a.com", "title": 5, "start_index": -1, "end_index": 2.5},
                {"url": "https://b.com", "title": "  ", "start_index": 9, "end_index": 2},
            ]),
            &[("https://a.com", None, None), ("https://b.com", None, None)],
        );
        check(json!({"citations": "https://a.com"}), &[]);
        check(json!([format!("https://a.com/{}", "x".repeat(5_000))]), &[]);
    }

    #[test]
    fn takes_a_hundred_at_most_and_cuts_titles() {
        let many: Vec<Value> = (0..500).map(|n| json!(format!("https://a.com/{n}"))).collect();
        assert_eq!(citations(&Value::Array(many)).len(), MOST);
        let long = citations(&json!([{"url": "https://a.com", "title": "é".repeat(1_000)}]));
        assert_eq!(long[0].title.as_ref().unwrap().chars().count(), LONGEST_TITLE);
    }

    #[test]
    fn nesting_is_limited() {
        let deep = (0..100).fold(json!(["https://a.com"]), |inner, _| json!([inner]));
        check(deep, &[]);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a-z:/.]{0,20}".prop_map(Value::from),
            "https://[a-z]{1,5}\\.com".prop_map(Value::from),
        ];
        let name = prop_oneof![
            Just("url"),
            Just("title"),
            Just("url_citation"),
            Just("annotations"),
            Just("citations"),
            Just("search_results"),
            Just("start_index"),
            Just("end_index"),
            Just("choices"),
            Just("message"),
        ];
        leaf.prop_recursive(5, 64, 8, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::vec((name.clone(), inner), 0..6)
                    .prop_map(|pairs| pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn never_panics_and_keeps_its_bounds(value in any_json()) {
            let found = citations(&value);
            prop_assert!(found.len() <= MOST);
            for citation in &found {
                prop_assert!(is_address(&citation.url));
                prop_assert!(citation.span.is_none_or(|(start, end)| start <= end));
            }
            for (n, one) in found.iter().enumerate() {
                prop_assert!(!found[..n].contains(one));
            }
        }
    }
}
