//! Names of columns under which logs and other trackers keep questions, answers and the rest: one list, so that every
//! reader knows the same.
//!
//! ```
//! use ibid_model::answer_columns::meaning;
//!
//! assert_eq!(meaning("Prompt Text").map(|found| found.0), Some("question"));
//! assert_eq!(meaning("citation_48").map(|found| found.0), Some("sources"));
//! assert_eq!(meaning("colour"), None);
//! ```

use serde_json::Value;
use std::collections::HashMap;
use std::sync::LazyLock;

static NAMES: LazyLock<HashMap<String, (&'static str, usize)>> = LazyLock::new(|| {
    lists()
        .flat_map(|(meaning, names)| {
            let ranked = names.enumerate();
            ranked.map(move |(rank, name)| (fold(name), (meaning, rank)))
        })
        .collect()
});

fn lists() -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    include_str!("../data/answer_columns.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(meaning, names)| (meaning, names.split(" | ")))
}

/// Returns what a column's name means, and its rank among names that mean the same: the lower one counts.
pub fn meaning(name: &str) -> Option<(&'static str, usize)> {
    let folded = fold(name);
    let base = folded.trim_end_matches(|letter: char| letter.is_ascii_digit());
    match (NAMES.get(&folded), NAMES.get(base)) {
        (Some(found), _) if found.0 != "numbered" => Some(*found),
        (None, Some((meaning, rank))) if matches!(*meaning, "sources" | "numbered") => {
            Some(("sources", *rank))
        }
        (Some(_) | None, _) => None,
    }
}

/// The names with a meaning, the first choice first.
pub fn names(meaning: &str) -> Vec<&'static str> {
    let mut found = lists().filter(|(known, _)| *known == meaning);
    found.next().map(|(_, names)| names.collect()).unwrap_or_default()
}

/// Reads a cell as text: a text, a number, an object's name, or the last message in a conversation.
pub fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => {
            let text = text.trim();
            let is_json = text.starts_with("[{") || text.starts_with("{\"");
            let inner = is_json
                .then(|| serde_json::from_str::<Value>(text).ok())
                .flatten();
            match inner.as_ref().and_then(text_of) {
                Some(inner) => return Some(inner),
                None => text.to_owned(),
            }
        }
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Object(members) => {
            let names = ["name", "text", "content", "messages", "choices", "message"];
            return names
                .into_iter()
                .find_map(|name| members.get(name).and_then(text_of));
        }
        Value::Array(messages) => {
            let is_message = |message: &&Value| {
                message
                    .get("content")
                    .or_else(|| message.get("message"))
                    .is_some()
            };
            return messages.iter().rfind(is_message).and_then(text_of);
        }
        Value::Null => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// A name in the form in which names are compared: letters and digits, in small letters.
pub fn fold(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_say_what_their_last_message_says() {
        let text = |json: &str| text_of(&serde_json::from_str(json).unwrap());
        for json in [
            r#""best plumber?""#,
            r#"{"content": " best plumber? "}"#,
            r#"[{"role": "system", "content": "x"}, {"role": "user", "content": [{"type": "text", "text": "best plumber?", "content": "best plumber?"}]}]"#,
            r#"{"messages": [{"role": "user", "content": "best plumber?"}], "model": "m"}"#,
            r#"{"choices": [{"message": {"content": "best plumber?"}}]}"#,
            r#""[{\"role\": \"user\", \"content\": \"best plumber?\"}]""#,
        ] {
            assert_eq!(text(json).as_deref(), Some("best plumber?"), "{json}");
        }
        assert_eq!(
            (text("null"), text("[]"), text("\"{\\\"a\\\": 1}\"")),
            (None, None, Some("{\"a\": 1}".to_owned()))
        );
    }

    #[test]
    fn a_name_has_one_meaning() {
        let all: Vec<&str> = lists().flat_map(|(_, names)| names).collect();
        assert_eq!(all.len(), NAMES.len());
        for name in all {
            let numbered = format!("{name} 7");
            assert!(meaning(name).or_else(|| meaning(&numbered)).is_some(), "{name}");
        }
        assert_eq!(names("text"), ["text"]);
        assert_eq!(meaning("topic 2"), None);
    }
}
