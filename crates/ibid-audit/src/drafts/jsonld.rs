//! A JSON-LD skeleton from what the page shows.

use super::draft;
use crate::article::{modified, published};
use crate::authors::SURE;
use crate::facts::Facts;
use crate::quote::quote_to;
use ibid_model::result::{AuditDraft, PageKind};
use jiff::civil::Date;
use serde_json::{Map, Value, json};

/// Types a firm may have, each before the words that name it in titles, in several languages.
const TRADES: &str = include_str!("../words/trades.txt");

/// Guesses a firm's type from its page.
fn firm(facts: &Facts<'_>, name: &str) -> &'static str {
    let title = facts.title().map_or("", |(title, _)| title);
    let text = format!("{name} {title}").to_lowercase();
    let mut trades = TRADES.lines().filter_map(|trade| trade.split_once(": "));
    let trade = trades.find(|(_, words)| words.split('|').any(|word| text.contains(word)));
    match (trade, facts.phone()) {
        (Some((kind, _)), _) => kind,
        (None, Some(_)) => "Organization",
        (None, None) => "WebSite",
    }
}

pub(super) fn skeleton(facts: &Facts<'_>) -> Option<AuditDraft> {
    let title = facts.title();
    let heading = facts
        .heading()
        .map(|(text, line)| (text.to_owned(), format!("line {line}: the heading")));
    let (name, name_place) = heading.or_else(|| Some((title?.0.to_owned(), "<title>".to_owned())))?;
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
        .map(|meta| json!(quote_to(&meta.content, 320)));
    let url = facts.page.url.as_ref().map(|url| json!(url.as_str()));
    let language = facts
        .head
        .lang
        .as_deref()
        .or(facts.reading.language)
        .map(|lang| json!(lang));
    let kind = match facts.kind {
        PageKind::Home | PageKind::Service | PageKind::Contact => firm(facts, &name),
        PageKind::Product => "Product",
        PageKind::Article => "Article",
        PageKind::List => "CollectionPage",
        PageKind::Help | PageKind::Other => "WebPage",
    };
    if kind == "Article" {
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
        // The site's name is the firm's, on its home page and on a service page.
        let site = facts.head.site_name().map(|name| quote_to(name, 120));
        let of_firm = matches!(facts.kind, PageKind::Home | PageKind::Service | PageKind::Contact);
        put("@type", Some(json!(kind)), false);
        put(
            "name",
            Some(json!(site.filter(|_| of_firm).unwrap_or(name))),
            true,
        );
        if kind == "Product" {
            put("offers", None, true);
        } else if of_firm && kind != "WebSite" {
            put(
                "telephone",
                facts.phone().map(|phone| json!(quote_to(phone, 40))),
                true,
            );
            put("address", None, true);
        }
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
