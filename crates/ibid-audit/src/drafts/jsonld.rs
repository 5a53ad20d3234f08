//! A JSON-LD skeleton from what the page shows.

use super::draft;
use crate::facts::{DateRole, Facts};
use ibid_model::result::AuditDraft;
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
        .headings
        .iter()
        .find(|heading| heading.level == 1)
        .map(|heading| heading.text.clone());
    let name = heading.or(title)?;
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
        let author = facts.author.as_ref().map(|author| {
            json!({"@type": if author.is_organisation { "Organization" } else { "Person" }, "name": author.name})
        });
        put("author", author, true);
        let published = facts
            .dates
            .iter()
            .filter(|found| found.role != DateRole::Modified)
            .map(|found| found.date)
            .min();
        put(
            "datePublished",
            published.map(|date| json!(date.to_string())),
            true,
        );
        let modified = facts
            .dates
            .iter()
            .filter(|found| found.role == DateRole::Modified)
            .map(|found| found.date)
            .max();
        put(
            "dateModified",
            modified.map(|date| json!(date.to_string())),
            false,
        );
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
    let note = if missing.is_empty() {
        "Every value was taken from the page; check them.".to_owned()
    } else {
        format!(
            "Every value was taken from the page; check them. Fill in what it does not hold: {}.",
            missing.join(", ")
        )
    };
    Some(draft(
        "E1",
        "structured data",
        "<head>",
        "html",
        format!("<script type=\"application/ld+json\">\n{text}\n</script>"),
        &note,
    ))
}
