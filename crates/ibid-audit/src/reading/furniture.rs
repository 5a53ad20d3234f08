//! Parts of a page that are not its text: menus, consent boxes, share bars, teasers, comments.

use super::measure::Measures;
use crate::html::{Document, NodeId};
use crate::limits::PROSE_WORDS;
use crate::quote::QUOTE_CHARS;
use crate::vocabulary::Words;
use html5ever::{LocalName, local_name};

/// Words in a class or id that mark furniture, unless the element contains most of the page.
static WORDS: Words = Words::new(include_str!("../words/furniture_words.txt"));

/// Words that mark furniture where a quarter of the words are links.
static LINKED_WORDS: Words = Words::new(include_str!("../words/furniture_linked_words.txt"));

static ROLES: Words =
    Words::new("navigation|banner|contentinfo|complementary|search|dialog|alertdialog|menu|menubar|toolbar");

/// Classes that hide an element by the style sheets of common frameworks.
static HIDING: Words =
    Words::new("d-none|hidden|hide|screen-reader-text|screenreader|sr-only|visually-hidden|visuallyhidden");

/// Whether an element is furniture.
///
/// `in_article` is set inside a `main` or an `article`.
pub(super) fn is_furniture(document: &Document, node: NodeId, measures: &Measures, in_article: bool) -> bool {
    let Some(name) = document.name(node) else {
        return false;
    };
    let share = measures.share(node);
    if measures.has_title(node) || share > 85 {
        return false;
    }
    match *name {
        local_name!("nav") | local_name!("button") => return true,
        local_name!("footer") => return share <= 60,
        local_name!("aside") => return share <= 50,
        local_name!("form") => return share <= 30,
        local_name!("header") if !in_article => return true,
        local_name!("html") | local_name!("body") | local_name!("main") => return false,
        _ => {}
    }
    if let Some(role) = document.attribute_named(node, "role")
        && ROLES.contains(role.trim())
    {
        return share <= 50;
    }
    if document.attribute_named(node, "aria-hidden") == Some("true") {
        return share <= 30;
    }
    if document
        .attribute(node, &local_name!("itemprop"))
        .is_some_and(|property| property.eq_ignore_ascii_case("articleBody"))
    {
        return false;
    }
    named_furniture(document, node, measures, share)
}

fn named_furniture(document: &Document, node: NodeId, measures: &Measures, share: u32) -> bool {
    let class = document.attribute(node, &local_name!("class")).unwrap_or("");
    if class
        .split_ascii_whitespace()
        .take(20)
        .any(|token| HIDING.contains(token))
    {
        return share <= 30;
    }
    // Not for a name or a link inside a paragraph, because its class names what it links, as in "meta-org".
    let is = |node: Option<NodeId>, names: &[LocalName]| {
        node.and_then(|node| document.name(node))
            .is_some_and(|name| names.contains(name))
    };
    if is(Some(node), &[local_name!("a"), local_name!("span")])
        && is(document.parent(node), &[local_name!("p")])
    {
        return false;
    }
    // An `article` with such a name is a teaser or a comment.
    // Its name often lists its tags and categories.
    let is_article = document.name(node) == Some(&local_name!("article"));
    let (words, links) = (measures.words(node), measures.link_words(node));
    let linked = links * 4 >= words;
    // A long text with few links is not furniture, regardless of its name.
    // Comments are an exception, because they are long.
    let is_prose = words >= PROSE_WORDS as u32 && links * 8 < words;
    let mut found = false;
    for value in [class, document.attribute(node, &local_name!("id")).unwrap_or("")] {
        parts(value, |part| {
            found |= if is_article {
                matches!(part, "comment" | "teaser" | "related" | "promo") && linked
            } else {
                (WORDS.contains(part) && (!is_prose || part.starts_with("comment") || part == "disqus"))
                    || (linked && LINKED_WORDS.contains(part))
            };
        });
    }
    found && share <= 40
}

/// Whether a class or an id has one of these words.
pub(super) fn has_word(document: &Document, node: NodeId, words: &Words) -> bool {
    let mut found = false;
    for key in [local_name!("class"), local_name!("id")] {
        if let Some(value) = document.attribute(node, &key) {
            parts(value, |part| found |= words.contains(part));
        }
    }
    found
}

/// Calls `each` for the words of a class.
///
/// `shareBar-top nav_item` has share, bar, top, nav, item.
fn parts(value: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut was_lower = false;
    for c in crate::html::cut(value, QUOTE_CHARS).chars() {
        let starts = c.is_ascii_uppercase() && was_lower;
        was_lower = c.is_ascii_lowercase();
        if (starts || !c.is_ascii_alphabetic()) && !word.is_empty() {
            each(&word);
            word.clear();
        }
        if c.is_ascii_alphabetic() {
            word.push(c.to_ascii_lowercase());
        }
    }
    if !word.is_empty() {
        each(&word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_cut_into_words() {
        for (value, expected) in [
            ("shareBar-top nav_item", "share bar top nav item"),
            ("sharedaddy", "sharedaddy"),
            ("post--2x", "post x"),
            ("", ""),
        ] {
            let mut found = Vec::new();
            parts(value, |part| found.push(part.to_owned()));
            assert_eq!(found.join(" "), expected, "{value}");
        }
    }
}
