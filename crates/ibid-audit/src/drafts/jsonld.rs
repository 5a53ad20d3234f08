//! A JSON-LD skeleton from what the page shows.

use super::draft;
use crate::article::{modified, published};
use crate::authors::SURE;
use crate::facts::Facts;
use ibid_model::result::AuditDraft;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

/// Words from which a page with an author or a date counts as an article.
const ARTICLE_WORDS: usize = 250;

pub(super) fn skeleton(facts: &Facts<'_>) -> Option<AuditDraft> {
    let title = facts
        .head
        .title
        .as_ref()
        .map(|(title, _)| title.clone())
        .filter(|title| !title.is_empty());
    let heading = facts
        .reading
        .title
        .and_then(|index| facts.reading.headings.get(index));
    let (name, name_place) = match (heading, title) {
        (Some(heading), _) => (
            heading.text.clone(),
            format!("line {}: the heading", heading.line),
        ),
        (None, Some(title)) => (title, "<title>".to_owned()),
        (None, None) => return None,
    };
    let mut places = vec![format!("name: {name_place}")];
    let mut data = Map::new();
    let mut missing = Vec::new();
    let mut put = |key: &str, value: Option<Value>, wanted: bool| match value {
        Some(value) => {
            data.insert(key.to_owned(), value);
        }
        None if wanted => missing.push(key.to_owned()),
        None => {}
    };
    put("@context", Some(json!("https://schema.org")), false);
    let description = facts
        .head
        .meta(&["description"])
        .map(|meta| json!(crate::quote::quote_to(&meta.content, 320)));
    let url = facts.page.url.as_ref().map(|url| json!(url.as_str()));
    let language = facts
        .head
        .lang
        .as_deref()
        .or(facts.reading.language)
        .map(|lang| json!(lang));
    if facts.is_home() {
        put("@type", Some(json!("WebSite")), false);
        put("name", Some(json!(name)), true);
    } else if facts.is_product() {
        put("@type", Some(json!("Product")), false);
        put("name", Some(json!(name)), true);
        put("offers", None, true);
    } else if facts.words() >= ARTICLE_WORDS {
        put("@type", Some(json!("Article")), false);
        put("headline", Some(json!(name)), true);
        let author = facts.author.as_ref().filter(|author| author.confidence >= SURE);
        let named = author.map(|author| {
            json!({"@type": if author.is_organisation { "Organization" } else { "Person" }, "name": author.name})
        });
        put("author", named, true);
        let (published, modified) = (published(facts), modified(facts));
        let day = |found: &Option<(Date, String)>| found.as_ref().map(|(date, _)| json!(date.to_string()));
        put("datePublished", day(&published), true);
        put("dateModified", day(&modified), false);
        places.extend(author.map(|author| format!("author: {}", author.location)));
        places.extend(published.map(|(_, place)| format!("datePublished: {place}")));
        places.extend(modified.map(|(_, place)| format!("dateModified: {place}")));
    } else {
        put("@type", Some(json!("WebPage")), false);
        put("name", Some(json!(name)), true);
    }
    put("description", description, true);
    put("url", url, true);
    put("inLanguage", language, false);
    let text = serde_json::to_string_pretty(&Value::Object(data)).ok()?;
    // A page's own text must not end the script element.
    let text = text.replace('<', "\\u003c");
    let mut note = format!("Check each value; found at {}.", places.join("; "));
    if !missing.is_empty() {
        note.push_str(&format!(
            " Fill in what the page does not hold, or not surely enough: {}.",
            missing.join(", ")
        ));
    }
    Some(draft(
        "E1",
        "structured data",
        "<head>",
        "html",
        format!("<script type=\"application/ld+json\">\n{text}\n</script>"),
        &note,
    ))
}
