//! A strict parser of the markup of the templates.

use std::collections::BTreeMap;

/// One opening tag.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, String>,
}

/// Elements without an end.
const VOID: [&str; 6] = ["meta", "link", "input", "br", "hr", "img"];

/// Returns every opening tag of a page. Panics on stray angle brackets, unquoted attributes and tags that do not match.
pub(crate) fn tags(page: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix("!doctype html>") {
            rest = after;
            continue;
        }
        if let Some(after) = rest.strip_prefix('/') {
            let end = after.find('>').expect("an end tag ends");
            let name = after[..end].trim().to_lowercase();
            assert_eq!(
                open.pop().as_deref(),
                Some(name.as_str()),
                "end tag before {:?}",
                head(after)
            );
            rest = &after[end + 1..];
            continue;
        }
        let (tag, slash, after) = tag(rest);
        if !slash && !VOID.contains(&tag.name.as_str()) {
            open.push(tag.name.clone());
        }
        tags.push(tag);
        rest = after;
    }
    assert!(open.is_empty(), "left open: {open:?}");
    tags
}

/// Parses one tag after its angle bracket. Returns the tag, whether it closes itself, and the rest.
fn tag(text: &str) -> (Tag, bool, &str) {
    let name: String = text.chars().take_while(char::is_ascii_alphanumeric).collect();
    assert!(!name.is_empty(), "a stray angle bracket before {:?}", head(text));
    let mut attributes = BTreeMap::new();
    let mut rest = text[name.len()..].trim_start();
    loop {
        if let Some(after) = rest.strip_prefix("/>") {
            return (
                Tag {
                    name: name.to_lowercase(),
                    attributes,
                },
                true,
                after,
            );
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (
                Tag {
                    name: name.to_lowercase(),
                    attributes,
                },
                false,
                after,
            );
        }
        let key: String = rest
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | ':'))
            .collect();
        assert!(
            !key.is_empty(),
            "no attribute where one should be: {:?}",
            head(rest)
        );
        rest = &rest[key.len()..];
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix("=\"") {
            let end = after.find('"').expect("an attribute ends");
            value = unescape(&after[..end]);
            rest = &after[end + 1..];
        }
        assert!(
            rest.starts_with([' ', '\n', '>', '/']),
            "an attribute runs on: {:?}",
            head(rest)
        );
        let twice = attributes.insert(key.to_lowercase(), value);
        assert!(twice.is_none(), "attribute {key} twice in {name}");
        rest = rest.trim_start();
    }
}

fn head(text: &str) -> String {
    text.chars().take(120).collect()
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}
