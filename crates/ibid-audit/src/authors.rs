//! The author of a page, as the page itself declares it.

use crate::head::Head;
use crate::html::Document;
use crate::reading::{self, PageReading};
use crate::structured_items::Structured;

/// An author on the page.
#[derive(Clone, Debug)]
pub(crate) struct FoundAuthor {
    pub(crate) name: String,
    pub(crate) is_organisation: bool,
    pub(crate) location: String,
}

/// The author in structured data, meta elements, links and bylines, in this order; a person before an organisation.
pub(crate) fn find(
    document: &Document,
    head: &Head,
    structured: &Structured,
    reading: &PageReading,
) -> Option<FoundAuthor> {
    let mut all = Vec::new();
    for item in structured.items() {
        for author in &item.authors {
            all.push(FoundAuthor {
                name: author.name.clone(),
                is_organisation: author.is_organisation,
                location: format!("line {}: JSON-LD author", item.line),
            });
        }
    }
    for meta in &head.metas {
        if matches!(
            meta.name.as_str(),
            "author"
                | "article:author"
                | "dc.creator"
                | "dcterms.creator"
                | "parsely-author"
                | "sailthru.author"
                | "citation_author"
        ) {
            all.push(FoundAuthor {
                name: crate::quote::quote_to(&meta.content, 120),
                is_organisation: false,
                location: format!("line {}: <meta {}>", meta.line, meta.name),
            });
        }
    }
    for (name, value, line) in &structured.properties {
        if name == "author" {
            all.push(FoundAuthor {
                name: value.clone(),
                is_organisation: false,
                location: format!("line {line}: itemprop author"),
            });
        }
    }
    for link in &reading.links {
        if link.rel.split_ascii_whitespace().any(|word| word == "author") {
            all.push(FoundAuthor {
                name: link.text.clone(),
                is_organisation: false,
                location: format!("line {}: rel=author", link.line),
            });
        }
    }
    all.extend(byline(document));
    for author in &mut all {
        author.is_organisation |= is_placeholder(&author.name);
    }
    all.retain(|author| !author.name.is_empty() && !author.name.starts_with("http"));
    // A person before an organisation, else in the order of the list above.
    let person = all.iter().position(|author| !author.is_organisation);
    match person {
        Some(at) => Some(all.swap_remove(at)),
        None => all.into_iter().next(),
    }
}

/// The text of the first element whose class is that of a byline.
fn byline(document: &Document) -> Option<FoundAuthor> {
    use html5ever::local_name;
    let mut candidates = 0;
    for node in document.descendants(document.root()) {
        let Some(class) = document.attribute(node, &local_name!("class")) else {
            continue;
        };
        let named = class
            .split_ascii_whitespace()
            .filter(|token| token.len() >= 6)
            .any(|token| {
                let token = token.to_ascii_lowercase();
                token
                    .split(['-', '_'])
                    .any(|part| matches!(part, "byline" | "author"))
                    && !token.contains("comment")
            });
        if !named {
            continue;
        }
        candidates += 1;
        if candidates > 50 {
            return None;
        }
        let text = reading::text_of(document, node, 120);
        let name = [
            "By ",
            "by ",
            "BY ",
            "Von ",
            "von ",
            "Par ",
            "par ",
            "Por ",
            "por ",
            "Di ",
            "Door ",
            "Written by ",
        ]
        .iter()
        .find_map(|start| text.strip_prefix(start))
        .unwrap_or(&text);
        let count = reading::words::count(name);
        if (1..=12).contains(&count) {
            return Some(FoundAuthor {
                name: name.trim().to_owned(),
                is_organisation: false,
                location: format!("line {}: byline", document.line(node)),
            });
        }
    }
    None
}

/// Placeholder author names, such as "admin", which identify no person.
fn is_placeholder(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    matches!(
        lower.as_str(),
        "admin"
            | "administrator"
            | "editor"
            | "editors"
            | "staff"
            | "team"
            | "redaktion"
            | "la rédaction"
            | "redacción"
            | "redazione"
            | "webmaster"
            | "root"
            | "user"
            | "author"
            | "guest"
            | "unknown"
            | "anonymous"
    ) || [
        "editorial team",
        "editorial staff",
        "staff writer",
        " team",
        " gmbh",
        " inc.",
        " inc",
        " ltd",
        " llc",
        " ag",
        " s.a.",
    ]
    .iter()
    .any(|end| lower.ends_with(end))
}
