//! Links: brackets followed by an address, and bare addresses.

use super::{MOST_OPEN, Open, Writer};
use crate::read::layout::{Form, Link, Span};

impl<'a> Writer<'a> {
    pub(super) fn open_bracket(&mut self, bytes: &[u8], at: usize) -> usize {
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

    pub(super) fn close_bracket(&mut self, at: usize, to: usize) -> usize {
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

    /// A bare address: `http` is already written, and `://` is at `at`.
    pub(super) fn address(&mut self, at: usize, to: usize) -> usize {
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

    pub(super) fn ends_address(&self) -> bool {
        let end = self.layout.text.len();
        self.layout
            .links
            .last()
            .is_some_and(|link| link.form == Form::Url && link.span.end == end)
    }
}

/// Longest address of a link, in bytes.
const LONGEST_URL: usize = 2_048;

pub(super) fn is_number(label: &str) -> bool {
    label.len() <= 12
        && label.bytes().any(|byte| byte.is_ascii_digit())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b' ' | b'^'))
}

fn looks_like_host(text: &str) -> bool {
    text.contains('.') && !text.contains(' ')
}

pub(super) fn starts_address(text: &str) -> bool {
    text.get(..7)
        .is_some_and(|head| head.eq_ignore_ascii_case("http://"))
        || text
            .get(..8)
            .is_some_and(|head| head.eq_ignore_ascii_case("https://"))
}

/// Reads a link's address after its opening parenthesis, and the number of bytes through the closing one.
/// The error is the position to which the search failed.
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
            // In a title, parentheses are text.
            b'(' | b')' if quoted => {}
            b')' if depth == 0 => return Ok((text[..url_end.unwrap_or(at)].trim(), at + 1)),
            // Only a title may follow the address.
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

/// How long an address is after `://`, in bytes.
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
            // International host names; in a path, letters of unspaced scripts continue the text.
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
