//! Visibility of elements, as far as the HTML alone determines it.

use crate::html::{Document, Kind, NodeId, Step};
use crate::limits::MANY;
use crate::vocabulary::Words;
use html5ever::local_name;

/// Elements whose content is never part of the text.
pub(crate) fn is_never_shown(document: &Document, node: NodeId) -> bool {
    static NEVER: Words = Words::new(
        "script|style|template|noscript|svg|iframe|head|title|object|canvas|audio|video|datalist|select|textarea|noframes|noembed",
    );
    document.name(node).is_some_and(|name| NEVER.contains(name))
}

/// Whether an element is declared hidden: `hidden`, `display:none`, `visibility:hidden`, a closed dialog.
pub(crate) fn is_hidden(document: &Document, node: NodeId) -> bool {
    if let Some(value) = document.attribute(node, &local_name!("hidden"))
        && !value.trim().eq_ignore_ascii_case("until-found")
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

fn hides(style: &str) -> bool {
    declarations(style).any(|(name, value)| {
        (name == "display" && value.starts_with("none"))
            || (name == "visibility" && (value.starts_with("hidden") || value.starts_with("collapse")))
    })
}

/// The declarations of a style attribute, lower-case, without white space.
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

/// The visible text of an element on one line, up to `limit` characters.
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
