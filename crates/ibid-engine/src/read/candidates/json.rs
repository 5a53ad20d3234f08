//! Answers that are JSON.

use crate::read::host;
use crate::read::words::{List, list};
use memchr::memmem;
use serde_json::Value;

/// Longest prose around the JSON of an answer, in bytes.
const MOST_AROUND: usize = 400;
/// Deepest nesting that is looked into.
const DEEPEST: usize = 8;
/// Most names taken.
const MOST: usize = 200;

/// Names of members that hold a name, most telling first.
static NAMES: List = list("json.names");
/// Names of members that hold a website.
static SITES: List = list("json.sites");

/// A name of a JSON answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::read) struct Found {
    pub(in crate::read) name: String,
    pub(in crate::read) url: Option<String>,
}

/// Parses an answer that contains only JSON, bare or in a code block, and tells where it starts.
pub(in crate::read) fn parse(answer: &str) -> Option<(Value, usize)> {
    let trimmed = answer.trim_start();
    let lead = answer.len() - trimmed.len();
    if trimmed.starts_with(['{', '[']) && trimmed.trim_end().ends_with(['}', ']']) {
        return serde_json::from_str(trimmed.trim_end())
            .ok()
            .map(|value| (value, lead));
    }
    let open = memmem::find(answer.as_bytes(), b"```")?;
    let body = answer.get(open + 3..)?;
    let start = body.find('\n')? + 1;
    let language = body.get(..start)?.trim();
    if !(language.is_empty() || language.eq_ignore_ascii_case("json")) {
        return None;
    }
    let end = body.get(start..)?.find("```")? + start;
    let around = open + body.len() - end;
    let inner = body.get(start..end)?;
    if around > MOST_AROUND || !inner.trim_start().starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(inner)
        .ok()
        .map(|value| (value, open + 3 + start))
}

/// Reads the names in a JSON answer, in order; `None` if it is no list of names.
pub(in crate::read) fn read(value: &Value) -> Option<Vec<Found>> {
    let mut found = Vec::new();
    collect(value, 0, &mut found);
    (!found.is_empty()).then_some(found)
}

fn collect(value: &Value, depth: usize, found: &mut Vec<Found>) {
    if depth > DEEPEST || found.len() >= MOST {
        return;
    }
    match value {
        Value::Array(items) => {
            let texts = items
                .iter()
                .filter_map(Value::as_str)
                .filter(|text| is_name(text))
                .count();
            if texts > 0 && texts == items.len() {
                found.extend(items.iter().filter_map(Value::as_str).map(|name| Found {
                    name: name.to_owned(),
                    url: None,
                }));
            } else {
                items
                    .iter()
                    .filter(|item| !item.is_string())
                    .for_each(|item| collect(item, depth + 1, found));
            }
        }
        Value::Object(members) => {
            let text = |names: &[&str]| names.iter().find_map(|name| members.get(*name)?.as_str());
            match text(NAMES.all()).filter(|name| is_name(name)) {
                Some(name) => {
                    let url = text(SITES.all()).filter(|url| host::resolve(url).is_some());
                    found.push(Found {
                        name: name.to_owned(),
                        url: url.map(str::to_owned),
                    });
                }
                None => members
                    .values()
                    .filter(|inner| inner.is_array() || inner.is_object())
                    .for_each(|inner| collect(inner, depth + 1, found)),
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_name(text: &str) -> bool {
    (1..=80).contains(&text.chars().count())
        && text.contains(char::is_alphabetic)
        && text.split_whitespace().count() <= 8
        && !text.ends_with('.')
}
