//! Inside a line: bold, links, addresses, source marks.

mod links;
mod sources;

use links::starts_address;

use super::{Kind, Layout};
use crate::read::text::is_word;
use ibid_model::Citation;
use std::collections::HashMap;

/// Open brackets that are remembered; the outermost of more are text.
const MOST_OPEN: usize = 256;

/// Writes visible text.
pub(super) struct Writer<'a> {
    clean: &'a str,
    citations: &'a [Citation],
    /// Label to address, and whether something refers to it.
    pub(super) definitions: HashMap<&'a str, (&'a str, bool)>,
    pub(super) layout: Layout,
    bold: Option<usize>,
    struck: Option<usize>,
    brackets: Vec<Open>,
    /// The position up to which a search for the end of an address is known to fail.
    no_address_before: usize,
}

#[derive(Clone, Copy)]
struct Open {
    /// Where its text starts in the visible text.
    visible: usize,
    /// Its place in the clean text.
    clean: usize,
    image: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(clean: &'a str, citations: &'a [Citation]) -> Self {
        let mut layout = Layout::default();
        layout.text.reserve(clean.len());
        Self {
            clean,
            citations,
            definitions: HashMap::new(),
            layout,
            bold: None,
            struck: None,
            brackets: Vec::new(),
            no_address_before: 0,
        }
    }

    /// The layout; definitions without a reference are a list of sources.
    pub(super) fn finish(mut self) -> Layout {
        let unused = self
            .definitions
            .values()
            .filter(|(_, used)| !used)
            .map(|(url, _)| (*url).to_owned());
        self.layout.sources.extend(unused);
        self.layout.sources.sort_unstable();
        self.layout
    }

    /// Adds text unchanged; `origin` is its position in the clean text, if it has one.
    pub(super) fn literal(&mut self, text: &str, origin: usize) {
        if origin != usize::MAX {
            self.layout.offsets.mark(self.layout.text.len(), origin);
        }
        self.layout.text.push_str(text);
    }

    /// A line of a code block.
    pub(super) fn code(&mut self, line: &str) {
        let at = line.as_ptr() as usize - self.clean.as_ptr() as usize;
        self.layout.code.push(at..at + line.len());
    }

    /// Makes the last row a head row.
    pub(super) fn head_row(&mut self) {
        if let Some(last) = self
            .layout
            .blocks
            .last_mut()
            .filter(|block| block.kind == Kind::Row)
        {
            last.kind = Kind::HeadRow;
        }
    }

    /// Ends what is open at the end of a block.
    pub(super) fn end_block(&mut self) {
        if let Some(start) = self.bold.take() {
            self.push_bold(start);
        }
        self.brackets.clear();
        self.struck = None;
    }

    /// Writes the visible text of `clean[from..to]`; bold from the start if `bold`.
    pub(super) fn inline(&mut self, from: usize, to: usize, bold: bool) {
        let clean = self.clean;
        let bytes = clean.as_bytes().get(..to).unwrap_or_default();
        if bold {
            self.bold = Some(self.layout.text.len());
        }
        let mut at = from;
        while at < bytes.len() {
            let run = at + bytes[at..].iter().take_while(|byte| !is_special(**byte)).count();
            if run > at {
                self.literal(&clean[at..run], at);
                at = run;
                continue;
            }
            at = match bytes[at] {
                b'*' => self.star(bytes, at),
                b'_' => self.underscore(bytes, at),
                b'~' if bytes[at..].starts_with(b"~~") => self.strike(bytes, at),
                b'`' => at + 1,
                b'[' => self.open_bracket(bytes, at),
                b']' => self.close_bracket(at, to),
                b'!' if bytes.get(at + 1) == Some(&b'[') => at + 1,
                b':' if bytes[at..].starts_with(b"://") => self.address(at, to),
                b'<' if starts_address(&clean[at + 1..to]) => at + 1,
                b'>' if self.ends_address() => at + 1,
                0xe3 if clean[at..to].starts_with('【') => self.lenticular(at, to),
                _ => {
                    let width = clean[at..].chars().next().map_or(1, char::len_utf8);
                    self.literal(&clean[at..at + width], at);
                    at + width
                }
            };
        }
    }

    fn star(&mut self, bytes: &[u8], at: usize) -> usize {
        if bytes.get(at + 1) == Some(&b'*') {
            let mut end = at + 2;
            while bytes.get(end) == Some(&b'*') {
                end += 1;
            }
            self.toggle(bytes.get(end).is_none_or(|byte| byte.is_ascii_whitespace()));
            return end;
        }
        let spaced = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
        if spaced(at.checked_sub(1).and_then(|before| bytes.get(before))) && spaced(bytes.get(at + 1)) {
            self.literal("*", at);
        }
        at + 1
    }

    fn underscore(&mut self, bytes: &[u8], at: usize) -> usize {
        let word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'/');
        let before = word(at.checked_sub(1).and_then(|before| bytes.get(before)));
        if bytes.get(at + 1) == Some(&b'_') {
            if !(before && word(bytes.get(at + 2))) {
                self.toggle(bytes.get(at + 2).is_none_or(|byte| byte.is_ascii_whitespace()));
                return at + 2;
            }
        } else if !(before && word(bytes.get(at + 1))) {
            return at + 1;
        }
        self.literal("_", at);
        at + 1
    }

    /// Begins or ends a passage that is struck through.
    fn strike(&mut self, bytes: &[u8], at: usize) -> usize {
        let end = self.layout.text.len();
        if bytes.get(at + 2) == Some(&b'~') {
            self.struck = None;
            return at + 2;
        }
        match self.struck.take() {
            Some(start) => self.layout.struck.push(start..end),
            None => self.struck = Some(end),
        }
        at + 2
    }

    /// Begins or ends bold. Marks that cannot begin bold are dropped too.
    fn toggle(&mut self, before_blank: bool) {
        match self.bold.take() {
            Some(start) => self.push_bold(start),
            None if before_blank => {}
            None => self.bold = Some(self.layout.text.len()),
        }
    }

    fn push_bold(&mut self, start: usize) {
        let end = self.layout.text.len();
        if self
            .layout
            .text
            .get(start..end)
            .is_some_and(|text| text.contains(is_word))
        {
            self.layout.bolds.push(start..end);
        }
    }
}

/// Whether a byte may mean something.
const fn is_special(byte: u8) -> bool {
    matches!(
        byte,
        b'*' | b'_' | b'~' | b'`' | b'[' | b']' | b'!' | b':' | b'<' | b'>' | 0xe3
    )
}
