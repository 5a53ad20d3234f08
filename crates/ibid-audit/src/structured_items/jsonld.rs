//! One JSON-LD block: is it valid, and which items does it hold.

use crate::limits::{MANY, MOST};
use crate::quote::quote_to;
use crate::vocabulary::Words;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// One `<script type="application/ld+json">`.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// What is wrong in the block, with the page's line.
    pub(crate) errors: Vec<(u32, String)>,
    /// Whether its context is schema.org.
    pub(crate) is_schema: bool,
    pub(crate) items: Vec<Item>,
}

/// One typed object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    /// Types without their address.
    pub(crate) types: Vec<String>,
    /// Properties that are not empty.
    pub(crate) properties: BTreeSet<String>,
    /// Whether it is at the top or in a graph, not inside another item.
    pub(crate) is_root: bool,
    pub(crate) name: Option<String>,
    /// Town and country of an address.
    pub(crate) place: Option<String>,
    pub(crate) authors: Vec<Author>,
    /// Property name and value of its dates.
    pub(crate) dates: Vec<(String, String)>,
    /// Whether it is declared as not free to read.
    pub(crate) not_free: bool,
    /// Whether it names the part that is not free.
    pub(crate) has_selector: bool,
    /// Where the script element, or the one with `itemscope`, begins.
    pub(crate) line: u32,
    /// The syntax it is written in.
    pub(crate) syntax: Syntax,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Syntax {
    #[default]
    JsonLd,
    Microdata,
}

impl Syntax {
    /// The name as a report prints it.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::JsonLd => "JSON-LD",
            Self::Microdata => "microdata",
        }
    }
}

impl Item {
    /// Whether the item can be the page itself, and not a comment, a review or a part of a list.
    pub(crate) fn is_page(&self) -> bool {
        static OTHERS: Words =
            Words::new("Comment|UserComments|Review|Rating|ImageObject|ListItem|Answer|Quotation");
        !self.types.iter().any(|kind| OTHERS.contains(kind))
    }

    /// Whether it is declared as an organisation.
    pub(crate) fn is_organisation(&self) -> bool {
        self.types.iter().any(|kind| is_firm(kind))
    }
}

fn is_firm(kind: &str) -> bool {
    kind.ends_with("Organization") || kind == "Corporation"
}

/// An author as structured data names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Author {
    pub(crate) name: String,
    /// Whether it is declared as an organisation.
    pub(crate) is_organisation: bool,
}

/// Reads one block.
pub(super) fn read(text: &str, line: u32, limit: usize) -> Block {
    let broken = |line: u32, fault: String| Block {
        errors: vec![(line, fault)],
        ..Block::default()
    };
    if text.len() > limit {
        return broken(
            line,
            "the block is longer than 512 KB and was not read".to_owned(),
        );
    }
    // Some systems wrap the block in a CDATA mark, which JSON does not know.
    let trimmed = text.trim();
    let trimmed = trimmed.strip_prefix("//<![CDATA[").unwrap_or(trimmed);
    let trimmed = trimmed.strip_suffix("//]]>").unwrap_or(trimmed).trim();
    if trimmed.is_empty() {
        return broken(line, "the block is empty".to_owned());
    }
    let mut block = Block::default();
    let value: Value = match serde_json::from_str(trimmed) {
        Ok(value) => value,
        Err(error) => {
            let skipped = text.len() - text.trim_start().len();
            let before = text.get(..skipped).unwrap_or("").matches('\n').count();
            let at = usize::try_from(line).unwrap_or(0) + before + error.line().saturating_sub(1);
            let reason = match error.classify() {
                serde_json::error::Category::Eof => "the JSON ends too early",
                serde_json::error::Category::Syntax
                | serde_json::error::Category::Data
                | serde_json::error::Category::Io => "the JSON is not valid",
            };
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            return broken(at, format!("{reason} (column {})", error.column()));
        }
    };
    let tops: Vec<&Value> = match &value {
        Value::Array(list) => list.iter().collect(),
        other => vec![other],
    };
    let contexts = tops
        .iter()
        .filter(|top| top.get("@context").is_some_and(is_schema_org))
        .count();
    block.is_schema = contexts > 0;
    if contexts < tops.len().min(1) {
        block
            .errors
            .push((line, "there is no schema.org @context".to_owned()));
    }
    let mut walk = Walk {
        names: BTreeMap::new(),
        left: MOST,
    };
    walk.names(&value);
    walk.left = MOST;
    walk.items(&value, line, &mut block.items);
    if block.items.is_empty() {
        block.errors.push((line, "no object has an @type".to_owned()));
    }
    block
}

fn is_schema_org(context: &Value) -> bool {
    let names = |text: &str| {
        let rest = text
            .trim()
            .trim_start_matches("https://")
            .trim_start_matches("http://");
        let rest = rest.strip_prefix("www.").unwrap_or(rest);
        rest == "schema.org" || rest.starts_with("schema.org/")
    };
    match context {
        Value::String(text) => names(text),
        Value::Array(list) => list.iter().take(20).any(|one| {
            one.as_str().is_some_and(names) || one.get("@vocab").and_then(Value::as_str).is_some_and(names)
        }),
        Value::Object(map) => map.get("@vocab").and_then(Value::as_str).is_some_and(names),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

struct Walk<'v> {
    /// Objects by `@id`, so that a reference can be followed inside the block.
    names: BTreeMap<&'v str, &'v Map<String, Value>>,
    left: usize,
}

impl<'v> Walk<'v> {
    fn names(&mut self, value: &'v Value) {
        let mut stack = vec![value];
        while let Some(value) = stack.pop() {
            let Some(left) = self.left.checked_sub(1) else {
                return;
            };
            self.left = left;
            match value {
                Value::Object(map) => {
                    if let (Some(id), true) = (map.get("@id").and_then(Value::as_str), map.len() > 1) {
                        self.names.insert(id, map);
                    }
                    stack.extend(map.values());
                }
                Value::Array(list) => stack.extend(list),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
    }

    fn items(&mut self, value: &'v Value, line: u32, out: &mut Vec<Item>) {
        let mut stack = vec![(value, true)];
        while let Some((value, is_root)) = stack.pop() {
            let Some(left) = self.left.checked_sub(1) else {
                return;
            };
            self.left = left;
            match value {
                Value::Object(map) => {
                    let types = strings(map.get("@type"));
                    let typed = !types.is_empty();
                    if typed && out.len() < MANY {
                        out.push(self.item(map, types, is_root, line));
                    }
                    // Reversed, so that items come out in document order.
                    // The brand and the maker of a product are neither its seller nor the site.
                    let is_own = |key: &str| !matches!(key, "@context" | "brand" | "manufacturer");
                    let children: Vec<_> = map.iter().filter(|(key, _)| is_own(key)).collect();
                    for (key, child) in children.into_iter().rev() {
                        stack.push((child, is_root && key == "@graph" && !typed));
                    }
                }
                Value::Array(list) => stack.extend(list.iter().rev().map(|child| (child, is_root))),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
    }

    fn item(&self, map: &'v Map<String, Value>, types: Vec<String>, is_root: bool, line: u32) -> Item {
        let text = |key: &str| {
            map.get(key)
                .and_then(first_text)
                .map(|text| quote_to(text, 200))
                .filter(|text| !text.is_empty())
        };
        Item {
            types,
            properties: map
                .iter()
                .filter(|(key, value)| !key.starts_with('@') && !is_empty(value))
                .map(|(key, _)| crate::html::cut(key, 60).to_owned())
                .take(200)
                .collect(),
            is_root,
            name: text("name"),
            place: text("addressLocality").map(|town| match map.get("addressCountry").and_then(country) {
                Some(country) => format!("{town}, {}", quote_to(country, 100)),
                None => town,
            }),
            authors: map
                .get("author")
                .or_else(|| map.get("creator"))
                .map(|value| self.authors(value))
                .unwrap_or_default(),
            dates: DATES
                .iter()
                .filter_map(|key| Some((key.to_owned(), text(key)?)))
                .collect(),
            not_free: map.get("isAccessibleForFree").is_some_and(is_false),
            has_selector: map
                .get("hasPart")
                .is_some_and(|part| each(part).any(|part| part.get("cssSelector").is_some())),
            line,
            syntax: Syntax::JsonLd,
        }
    }

    fn authors(&self, value: &'v Value) -> Vec<Author> {
        let author = |one: &'v Value| match one {
            Value::String(name) => Some((name.as_str(), false)),
            Value::Object(map) => {
                let id = map
                    .get("@id")
                    .and_then(Value::as_str)
                    .filter(|_| !map.contains_key("name"));
                let map = id.and_then(|id| self.names.get(id).copied()).unwrap_or(map);
                let name = map.get("name").and_then(first_text)?;
                Some((name, strings(map.get("@type")).iter().any(|kind| is_firm(kind))))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        };
        let authors = each(value)
            .filter_map(author)
            .map(|(name, is_organisation)| Author {
                name: quote_to(name, 120),
                is_organisation,
            });
        authors.filter(|author| !author.name.is_empty()).collect()
    }
}

static DATES: Words = Words::new("datePublished|dateCreated|uploadDate|datePosted|dateModified");

/// One value, or those of a list, as far as they are read.
fn each(value: &Value) -> impl Iterator<Item = &Value> {
    let list = match value {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    list.iter().take(20)
}

/// Type names without their address.
fn strings(value: Option<&Value>) -> Vec<String> {
    let name = |text: &str| quote_to(text.rsplit(['/', '#', ':']).next().unwrap_or(""), 60);
    match value {
        Some(Value::String(text)) => vec![name(text)],
        Some(Value::Array(list)) => list.iter().take(10).filter_map(Value::as_str).map(name).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
    }
}

/// Reads a string, the first among several, or a `{"@value": …}`.
fn first_text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(list) => list.first().and_then(Value::as_str),
        Value::Object(map) => map.get("@value").and_then(Value::as_str),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Reads an address's country: a text, or an object with a name.
fn country(value: &Value) -> Option<&str> {
    let named = || value.get("name").and_then(first_text);
    first_text(value)
        .or_else(named)
        .filter(|country| !country.trim().is_empty())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// `false`, as a boolean, as text, or as schema.org's address of it.
pub(super) fn is_false(value: &Value) -> bool {
    match value {
        Value::Bool(free) => !free,
        Value::String(text) => is_false_text(text),
        Value::Array(list) => list.first().is_some_and(|one| matches!(one, Value::Bool(false))),
        Value::Null | Value::Number(_) | Value::Object(_) => false,
    }
}

/// Whether a text means `false`.
pub(crate) fn is_false_text(text: &str) -> bool {
    let word = text.trim().rsplit('/').next().unwrap_or("");
    word.eq_ignore_ascii_case("false")
}

#[cfg(test)]
mod tests;
