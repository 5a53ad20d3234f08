//! Line by line: blocks, tables, code, definitions.

use super::inline::Writer;
use super::one_line::Marks;
use super::{Block, Kind, Layout, marker};
use crate::read::text::{Clean, is_word};
use ibid_model::Citation;
use std::collections::HashMap;

/// Cells of one row that are looked at.
const MOST_CELLS: usize = 24;
/// Longest cell of a row that does not start with a bar, in bytes.
const LONGEST_CELL: usize = 200;
/// Widest indentation that is measured, in columns of white space.
const WIDEST_INDENT: usize = 64;

/// Scans a clean answer.
pub(super) fn scan<'a>(clean: &'a Clean, citations: &'a [Citation]) -> Layout {
    let mut scanner = Scanner {
        clean: &clean.text,
        writer: Writer::new(&clean.text, citations),
        fence: None,
        after_blank: true,
        marks: Marks::of(&clean.text),
    };
    scanner.collect_definitions();
    let mut at = 0;
    let ends = memchr::memchr_iter(b'\n', clean.text.as_bytes()).chain([clean.text.len()]);
    for end in ends {
        scanner.line(at, &clean.text[at..end]);
        at = end + 1;
    }
    scanner.writer.finish()
}

struct Scanner<'a> {
    clean: &'a str,
    writer: Writer<'a>,
    /// The mark that ends the open code block.
    fence: Option<&'static str>,
    after_blank: bool,
    marks: Marks,
}

/// A line without what introduces it.
struct Start<'a> {
    at: usize,
    text: &'a str,
    indent: usize,
    quoted: bool,
}

impl<'a> Scanner<'a> {
    /// `[label]: address` lines may be below the text that refers to them.
    fn collect_definitions(&mut self) {
        let bytes = self.clean.as_bytes();
        let mut closing = memchr::memchr_iter(b']', bytes);
        let defines = |at: usize| {
            let rest = bytes.get(at + 1..).unwrap_or_default();
            rest.starts_with(b": ") || rest.starts_with(b":h") || rest.starts_with(b" h")
        };
        if !closing.any(defines) {
            return;
        }
        let mut definitions = HashMap::new();
        for line in self.clean.split('\n') {
            if let Some((label, url)) = definition(line.trim_start()) {
                definitions.entry(label).or_insert((url, false));
            }
        }
        self.writer.definitions = definitions;
    }

    fn line(&mut self, at: usize, line: &'a str) {
        let trimmed = line.trim_end();
        let start = begin(at, trimmed);
        if let Some(fence) = self.fence {
            if start.text.starts_with(fence) {
                self.fence = None;
                return;
            }
            // Models put tables into code blocks too; code does not start and end with a bar.
            if !(start.text.len() > 2 && start.text.starts_with('|') && start.text.ends_with('|')) {
                self.writer.code(line);
                return;
            }
        }
        if let Some(fence) = ["```", "~~~"]
            .into_iter()
            .find(|fence| start.text.starts_with(fence))
        {
            // ```` ```text``` ```` in one line does not open a block.
            if !start.text[3..].contains(fence) {
                self.fence = Some(fence);
                self.after_blank = true;
                return;
            }
        }
        if !start.text.contains(|c: char| is_word(c) || marker::is_symbol(c)) {
            self.rule(start.text);
            return;
        }
        // A number alone is the glued chip of a source.
        let chip = start.text.len() <= 3 && start.text.bytes().all(|byte| byte.is_ascii_digit());
        if chip || definition(start.text).is_some() {
            return;
        }
        let has_bar = memchr::memchr(b'|', start.text.as_bytes()).is_some();
        if has_bar && is_delimiter_row(start.text) {
            self.writer.head_row();
            return;
        }
        // Bars inside a long text part its titles, not cells.
        let cells = has_bar && start.text.split(" | ").all(|cell| cell.len() <= LONGEST_CELL);
        if start.text.starts_with('|') || cells && start.text.matches(" | ").take(2).count() == 2 {
            self.row(&start, '|');
        } else if marker::read(start.text).is_none() && start.text.matches('\t').take(2).count() == 2 {
            // A table that was copied from a browser.
            self.row(&start, '\t');
        } else {
            self.text(&start);
        }
        self.after_blank = false;
    }

    /// A line without letters: blank or a rule.
    fn rule(&mut self, text: &str) {
        if is_delimiter_row(text) {
            self.writer.head_row();
            return;
        }
        // A single dash or bracket is debris of a citation, not a break.
        if text.is_empty() || text.len() >= 3 {
            self.after_blank = true;
        }
    }

    fn row(&mut self, start: &Start<'a>, mark: char) {
        let first_cell = self.writer.layout.cells.len();
        let block = self.open(Kind::Row, start);
        let inner = start.text.trim_matches(mark);
        let mut at = start.at + (start.text.len() - start.text.trim_start_matches(mark).len());
        for cell in inner.split(mark).take(MOST_CELLS) {
            let blanks = cell.len() - cell.trim_start().len();
            let from = self.writer.layout.text.len();
            let text = cell.trim();
            self.writer.inline(at + blanks, at + blanks + text.len(), false);
            let to = self.writer.layout.text.len();
            self.writer.layout.cells.push(from..to);
            self.writer.literal("\t", at + blanks + text.len());
            at += cell.len() + 1;
        }
        let cells = first_cell..self.writer.layout.cells.len();
        self.close(block, cells);
    }

    fn text(&mut self, start: &Start<'a>) {
        let breaks = self.marks.breaks(start.text);
        if breaks.is_empty() {
            return self.piece(start);
        }
        let ends = breaks.iter().copied().chain([start.text.len()]);
        let starts = [0].into_iter().chain(breaks.iter().copied());
        for (from, to) in starts.zip(ends) {
            let piece = start.text[from..to].trim_end();
            if piece.contains(is_word) {
                self.piece(&Start {
                    at: start.at + from,
                    text: piece,
                    indent: start.indent,
                    quoted: start.quoted,
                });
                self.after_blank = false;
            }
        }
    }

    fn piece(&mut self, start: &Start<'a>) {
        if let Some(level) = heading_level(start.text) {
            let text = start.text[level..]
                .trim_start_matches([' ', '\t'])
                .trim_end_matches(['#', ' ']);
            let at =
                start.at + (start.text.len() - start.text[level..].trim_start_matches([' ', '\t']).len());
            return self.marked(Kind::Heading(level as u8), &Start { at, text, ..*start });
        }
        self.marked(Kind::Line, start);
    }

    /// A line with or without a list marker.
    fn marked(&mut self, kind: Kind, start: &Start<'a>) {
        let found = marker::read(start.text).unwrap_or_default();
        let kind = match kind {
            Kind::Line if found.number.is_some() => Kind::Ordered,
            Kind::Line if found.length > 0 && !found.symbol => Kind::Bullet,
            kind => kind,
        };
        let block = self.open(kind, start);
        if let Some(open) = self.writer.layout.blocks.get_mut(block) {
            open.number = found.number;
            open.symbol = found.symbol;
        }
        let from = start.at + found.length;
        self.writer
            .inline(from, start.at + start.text.len(), found.in_bold);
        self.close(block, 0..0);
    }

    fn open(&mut self, kind: Kind, start: &Start<'_>) -> usize {
        let layout = &mut self.writer.layout;
        let from = layout.text.len();
        layout.blocks.push(Block {
            kind,
            span: from..from,
            indent: start.indent,
            number: None,
            after_blank: self.after_blank,
            symbol: false,
            all_bold: false,
            quoted: start.quoted,
            cells: 0..0,
            parent: None,
        });
        layout.blocks.len() - 1
    }

    /// Ends the last block; one without visible letters is taken back.
    fn close(&mut self, block: usize, cells: std::ops::Range<usize>) {
        self.writer.end_block();
        let layout = &mut self.writer.layout;
        let to = layout.text.len();
        let Some(open) = layout.blocks.get_mut(block) else {
            return;
        };
        open.span.end = to;
        open.cells = cells;
        let text = layout.text.get(open.span.clone()).unwrap_or_default();
        if !text.contains(is_word) {
            layout.blocks.pop();
            self.writer.literal("\n", usize::MAX);
            return;
        }
        let trimmed = without_host(text).trim_end_matches([':', ' ', '.', '\t']);
        let (first, last) = (open.span.start, open.span.start + trimmed.len());
        let lead = text.len() - text.trim_start_matches(|c: char| !is_word(c)).len();
        open.all_bold = layout
            .bolds
            .last()
            .is_some_and(|bold| bold.start <= first + lead && bold.start >= first && bold.end >= last);
        self.writer.literal("\n", usize::MAX);
    }
}

/// A line without the host in parentheses at its end: `Acme (acme.com)`.
fn without_host(text: &str) -> &str {
    let Some((before, host)) = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) else {
        return text;
    };
    let is_host = host.contains('.') && !host.contains(char::is_whitespace);
    if is_host { before } else { text }
}

/// Takes what a line begins with: white space and quote marks.
fn begin(at: usize, line: &str) -> Start<'_> {
    let mut text = line;
    let mut indent = 0;
    let mut quoted = false;
    loop {
        let trimmed = text.trim_start_matches([' ', '\t']);
        indent += text[..text.len() - trimmed.len()]
            .bytes()
            .map(|byte| if byte == b'\t' { 4 } else { 1 })
            .sum::<usize>();
        match trimmed.strip_prefix('>') {
            Some(rest) => {
                quoted = true;
                indent = 0;
                text = rest;
            }
            None => {
                text = trimmed;
                break;
            }
        }
    }
    Start {
        at: at + line.len() - text.len(),
        text,
        indent: indent.min(WIDEST_INDENT),
        quoted,
    }
}

/// How many `#` a heading has, 0 excluded.
fn heading_level(text: &str) -> Option<usize> {
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    let rest = text.get(level..)?;
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t', '*'])).then_some(level)
}

/// `[label]: address`, with the address in angle brackets or bare.
fn definition(line: &str) -> Option<(&str, &str)> {
    let (label, rest) = line.strip_prefix('[')?.split_once(']')?;
    // `[1] address` is a footnote without its colon.
    let footnote = rest.starts_with(' ') && label.bytes().all(|byte| byte.is_ascii_digit() || byte == b'^');
    let rest = rest
        .strip_prefix(':')
        .or_else(|| rest.strip_prefix(' ').filter(|_| footnote))?;
    let url = rest.trim().split([' ', '\t']).next()?.trim_matches(['<', '>']);
    let address = url.starts_with("http://") || url.starts_with("https://") || url.starts_with("www.");
    (address && label.len() <= 80 && !label.contains('[')).then_some((label, url))
}

/// `|---|:-:|`.
fn is_delimiter_row(text: &str) -> bool {
    text.contains('|')
        && text.contains('-')
        && text
            .bytes()
            .all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'))
}
