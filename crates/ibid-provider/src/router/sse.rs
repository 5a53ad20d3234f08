//! Joins the pieces of an unrequested event stream into one answer.

use serde_json::{Map, Value, json};

/// Whether a body is an event stream rather than JSON.
pub(super) fn is_stream(text: &str) -> bool {
    ["data:", "event:", "id:", ":"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// Returns the joined answer as JSON of the usual shape, if an event was readable.
pub(super) fn joined(text: &str) -> Option<String> {
    let mut answer = Map::new();
    let mut content = String::new();
    let mut annotations = Vec::new();
    let mut finish = Value::Null;
    let mut seen = false;
    for line in text.lines() {
        // Comments start with a colon.
        // Only the field `data` is used.
        let Some(data) = line.strip_prefix("data:").map(str::trim) else {
            continue;
        };
        let Ok(Value::Object(mut event)) = serde_json::from_str::<Value>(data) else {
            continue;
        };
        seen = true;
        let choice = event.remove("choices").and_then(|choices| match choices {
            Value::Array(mut choices) if !choices.is_empty() => Some(choices.swap_remove(0)),
            _ => None,
        });
        if let Some(Value::Object(mut choice)) = choice {
            if let Some(reason) = choice.remove("finish_reason").filter(|reason| !reason.is_null()) {
                finish = reason;
            }
            let piece = choice.remove("delta").or_else(|| choice.remove("message"));
            if let Some(Value::Object(mut piece)) = piece {
                if let Some(Value::String(words)) = piece.remove("content") {
                    content.push_str(&words);
                }
                if let Some(Value::Array(sources)) = piece.remove("annotations") {
                    annotations.extend(sources.into_iter().take(crate::annotations::MOST));
                    annotations.truncate(crate::annotations::MOST);
                }
            }
        }
        answer.extend(event.into_iter().filter(|(_, value)| !value.is_null()));
    }
    answer.insert(
        "choices".to_owned(),
        json!([{"message": {"content": content, "annotations": annotations}, "finish_reason": finish}]),
    );
    seen.then(|| Value::Object(answer).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_streamed_pieces() {
        let stream = concat!(
            ": OPENROUTER PROCESSING\n\n",
            "data: {\"model\":\"a/b\",\"choices\":[{\"delta\":{\"content\":\"One \",\"annotations\":[\"https://a.com\"]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"two\"},\"finish_reason\":\"stop\"}]}\n\n",
            "data: broken\n\n",
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3}}\n\n",
            "data: [DONE]\n\n",
        );
        assert!(is_stream(stream));
        let joined: Value = serde_json::from_str(&joined(stream).unwrap()).unwrap();
        assert_eq!(
            joined,
            json!({"model": "a/b", "usage": {"prompt_tokens": 3}, "choices": [{
                "message": {"content": "One two", "annotations": ["https://a.com"]}, "finish_reason": "stop"}]})
        );
        assert_eq!(super::joined("data: [DONE]\n\n"), None);
        assert!(!is_stream("{\"choices\":[]}"));
    }
}
