//! The names that a home page gives its owner.
//!
//! A scan may look for them and for the domain.

use crate::head::Head;
use crate::page::Page;
use crate::quote::{QUOTE_CHARS, key, quote_to};
use crate::structured_items::{self, Item, Structured};
use crate::vocabulary::Words;
use crate::{charset, head, html};

/// Most names taken from a page.
const MOST: usize = 8;

/// Returns what a home page's owner is called, surest first.
///
/// Sources are `og:site_name`, `application-name`,
/// the organisations and websites of its structured data, or else its title.
/// An error page has no names.
///
/// The caller decides which names to use, because a title is often a name with a slogan.
#[must_use]
pub fn names(page: &Page) -> Vec<String> {
    let decoded = charset::decode(page);
    let document = html::parse(&decoded.text);
    of(
        page,
        &head::read(&document, &page.headers),
        &structured_items::read(&document),
    )
}

/// Collects what the owner of a read page is called.
pub(crate) fn of(page: &Page, head: &Head, structured: &Structured) -> Vec<String> {
    if page.status.is_some_and(|status| !(200..300).contains(&status)) {
        return Vec::new();
    }
    let metas = ["og:site_name", "application-name"]
        .into_iter()
        .filter_map(|name| head.meta(&[name]))
        .map(|meta| meta.content.as_str());
    let owners = structured.items().filter(|item| is_owner(item));
    let named = owners.filter_map(|item| item.name.as_deref());
    let title = head.title.as_ref().map(|(title, _)| title.as_str());
    let mut names: Vec<String> = Vec::new();
    let tidy = |name: &str| {
        // What is cut is no name any more.
        let whole = name.trim().chars().nth(QUOTE_CHARS).is_none();
        Some(quote_to(name.trim(), QUOTE_CHARS)).filter(|name| whole && !name.is_empty())
    };
    for name in metas.chain(named).filter_map(tidy) {
        if names.len() < MOST && !names.contains(&name) {
            names.push(name);
        }
    }
    // A title is a weaker source, used only without the others.
    // Many home pages have the title "Home".
    if let Some(title) = title.filter(|title| names.is_empty() && !is_generic(title)) {
        names.extend(tidy(title));
    }
    names
}

/// Whether a title fits any home page.
pub(crate) fn is_generic(title: &str) -> bool {
    static TITLES: Words = Words::new(include_str!("words/names_titles.txt"));
    TITLES.contains(&title.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
}

/// Whether a heading names the site and not the page: as the site calls itself, or as its host does.
pub(crate) fn is_site(heading: &str, head: &Head, host: &str) -> bool {
    let name = key(heading);
    let called = head.site_name().map(key);
    let labels = host.split('.').rev().skip(1).map(key);
    !name.is_empty()
        && (called.is_some_and(|called| called == name) || labels.into_iter().any(|label| label == name))
}

/// Returns whether an item describes the site or its operator.
///
/// Items of local businesses have an address or a telephone.
pub(crate) fn is_owner(item: &Item) -> bool {
    static KINDS: Words = Words::new("Organization|Corporation|OnlineBusiness|LocalBusiness|WebSite|Brand");
    let is_kind = item
        .types
        .iter()
        .any(|kind| KINDS.iter().any(|known| kind.eq_ignore_ascii_case(known)));
    let is_person = item.types.iter().any(|kind| kind.eq_ignore_ascii_case("person"));
    let has = |property: &str| item.properties.contains(property);
    item.is_root && (is_kind || !is_person && (has("address") || has("telephone")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn of(html: &str) -> Vec<String> {
        names(&Page::from_html(html, None, Timestamp::UNIX_EPOCH))
    }

    #[test]
    fn every_place_of_a_name_is_read() {
        let page = r#"<html><head><title>Zentora | Plumbers in Leeds</title>
            <meta property="og:site_name" content=" Zentora "><meta name="application-name" content="Zentora App">
            <script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
              {"@type": "Plumber", "name": "Zentora Plumbing Ltd", "telephone": "1"},
              {"@type": "WebSite", "name": "Zentora"},
              {"@type": "Article", "name": "Ten tips", "author": {"@type": "Person", "name": "Ann"}},
              {"@type": "Person", "name": "Bob", "telephone": "2"}]}</script></head><body></body></html>"#;
        assert_eq!(of(page), ["Zentora", "Zentora App", "Zentora Plumbing Ltd"]);
        assert_eq!(
            of("<title>Zentora | Plumbers in Leeds</title>"),
            ["Zentora | Plumbers in Leeds"]
        );
        assert!(of("<title> Home </title>").is_empty());
    }

    #[test]
    fn errors_and_emptiness_give_none_and_floods_are_cut() {
        assert!(of("").is_empty() && of("<title> </title>").is_empty());
        let mut page = Page::from_html("<title>Not Found</title>", None, Timestamp::UNIX_EPOCH);
        page.status = Some(404);
        assert!(names(&page).is_empty());
        let flood = |filler: &str| {
            let items: Vec<String> = (0..50)
                .map(|n| format!(r#"{{"@type": "Organization", "name": "Name {n} {filler}"}}"#))
                .collect();
            let graph = items.join(",");
            of(&format!(
                r#"<script type="application/ld+json">{{"@context": "https://schema.org", "@graph": [{graph}]}}</script>"#
            ))
        };
        assert_eq!(flood("").len(), MOST);
        assert!(flood(&"x".repeat(500)).is_empty());
    }
}
