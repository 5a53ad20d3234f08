//! Inside a line: bold, links, addresses, source marks.

use super::{Form, Kind, Layout, Link, Span};
use crate::read::text::is_word;
use ibid_model::Citation;
use std::collections::HashMap;

/// Longest address of a link, in bytes.
const LONGEST_URL: usize = 2_048;
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
    brackets: Vec<Open>,
    /// Up to where a search for the end of an address is known to fail.
    no_address_before: usize,
}

/// An open bracket.
#[derive(Clone, Copy)]
struct Open {
    /// Where its text starts in the visible text.
    visible: usize,
    /// Where it stands in the clean text.
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
            brackets: Vec::new(),
            no_address_before: 0,
        }
    }

    /// The layout; definitions that nothing refers to are a list of sources.
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

    /// Adds text as it stands; `origin` is where it is in the clean text, if anywhere.
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

    /// Takes back the end of the last block, to go on with it.
    pub(super) fn reopen(&mut self, origin: usize) {
        if self.layout.text.ends_with('\n') {
            self.layout.text.pop();
        }
        self.literal(" ", origin.saturating_sub(1));
    }

    /// Ends what is open at the end of a block.
    pub(super) fn end_block(&mut self) {
        if let Some(start) = self.bold.take() {
            self.push_bold(start);
        }
        self.brackets.clear();
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
            let run = bytes[at..]
                .iter()
                .position(|byte| SPECIAL[usize::from(*byte)])
                .map_or(bytes.len(), |run| at + run);
            if run > at {
                self.literal(&clean[at..run], at);
                at = run;
                continue;
            }
            at = match bytes[at] {
                b'*' => self.star(bytes, at),
                b'_' => self.underscore(bytes, at),
                b'~' if bytes[at..].starts_with(b"~~") => at + 2,
                b'`' => at + 1,
                b'[' => self.open_bracket(bytes, at),
                b']' => self.close_bracket(at, to),
                b'!' if bytes.get(at + 1) == Some(&b'[') => at + 1,
                b':' if bytes[at..].starts_with(b"://") => self.address(at, to),
                b'<' if starts_address(&clean[at + 1..to]) => at + 1,
                b'>' if self.ends_address() => at + 1,
                b'+' => self.plus(bytes, at),
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

    /// Bold begins or ends. Marks that cannot begin anything are dropped all the same.
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

    fn open_bracket(&mut self, bytes: &[u8], at: usize) -> usize {
        if self.brackets.len() < MOST_OPEN {
            let image = at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'!');
            self.brackets.push(Open {
                visible: self.layout.text.len(),
                clean: at,
                image,
            });
        } else {
            self.literal("[", at);
        }
        at + 1
    }

    fn close_bracket(&mut self, at: usize, to: usize) -> usize {
        let Some(open) = self.brackets.pop() else {
            return at + 1;
        };
        let clean = self.clean;
        let rest = clean.get(at + 1..to).unwrap_or_default();
        if rest.starts_with('(') && at + 1 >= self.no_address_before {
            match destination(&rest[1..]) {
                Ok((url, length)) => {
                    let end = at + 2 + length;
                    self.link(open, url, end);
                    return end;
                }
                Err(looked_at) => self.no_address_before = at + 2 + looked_at,
            }
        }
        let label = clean.get(open.clean + 1..at).unwrap_or_default();
        if let Some(reference) = rest
            .strip_prefix('[')
            .and_then(|rest| rest.get(..rest.find(']')?.min(80)))
        {
            let name = if reference.is_empty() { label } else { reference };
            if !label.bytes().all(|byte| byte.is_ascii_digit())
                && let Some(url) = self.refer(name)
            {
                let end = at + 3 + reference.len();
                self.link(open, &url, end);
                return end;
            }
        }
        if is_number(label) {
            // A source mark is not part of the text; its address comes with the sources.
            self.layout.text.truncate(open.visible);
            self.number(label);
            return at + 1;
        }
        if let Some(url) = self.refer(label) {
            self.link(open, &url, at + 1);
        }
        at + 1
    }

    fn refer(&mut self, label: &str) -> Option<String> {
        let (url, used) = self.definitions.get_mut(label)?;
        *used = true;
        Some((*url).to_owned())
    }

    /// Resolves `1`, `1, 2` and `^1` to the sources they stand for.
    fn number(&mut self, label: &str) {
        for number in label.split([',', ' ', '^']).filter(|number| !number.is_empty()) {
            if self.definitions.contains_key(number) || self.definitions.contains_key(label) {
                // Stays unused: it is evidence as a source.
                continue;
            }
            let cited = number
                .parse::<usize>()
                .ok()
                .and_then(|n| self.citations.get(n.checked_sub(1)?));
            if let Some(citation) = cited {
                self.layout.sources.push(citation.url.clone());
            }
        }
    }

    fn link(&mut self, open: Open, url: &str, end: usize) {
        if open.image {
            self.layout.text.truncate(open.visible);
            // What stood in the image's text is gone with it.
            while self
                .layout
                .links
                .last()
                .is_some_and(|link| link.span.end > open.visible)
            {
                self.layout.links.pop();
            }
            while self
                .layout
                .bolds
                .last()
                .is_some_and(|bold| bold.end > open.visible)
            {
                self.layout.bolds.pop();
            }
            if self.bold.is_some_and(|start| start > open.visible) {
                self.bold = Some(open.visible);
            }
            return;
        }
        if is_number(self.layout.at(&(open.visible..self.layout.text.len()))) {
            self.layout.text.truncate(open.visible);
        }
        let span: Span = open.visible..self.layout.text.len();
        let before = self.layout.text.get(..span.start).unwrap_or_default();
        let framed = before.ends_with('(') && self.clean.get(end..).is_some_and(|rest| rest.starts_with(')'));
        let chip = span.is_empty() || framed && looks_like_host(self.layout.at(&span));
        // Anchors inside an anchor are part of it.
        while self
            .layout
            .links
            .last()
            .is_some_and(|link| link.span.start >= span.start)
        {
            self.layout.links.pop();
        }
        self.layout.links.push(Link {
            span,
            form: Form::Markdown,
            url: url.to_owned(),
            chip,
        });
    }

    /// A bare address: `http` has been written already, `://` is at `at`.
    fn address(&mut self, at: usize, to: usize) -> usize {
        let written = &self.layout.text;
        let scheme = ["https", "http"].into_iter().find(|scheme| {
            written.len() >= scheme.len()
                && written.is_char_boundary(written.len() - scheme.len())
                && written[written.len() - scheme.len()..].eq_ignore_ascii_case(scheme)
        });
        let Some(scheme) = scheme else {
            self.literal(":", at);
            return at + 1;
        };
        let length = 3 + address_length(&self.clean[at + 3..to]);
        let start = self.layout.text.len() - scheme.len();
        self.literal(&self.clean[at..at + length], at);
        let span = start..self.layout.text.len();
        if length > 3 {
            let url = self.layout.at(&span).to_owned();
            self.layout.links.push(Link {
                span,
                form: Form::Url,
                url,
                chip: false,
            });
        }
        at + length
    }

    fn ends_address(&self) -> bool {
        let end = self.layout.text.len();
        self.layout
            .links
            .last()
            .is_some_and(|link| link.form == Form::Url && link.span.end == end)
    }

    /// `justdial+3` behind a sentence: a source chip that lost its frame.
    fn plus(&mut self, bytes: &[u8], at: usize) -> usize {
        let digits = bytes[at + 1..]
            .iter()
            .take(3)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let end = at + 1 + digits;
        let ends = bytes
            .get(end)
            .is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'|');
        if (1..=2).contains(&digits) && ends {
            let text = &self.layout.text;
            let tail = text.len().saturating_sub(48);
            let run = text.as_bytes()[tail..]
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
                .count();
            let name = text.len() - run;
            let before = text.get(..name).and_then(|before| before.chars().next_back());
            let glued = before.is_some_and(|c| matches!(c, '.' | '!' | '?' | ' ' | ')' | '。' | '\n'));
            let lower = text.get(name..).is_some_and(|name| {
                name.bytes().any(|byte| byte.is_ascii_lowercase())
                    && !name.starts_with(|c: char| c.is_ascii_uppercase())
            });
            if glued && lower && run >= 3 {
                self.layout.text.truncate(name);
                return end;
            }
        }
        self.literal("+", at);
        at + 1
    }

    /// `【1†source】`: a source mark.
    fn lenticular(&mut self, at: usize, to: usize) -> usize {
        let width = '【'.len_utf8();
        let inner = &self.clean[at + width..to];
        match inner.find('】').filter(|end| *end <= 60) {
            Some(end) if inner.starts_with(|c: char| c.is_ascii_digit()) => {
                let number = inner
                    .split(|c: char| !c.is_ascii_digit())
                    .next()
                    .unwrap_or_default();
                self.number(number);
                at + width + end + width
            }
            Some(_) | None => {
                self.literal("【", at);
                at + width
            }
        }
    }
}

/// Bytes that may mean something.
const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let marks = b"*_~`[]!:<>+";
    let mut n = 0;
    while n < marks.len() {
        special[marks[n] as usize] = true;
        n += 1;
    }
    special[0xe3] = true;
    special
};

fn is_number(label: &str) -> bool {
    label.len() <= 12
        && label.bytes().any(|byte| byte.is_ascii_digit())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b' ' | b'^'))
}

fn looks_like_host(text: &str) -> bool {
    text.contains('.') && !text.contains(' ')
}

fn starts_address(text: &str) -> bool {
    text.get(..7)
        .is_some_and(|head| head.eq_ignore_ascii_case("http://"))
        || text
            .get(..8)
            .is_some_and(|head| head.eq_ignore_ascii_case("https://"))
}

/// The address of a link behind its opening parenthesis, and the bytes up to and with the closing one; or how far
/// was looked in vain.
fn destination(text: &str) -> Result<(&str, usize), usize> {
    if let Some(inner) = text.strip_prefix('<') {
        let end = inner
            .as_bytes()
            .iter()
            .take(LONGEST_URL)
            .position(|byte| matches!(byte, b'>' | b'\n'))
            .ok_or(LONGEST_URL)?;
        let close = inner
            .get(end + 1..)
            .and_then(|rest| rest.find(')'))
            .filter(|close| *close < 200)
            .ok_or(end)?;
        return Ok((&inner[..end], end + close + 3));
    }
    let mut depth = 0_u32;
    let mut url_end = None;
    let mut quoted = false;
    for (at, byte) in text.bytes().enumerate().take(LONGEST_URL) {
        match byte {
            b' ' | b'\t' if url_end.is_none() && at > 0 => url_end = Some(at),
            b' ' | b'\t' => {}
            b'"' | b'\'' if url_end.is_some() => quoted = !quoted,
            b')' if !quoted && depth == 0 => return Ok((text[..url_end.unwrap_or(at)].trim(), at + 1)),
            // Behind the address only a title may stand.
            _ if url_end.is_some() && !quoted => {
                return Err(at);
            }
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
    }
    // An address whose parentheses do not match ends at the first closing one.
    let window = text
        .as_bytes()
        .get(..LONGEST_URL.min(text.len()))
        .unwrap_or_default();
    match memchr::memchr(b')', window) {
        Some(end) if url_end.is_none() => Ok((text[..end].trim(), end + 1)),
        Some(_) | None => Err(window.len()),
    }
}

/// The length of an address behind `://`.
fn address_length(text: &str) -> usize {
    let mut end = 0;
    let mut in_path = false;
    for (at, c) in text.char_indices() {
        let stop = match c {
            '<' | '>' | '"' | '`' | '|' | '\\' | '^' | '{' | '}' | '*' | '…' | '[' | ']' => true,
            '/' | '?' | '#' => {
                in_path = true;
                false
            }
            _ if c.is_whitespace() || c.is_control() => true,
            // International host names; in a path, letters of unspaced scripts are the text going on.
            _ if !c.is_ascii() => {
                !c.is_alphanumeric()
                    || in_path && crate::read::text::script(c) != crate::read::text::Script::Latin
            }
            _ => false,
        };
        if stop || at > LONGEST_URL {
            break;
        }
        end = at + c.len_utf8();
    }
    let mut url = &text[..end];
    let opened = url.matches('(').count();
    let mut closed = url.matches(')').count();
    loop {
        let trimmed = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '_', '~']);
        // A closing parenthesis belongs to the sentence unless it was opened in the address.
        let trimmed = match trimmed.strip_suffix(')') {
            Some(rest) if opened < closed => {
                closed -= 1;
                rest
            }
            Some(_) | None => trimmed,
        };
        if trimmed.len() == url.len() {
            return url.len();
        }
        url = trimmed;
    }
}
