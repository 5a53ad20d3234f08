//! Visibility of elements, as far as the HTML alone determines it.

use crate::html::{Document, Kind, NodeId, Step};
use html5ever::local_name;

/// The limit of steps over the text of one element, enough for any heading or link.
const STEPS: usize = 2_000;

/// Elements whose content is never part of the text.
pub(crate) fn is_never_shown(document: &Document, node: NodeId) -> bool {
    document.name(node).is_some_and(|name| {
        matches!(
            *name,
            local_name!("script")
                | local_name!("style")
                | local_name!("template")
                | local_name!("noscript")
                | local_name!("svg")
                | local_name!("iframe")
                | local_name!("head")
                | local_name!("title")
                | local_name!("object")
                | local_name!("canvas")
                | local_name!("audio")
                | local_name!("video")
                | local_name!("datalist")
                | local_name!("select")
                | local_name!("textarea")
                | local_name!("noframes")
                | local_name!("noembed")
        )
    })
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
    for _ in 0..STEPS {
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
