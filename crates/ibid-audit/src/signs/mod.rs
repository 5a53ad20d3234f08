//! Signs of walls, shells and error pages, and text that is hidden from people but meant for models.
//!
//! The audit reports findings and never follows them.
//! No text of a page reaches a model in this crate.

mod phrases;
#[cfg(test)]
mod tests;

use crate::html::{Document, Kind, NodeId, Step};
use crate::quote::{quote, quote_to};
use crate::reading::{is_hidden, is_never_shown, text_of};
use html5ever::local_name;
use phrases::{MODEL_NAMES, MODEL_VERBS, ORDER_PHRASES, WALL_PHRASES};

/// Findings of one kind that are kept.
const KEPT: usize = 5;

/// Something seen at a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sign {
    pub(crate) text: String,
    pub(crate) line: u32,
}

/// All signs of a page.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    /// Classes, ids and phrases of a paywall or a sign-in wall.
    pub(crate) walls: Vec<Sign>,
    /// An empty container that scripts are meant to fill.
    pub(crate) empty_root: Option<Sign>,
    roots_seen: usize,
    /// A `noscript` that asks for JavaScript.
    pub(crate) asks_for_script: Option<Sign>,
    /// Scripts of a bot challenge.
    pub(crate) challenge: Option<Sign>,
    /// Text aimed at models where people do not see it.
    pub(crate) hidden_orders: Vec<Sign>,
    /// Characters of Unicode's tag block, which are invisible and can spell text.
    pub(crate) tag_characters: Option<Sign>,
}

/// Walks the whole page, hidden parts and comments too.
pub(crate) fn read(document: &Document) -> Signs {
    let mut signs = Signs::default();
    // The element that hides the current place, if any.
    let mut hider: Option<NodeId> = None;
    // The element that is never shown at the current place, if any.
    let mut mute: Option<NodeId> = None;
    for step in document.walk(document.root()) {
        match step {
            Step::Leave(node) => {
                if hider == Some(node) {
                    hider = None;
                }
                if mute == Some(node) {
                    mute = None;
                }
            }
            Step::Enter(node) => match document.kind(node) {
                Kind::Root => {}
                Kind::Comment(range) => signs.concealed(document.text(range), document.line(node), "comment"),
                Kind::Text(range) => {
                    let text = document.text(range);
                    if mute.is_some() {
                        continue;
                    }
                    if hider.is_some() {
                        signs.concealed(text, document.line(node), "hidden text");
                    } else {
                        signs.shown(text, document.line(node));
                    }
                }
                Kind::Element { name, .. } => {
                    if *name == local_name!("noscript") {
                        signs.noscript(document, node);
                    }
                    if *name == local_name!("script") {
                        signs.script(document, node);
                    }
                    // The title and form fields are read by their own checks.
                    if mute.is_none() && is_never_shown(document, node) && *name != local_name!("head") {
                        mute = Some(node);
                    }
                    if mute.is_some() {
                        continue;
                    }
                    if hider.is_none() && (is_hidden(document, node) || is_out_of_sight(document, node)) {
                        hider = Some(node);
                    }
                    signs.element(document, node);
                }
            },
        }
    }
    signs
}

/// Styles that keep text in the page but out of sight.
fn is_out_of_sight(document: &Document, node: NodeId) -> bool {
    let Some(style) = document.attribute(node, &local_name!("style")) else {
        return false;
    };
    let zero = |value: &str| {
        matches!(
            value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%'),
            "0" | "0.0" | ".0" | "1e-3"
        )
    };
    let mut colour = None;
    let mut background = None;
    for (name, value) in crate::reading::declarations(style) {
        match name.as_str() {
            "font-size" | "opacity" | "max-height" | "max-width" if zero(&value) => return true,
            "left" | "top" | "right" | "text-indent" | "margin-left" => {
                let far = value
                    .trim_start_matches('-')
                    .trim_end_matches(|c: char| c.is_ascii_alphabetic());
                if value.starts_with('-') && far.parse::<f64>().is_ok_and(|distance| distance >= 900.0) {
                    return true;
                }
            }
            "clip" | "clip-path"
                if value.contains("rect(0")
                    || value.contains("inset(50%")
                    || value.contains("inset(100%") =>
            {
                return true;
            }
            "color" => colour = Some(value),
            "background" | "background-color" => background = Some(value),
            _ => {}
        }
    }
    colour.is_some() && colour == background
}

impl Signs {
    fn shown(&mut self, text: &str, line: u32) {
        if self.walls.len() < KEPT
            && let Some(found) = WALL_PHRASES.find(text)
        {
            self.walls.push(Sign {
                text: quote_to(&format!("the words “{}”", text.get(found).unwrap_or("")), 120),
                line,
            });
        }
        self.tags(text, line);
    }

    fn tags(&mut self, text: &str, line: u32) {
        // The tag block begins with these two bytes in UTF-8.
        if self.tag_characters.is_none() && memchr::memmem::find(text.as_bytes(), b"\xf3\xa0").is_some() {
            let hidden: String = text
                .chars()
                .filter_map(|c| match u32::from(c) {
                    code @ 0xe0020..=0xe007e => char::from_u32(code - 0xe0000),
                    _ => None,
                })
                .take(200)
                .collect();
            // Flags of England, Scotland and Wales are spelt with up to five of them.
            if hidden.len() > 12 {
                self.tag_characters = Some(Sign {
                    text: quote(&hidden),
                    line,
                });
            }
        }
    }

    fn concealed(&mut self, text: &str, line: u32, place: &str) {
        self.tags(text, line);
        if self.hidden_orders.len() >= KEPT || text.trim().len() < 12 {
            return;
        }
        let text = crate::html::cut(text, 20_000);
        if let Some(order) = orders(text) {
            self.hidden_orders.push(Sign {
                text: quote(&format!("{place}: {order}")),
                line,
            });
        }
    }

    fn noscript(&mut self, document: &Document, node: NodeId) {
        if self.asks_for_script.is_none() {
            let text = quote(&document.raw_text(node, 1_000));
            let lower = text.to_lowercase();
            if lower.contains("javascript") || lower.contains("enable js") {
                self.asks_for_script = Some(Sign {
                    text,
                    line: document.line(node),
                });
            }
        }
    }

    /// Ids should be unique, so only the first 20 roots are examined.
    fn is_new_root(&mut self) -> bool {
        self.roots_seen += 1;
        self.roots_seen <= 20
    }

    fn script(&mut self, document: &Document, node: NodeId) {
        let source = document.attribute(node, &local_name!("src")).unwrap_or("");
        if self.challenge.is_none()
            && [
                "/challenge-platform/",
                "captcha-delivery.com",
                "/_incapsula_resource",
                "geo.captcha",
                "px-captcha",
            ]
            .iter()
            .any(|mark| source.to_ascii_lowercase().contains(mark))
        {
            self.challenge = Some(Sign {
                text: quote_to(source, 120),
                line: document.line(node),
            });
        }
    }

    fn element(&mut self, document: &Document, node: NodeId) {
        let line = document.line(node);
        let id = document.attribute(node, &local_name!("id"));
        if self.empty_root.is_none()
            && let Some(id) = id
            && is_script_root(id)
            && self.is_new_root()
            && text_of(document, node, 20).is_empty()
        {
            self.empty_root = Some(Sign {
                text: quote_to(
                    &format!(
                        "<{} id=\"{id}\"> is empty",
                        document.name(node).map_or("", |name| &**name)
                    ),
                    120,
                ),
                line,
            });
        }
        if self.walls.len() < KEPT {
            let class = document.attribute(node, &local_name!("class")).unwrap_or("");
            let token = id
                .into_iter()
                .chain(class.split_ascii_whitespace())
                .take(100)
                .find(|token| is_wall_token(token));
            if let Some(token) = token {
                self.walls.push(Sign {
                    text: quote_to(&format!("class or id “{token}”"), 120),
                    line,
                });
            }
        }
        for key in [
            local_name!("alt"),
            local_name!("title"),
            local_name!("aria-label"),
        ] {
            if let Some(text) = document.attribute(node, &key) {
                self.concealed(text, line, &key);
            }
        }
        if document.name(node) == Some(&local_name!("meta"))
            && let Some(text) = document.attribute(node, &local_name!("content"))
        {
            self.concealed(text, line, "meta element");
        }
    }
}

fn is_script_root(id: &str) -> bool {
    matches!(
        id.trim().to_ascii_lowercase().as_str(),
        "root"
            | "app"
            | "__next"
            | "__nuxt"
            | "___gatsby"
            | "app-root"
            | "svelte"
            | "main-app"
            | "react-root"
            | "q-app"
            | "ember-app"
    )
}

fn is_wall_token(token: &str) -> bool {
    const WORDS: [&str; 10] = [
        "paywall",
        "regwall",
        "meterwall",
        "meter-wall",
        "loginwall",
        "login-wall",
        "subscriber-only",
        "subscribers-only",
        "registration-wall",
        "premium-wall",
    ];
    // Topics and negations carry the word without the thing.
    const OTHERS: [&str; 9] = [
        "no-",
        "not-",
        "non-",
        "without-",
        "tag-",
        "category-",
        "topic-",
        "term-",
        "hide-",
    ];
    if token.len() < 7 {
        return false;
    }
    let token = token.to_ascii_lowercase().replace('_', "-");
    if OTHERS.iter().any(|start| token.starts_with(start)) {
        return false;
    }
    WORDS.iter().any(|word| {
        token.find(word).is_some_and(|at| {
            let before = token[..at].chars().next_back();
            let after = token[at + word.len()..].chars().next();
            before.is_none_or(|c| !c.is_ascii_alphanumeric())
                && after.is_none_or(|c| !c.is_ascii_alphanumeric())
        })
    })
}

/// Returns the words of a text that give orders to a model.
pub(crate) fn orders(text: &str) -> Option<String> {
    let start = if let Some(found) = ORDER_PHRASES.find(text) {
        found.start
    } else {
        // The text names a model near an order.
        let named = MODEL_NAMES.find(text)?;
        if !MODEL_VERBS.is_near(text, named.start, 120) {
            return None;
        }
        named.start
    };
    let from = text.floor_char_boundary(start.saturating_sub(40));
    Some(quote_to(&text[from..], 160))
}
