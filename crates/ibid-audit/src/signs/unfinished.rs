//! Signs of a page that is not finished: filler text, gaps in sentences, placeholders.

use super::phrases::{FILLER, GAPS, LATIN, PLACEHOLDERS};
use super::{Sign, sign};
use crate::html::{Document, NodeId};
use crate::reading::{is_block, words};
use crate::vocabulary::Words;

/// Stands in a run of text for a picture, a field or a script, which may show what is missing there.
const OBJECT: char = '\u{fffc}';
/// In a block with fewer words a name belongs to an address or a signature.
const SHORT: usize = 15;

/// Collects a page's text, and judges each run when its block ends.
#[derive(Debug, Default)]
pub(crate) struct Unfinished {
    run: String,
    line: u32,
    /// The element at the current place whose text is quoted or code.
    quoted: Option<NodeId>,
    pub(crate) filler: Option<Sign>,
    pub(crate) gap: Option<Sign>,
    pub(crate) placeholder: Option<Sign>,
}

impl Unfinished {
    pub(super) fn enter(&mut self, document: &Document, node: NodeId) {
        static QUOTED: Words = Words::new("code|pre|kbd|samp|var|q|math|label|legend");
        static OBJECTS: Words = Words::new("img|input|button|embed|picture|meter|progress|output|slot");
        if is_block(document, node) {
            self.end();
        }
        let name = document.name(node);
        let is = |words: &Words| name.is_some_and(|name| words.contains(name));
        // A custom element, for example Angular's, is filled by a script.
        if is(&OBJECTS) || is(&QUOTED) || name.is_some_and(|name| name.contains('-')) {
            self.object();
        }
        if self.quoted.is_none() && is(&QUOTED) {
            self.quoted = Some(node);
        }
        if name.is_some_and(|name| &**name == "br") {
            self.run.push(' ');
        }
    }

    pub(super) fn leave(&mut self, document: &Document, node: NodeId) {
        self.quoted = self.quoted.filter(|quoted| *quoted != node);
        if is_block(document, node) {
            self.end();
        }
    }

    /// Something that is not text of the page, and may show any.
    pub(super) fn object(&mut self) {
        self.run.push(OBJECT);
    }

    pub(super) fn text(&mut self, text: &str, line: u32) {
        if self.quoted.is_none() && self.run.len() < crate::limits::MANY {
            if self.run.trim().is_empty() {
                self.line = line;
            }
            self.run.push_str(text);
        }
    }

    pub(super) fn end(&mut self) {
        let run = std::mem::take(&mut self.run);
        let text = run.trim();
        if self.filler.is_none() && is_filler(text) {
            self.filler = Some(sign(text, self.line));
        }
        if self.gap.is_none()
            && let Some(at) = gap(text)
        {
            let from = text.floor_char_boundary(at.saturating_sub(40));
            self.gap = Some(sign(&text[from..], self.line));
        }
        if self.placeholder.is_none()
            && let Some(found) = placeholder(text)
        {
            self.placeholder = Some(sign(found, self.line));
        }
    }
}

/// Whether a run is filler, and does not only talk of it.
fn is_filler(text: &str) -> bool {
    let latin = LATIN
        .find(text)
        .is_some_and(|first| first.start < 3 || LATIN.find(text.get(first.end..).unwrap_or("")).is_some());
    latin || FILLER.find(text).is_some()
}

/// Finds where a sentence lacks a name, for example “At , we pride ourselves” or “Welcome to !”.
fn gap(text: &str) -> Option<usize> {
    static BEFORE_COMMA: Words = Words::new("at|bei|chez|en|presso|bij|hos|with|mit|avec|from|by|von");
    static BEFORE_END: Words = Words::new(include_str!("../words/signs_unfinished_before_end.txt"));
    if let Some(found) = GAPS.find(text)
        && !text[..found.start].ends_with(char::is_alphanumeric)
    {
        return Some(found.start);
    }
    // Who puts a space before every mark leaves out no name.
    let mut marks = text.match_indices([',', '.', '!']).filter(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
        ends && text[..*at].ends_with(char::is_whitespace)
    });
    let (at, mark) = marks.next()?;
    let before = text[..at].trim_end().to_lowercase();
    let mut last = before.rsplit(char::is_whitespace);
    let (word, earlier) = (last.next()?, last.next().unwrap_or(""));
    let lacks_name = match mark {
        "," => BEFORE_COMMA.contains(word),
        _ => BEFORE_END.contains(word) || BEFORE_END.contains(&format!("{earlier} {word}")),
    };
    (lacks_name && marks.next().is_none()).then_some(at)
}

/// Words of a template that were to be replaced.
fn placeholder(text: &str) -> Option<&str> {
    static NAMES: Words =
        Words::new("mustermann|musterfrau|john doe|jane doe|juan pérez|mario rossi|jean dupont");
    if let Some(found) = PLACEHOLDERS.find(text) {
        let from = text.floor_char_boundary(found.start.saturating_sub(20));
        return text.get(from..);
    }
    (words::count(text) <= SHORT && NAMES.is_in(&text.to_lowercase())).then_some(text)
}
