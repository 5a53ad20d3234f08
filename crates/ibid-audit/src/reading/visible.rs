//! Visibility of elements, as far as the HTML alone determines it.

use crate::html::{Document, Kind, NodeId, Step};
use crate::limits::MANY;
use crate::vocabulary::Words;
use html5ever::local_name;

/// Elements whose content is never part of the text.
pub(crate) fn is_never_shown(document: &Document, node: NodeId) -> bool {
    static NEVER: Words = Words::new(include_str!("../words/visible_never.txt"));
    document.name(node).is_some_and(|name| NEVER.contains(name))
}

/// Whether an element is declared hidden: `hidden`, `display:none`, `visibility:hidden`, a closed dialog.
pub(crate) fn is_hidden(document: &Document, node: NodeId) -> bool {
    if let Some(value) = document.attribute(node, &local_name!("hidden"))
        && !value.trim().eq_ignore_ascii_case("until-found")
        && !document
            .attribute(node, &local_name!("id"))
            .is_some_and(is_streamed)
    {
        return true;
    }
    if document.name(node) == Some(&local_name!("dialog"))
        && document.attribute(node, &local_name!("open")).is_none()
    {
        return true;
    }
    document.attribute(node, &local_name!("style")).is_some_and(hides)
}

/// Whether an id is that of a part that React sends late: hidden until a script moves it into its place.
fn is_streamed(id: &str) -> bool {
    let number = id.strip_prefix("S:").unwrap_or("");
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn hides(style: &str) -> bool {
    declarations(style).any(|(name, value)| {
        (name == "display" && value.starts_with("none"))
            || (name == "visibility" && (value.starts_with("hidden") || value.starts_with("collapse")))
    })
}

/// Splits a style attribute into declarations, lower-case, without white space.
pub(crate) fn declarations(style: &str) -> impl Iterator<Item = (String, String)> + '_ {
    style.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let squeeze = |text: &str| -> String {
            text.chars()
                .filter(|c| !c.is_whitespace())
                .map(|c| c.to_ascii_lowercase())
                .collect()
        };
        Some((squeeze(name), squeeze(value)))
    })
}

/// Whether a node and all below it are left out of the text.
pub(crate) fn is_left_out(document: &Document, node: NodeId) -> bool {
    match document.kind(node) {
        Kind::Comment(_) => true,
        Kind::Text(_) | Kind::Root => false,
        Kind::Element { .. } => is_never_shown(document, node) || is_hidden(document, node),
    }
}

/// Letters and digits of all text that the page shows.
pub(crate) fn visible_key(document: &Document) -> String {
    let mut out = String::new();
    let mut walk = document.walk(document.root());
    while let Some(step) = walk.next() {
        match step {
            Step::Enter(node) if is_left_out(document, node) => walk.skip_children(node),
            Step::Enter(node) => {
                if let Kind::Text(range) = document.kind(node) {
                    out.push_str(&crate::quote::key(document.text(range)));
                }
            }
            Step::Leave(_) => {}
        }
    }
    out
}

/// Returns an element's visible text on one line, up to `limit` characters.
pub(crate) fn text_of(document: &Document, node: NodeId, limit: usize) -> String {
    let mut raw = String::new();
    let mut walk = document.walk(node);
    for _ in 0..MANY {
        let Some(step) = walk.next() else { break };
        let Step::Enter(current) = step else { continue };
        if current != node && is_left_out(document, current) {
            walk.skip_children(current);
        } else if let Kind::Text(range) = document.kind(current) {
            raw.push_str(crate::html::cut(document.text(range), 4 * limit));
            if raw.len() > 8 * limit {
                break;
            }
        } else {
            raw.push(' ');
        }
    }
    crate::quote::quote_to(&raw, limit)
}
