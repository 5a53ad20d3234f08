//! An llms.txt from the page's own links.

use super::draft;
use crate::checks::same_site;
use crate::facts::Facts;
use crate::quote::quote_to;
use ibid_model::result::AuditDraft;
use std::collections::BTreeSet;

/// Links of a draft.
const LINKS: usize = 20;

pub(super) fn file(facts: &Facts<'_>) -> Option<AuditDraft> {
    let base = facts.base.as_ref()?;
    let name = facts
        .head
        .meta(&["og:site_name"])
        .map(|meta| quote_to(&meta.content, 80))
        .or_else(|| base.host_str().map(str::to_owned))?;
    let mut seen = BTreeSet::new();
    let mut links = Vec::new();
    for link in &facts.reading.links {
        let Ok(mut url) = base.join(link.href.trim()) else {
            continue;
        };
        url.set_fragment(None);
        let text = plain(&link.text);
        let fits = matches!(url.scheme(), "http" | "https")
            && same_site(&url, base)
            && (2..=80).contains(&text.chars().count());
        if fits && seen.insert(url.to_string()) {
            links.push(format!(
                "- [{text}]({})",
                url.as_str().replace('(', "%28").replace(')', "%29")
            ));
            if links.len() == LINKS {
                break;
            }
        }
    }
    if links.is_empty() {
        return None;
    }
    let summary = facts
        .head
        .meta(&["description"])
        .map(|meta| format!("> {}\n\n", plain(&quote_to(&meta.content, 320))))
        .unwrap_or_default();
    Some(draft(
        "B5",
        "an llms.txt",
        "/llms.txt",
        "markdown",
        format!(
            "# {}\n\n{summary}## Pages\n\n{}\n",
            plain(&name),
            links.join("\n")
        ),
        "No study found an effect of this file on citation. The links are those of this page: keep the ones that matter.",
    ))
}

/// Text without the marks that would change the list around it.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            if matches!(c, '[' | ']' | '(' | ')' | '#' | '>' | '`' | '<') {
                ' '
            } else {
                c
            }
        })
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
