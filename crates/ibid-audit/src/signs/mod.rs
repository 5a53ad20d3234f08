//! Signs of walls, shells and error pages, and text that is hidden from people but meant for models.
//!
//! The audit reports findings and never follows them.
//! No text of a page reaches a model in this crate.

mod phrases;
#[cfg(test)]
mod tests;
mod unfinished;

use crate::html::{Document, Kind, NodeId, Step};
use crate::limits::SHOWN;
use crate::quote::{quote, quote_to};
use crate::reading::{is_hidden, is_never_shown, text_of, words};
use crate::vocabulary::Words;
use html5ever::local_name;
use phrases::{MODEL_NAMES, MODEL_VERBS, ORDER_PHRASES, WALL_PHRASES};
use unfinished::Unfinished;

/// Something seen at a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sign {
    pub(crate) text: String,
    pub(crate) line: u32,
}

/// All signs of a page.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    /// Visible words of a paywall or a sign-in wall.
    pub(crate) wall_words: Option<Sign>,
    /// A class or an id that names one.
    pub(crate) wall_name: Option<Sign>,
    /// An empty container that scripts are meant to fill.
    pub(crate) empty_root: Option<Sign>,
    roots_seen: usize,
    /// A `noscript` that asks for JavaScript.
    pub(crate) asks_for_script: Option<Sign>,
    /// Scripts of a bot challenge.
    pub(crate) challenge: Option<Sign>,
    /// Words that the HTML hides, often until a script shows them.
    pub(crate) hidden_words: usize,
    /// Filler text, gaps and placeholders.
    pub(crate) unfinished: Unfinished,
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
        let node = match step {
            Step::Enter(node) => node,
            Step::Leave(node) => {
                hider = hider.filter(|hider| *hider != node);
                mute = mute.filter(|mute| *mute != node);
                signs.unfinished.leave(document, node);
                continue;
            }
        };
        let line = document.line(node);
        match document.kind(node) {
            Kind::Root => {}
            Kind::Comment(range) => signs.concealed(document.text(range), line, "comment"),
            Kind::Text(range) if mute.is_none() && hider.is_some() => {
                signs.hidden_words += words::count(document.text(range));
                signs.concealed(document.text(range), line, "hidden text");
            }
            Kind::Text(range) if mute.is_none() => {
                signs.shown(document.text(range), line);
                signs.unfinished.text(document.text(range), line);
            }
            Kind::Text(_) => {}
            Kind::Element { name, .. } => {
                match *name {
                    local_name!("noscript") => signs.noscript(document, node),
                    local_name!("script") => signs.script(document, node),
                    _ => {}
                }
                // The title and form fields are read by their own checks.
                if mute.is_none() && is_never_shown(document, node) && *name != local_name!("head") {
                    mute = Some(node);
                    signs.unfinished.object();
                }
                if mute.is_some() {
                    continue;
                }
                if hider.is_none() && (is_hidden(document, node) || is_out_of_sight(document, node)) {
                    hider = Some(node);
                    signs.unfinished.object();
                }
                signs.unfinished.enter(document, node);
                signs.element(document, node);
            }
        }
    }
    signs
}

/// Styles that keep text in the page but out of sight.
fn is_out_of_sight(document: &Document, node: NodeId) -> bool {
    let Some(style) = document.attribute(node, &local_name!("style")) else {
        return false;
    };
    let is_unit = |c: char| c.is_ascii_alphabetic() || c == '%';
    let is_zero = |value: &str| matches!(value.trim_end_matches(is_unit), "0" | "0.0" | ".0" | "1e-3");
    let is_far = |value: &str| {
        let distance = value
            .strip_prefix('-')
            .map(|far| far.trim_end_matches(is_unit).parse::<f64>());
        distance.is_some_and(|distance| distance.is_ok_and(|distance| distance >= 900.0))
    };
    let (mut colour, mut background) = (None, None);
    for (name, value) in crate::reading::declarations(style) {
        let hides = match name.as_str() {
            "font-size" | "opacity" | "max-height" | "max-width" => is_zero(&value),
            "left" | "top" | "right" | "text-indent" | "margin-left" => is_far(&value),
            "clip" | "clip-path" => ["rect(0", "inset(50%", "inset(100%"]
                .iter()
                .any(|part| value.contains(part)),
            _ => false,
        };
        match name.as_str() {
            _ if hides => return true,
            "color" => colour = Some(value),
            "background" | "background-color" => background = Some(value),
            _ => {}
        }
    }
    colour.is_some() && colour == background
}

fn sign(text: &str, line: u32) -> Sign {
    Sign {
        text: quote_to(text, 120),
        line,
    }
}

impl Signs {
    fn shown(&mut self, text: &str, line: u32) {
        if self.wall_words.is_none()
            && let Some(found) = WALL_PHRASES.find(text)
        {
            let words = text.get(found).unwrap_or("");
            self.wall_words = Some(sign(&format!("the words “{words}”"), line));
        }
        self.tags(text, line);
    }

    fn tags(&mut self, text: &str, line: u32) {
        // The tag block begins with these two bytes in UTF-8.
        if self.tag_characters.is_some() || memchr::memmem::find(text.as_bytes(), b"\xf3\xa0").is_none() {
            return;
        }
        let letters = text
            .chars()
            .map(u32::from)
            .filter(|code| (0xe0020..=0xe007e).contains(code));
        let hidden: String = letters
            .filter_map(|code| char::from_u32(code - 0xe0000))
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

    fn concealed(&mut self, text: &str, line: u32, place: &str) {
        self.tags(text, line);
        if self.hidden_orders.len() < SHOWN
            && text.trim().len() >= 12
            && let Some(order) = orders(crate::html::cut(text, 20_000))
        {
            let text = quote(&format!("{place}: {order}"));
            self.hidden_orders.push(Sign { text, line });
        }
    }

    fn noscript(&mut self, document: &Document, node: NodeId) {
        if self.asks_for_script.is_none() {
            // Scripts are on for the parser, so the element holds its markup as text.
            let raw = document.raw_text(node, 1_000);
            let tags = raw
                .split('<')
                .map(|part| part.split_once('>').map_or(part, |(_, text)| text));
            let text = quote(&tags.collect::<Vec<_>>().join(" "));
            let lower = text.to_lowercase();
            if lower.contains("javascript") || lower.contains("enable js") {
                self.asks_for_script = Some(Sign {
                    text,
                    line: document.line(node),
                });
            }
        }
    }

    fn script(&mut self, document: &Document, node: NodeId) {
        static CHALLENGES: Words = Words::new(
            "/challenge-platform/|captcha-delivery.com|/_incapsula_resource|geo.captcha|px-captcha",
        );
        let source = document.attribute(node, &local_name!("src")).unwrap_or("");
        if self.challenge.is_none() && CHALLENGES.is_in(&source.to_ascii_lowercase()) {
            self.challenge = Some(sign(source, document.line(node)));
        }
    }

    fn element(&mut self, document: &Document, node: NodeId) {
        static ROOTS: Words = Words::new(
            "root|app|__next|__nuxt|___gatsby|app-root|svelte|main-app|react-root|q-app|ember-app",
        );
        let line = document.line(node);
        let id = document.attribute(node, &local_name!("id"));
        // Ids should be unique, so only the first 20 roots are examined.
        if self.empty_root.is_none()
            && let Some(id) = id.filter(|id| ROOTS.contains(&id.trim().to_ascii_lowercase()))
        {
            self.roots_seen += 1;
            if self.roots_seen <= 20 && text_of(document, node, 20).is_empty() {
                let name = document.name(node).map_or("", |name| &**name);
                self.empty_root = Some(sign(&format!("<{name} id=\"{id}\"> is empty"), line));
            }
        }
        if self.wall_name.is_none() {
            let class = document.attribute(node, &local_name!("class")).unwrap_or("");
            let mut tokens = id.into_iter().chain(class.split_ascii_whitespace()).take(100);
            let token = tokens.find(|token| is_wall_token(token));
            self.wall_name = token.map(|token| sign(&format!("class or id “{token}”"), line));
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

/// Whether a class or an id names a wall.
fn is_wall_token(token: &str) -> bool {
    static WALLS: Words = Words::new(include_str!("../words/signs_walls.txt"));
    // Topics and negations carry the word without the thing.
    static OTHERS: Words = Words::new("no-|not-|non-|without-|tag-|category-|topic-|term-|hide-");
    if token.len() < "paywall".len() {
        return false;
    }
    let token = token.to_ascii_lowercase().replace('_', "-");
    let is_whole = |word: &str| {
        token.split_once(word).is_some_and(|(before, after)| {
            !before.ends_with(|c: char| c.is_ascii_alphanumeric())
                && !after.starts_with(|c: char| c.is_ascii_alphanumeric())
        })
    };
    !OTHERS.opens(&token) && WALLS.iter().any(is_whole)
}

/// Returns words of the beginning of a file that give orders to a model.
pub(crate) fn orders_in(file: &[u8]) -> Option<String> {
    orders(&String::from_utf8_lossy(&file[..file.len().min(20_000)]))
}

/// Returns the words of a text that give orders to a model, or that name one near an order.
fn orders(text: &str) -> Option<String> {
    let order = || ORDER_PHRASES.find(text);
    let named = || {
        MODEL_NAMES
            .find(text)
            .filter(|named| MODEL_VERBS.is_near(text, named.start, 120))
    };
    let start = order().or_else(named)?.start;
    let from = text.floor_char_boundary(start.saturating_sub(40));
    Some(quote_to(&text[from..], 160))
}
