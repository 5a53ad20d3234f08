//! HTML in answers: tags become the equivalent Markdown.

use super::clean::Clean;
use crate::read::words::{List, list};
use memchr::{memchr2, memmem};

/// Deepest list nesting that is distinguished.
const DEEPEST: usize = 6;

#[derive(Clone, Debug, Default)]
pub(super) struct Tags {
    /// Open lists; the next number for ordered ones.
    lists: Vec<Option<u32>>,
    /// Where an open anchor leads.
    anchor: Option<String>,
    /// The row under way has head cells.
    head_row: bool,
    /// A search for the end of a comment or an element failed, so later ones fail too.
    no_comment_end: bool,
    no_element_end: bool,
}

impl Tags {
    /// Reads the text from `<` at `at`; returns its number of bytes.
    pub(super) fn take(&mut self, source: &str, at: usize, out: &mut Clean) -> usize {
        let rest = &source[at..];
        if rest.starts_with("<!--") {
            return self.comment(rest, at, out);
        }
        // A tag cannot contain `<`, so every byte is read once.
        let end = match memchr2(b'>', b'<', &rest.as_bytes()[1..]) {
            Some(end) if rest.as_bytes()[end + 1] == b'>' => end + 1,
            Some(_) | None => return literal(at, out),
        };
        let inner = &rest[1..end];
        let (closing, inner) = match inner.strip_prefix('/') {
            Some(inner) => (true, inner),
            None => (false, inner),
        };
        let name_end = inner
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(inner.len());
        let (name, attributes) = inner.split_at(name_end);
        if name.is_empty()
            || name.len() > 10
            || !attributes.is_empty() && !attributes.starts_with([' ', '/', '\n', '\t'])
        {
            return literal(at, out);
        }
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "think" | "thinking" | "thought" | "reasoning" => {
                if closing {
                    out.restart();
                    return end + 1;
                }
                return self.skip_element(rest, end + 1, &name).unwrap_or(rest.len());
            }
            "script" | "style" | "noscript" | "template" | "svg" if !closing => {
                return self.skip_element(rest, end + 1, &name).unwrap_or(end + 1);
            }
            _ => {}
        }
        if self.write(&name, closing, attributes, at, out) {
            end + 1
        } else {
            literal(at, out)
        }
    }

    fn comment(&mut self, rest: &str, at: usize, out: &mut Clean) -> usize {
        if !self.no_comment_end {
            if let Some(end) = memmem::find(rest.as_bytes(), b"-->") {
                return end + 3;
            }
            self.no_comment_end = true;
        }
        literal(at, out)
    }

    /// How long an element is, up to the end of its closing tag.
    fn skip_element(&mut self, rest: &str, from: usize, name: &str) -> Option<usize> {
        if self.no_element_end {
            return None;
        }
        let mut at = from;
        while let Some(found) = memmem::find(&rest.as_bytes()[at..], b"</") {
            at += found + 2;
            let tail = &rest.as_bytes()[at..];
            if tail.len() > name.len() && tail[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
                let close = memchr2(b'>', b'<', &tail[name.len()..])?;
                return Some(at + name.len() + close + 1);
            }
        }
        self.no_element_end = true;
        None
    }

    /// Writes the Markdown of a tag; `false` for a name that is not a tag.
    fn write(&mut self, name: &str, closing: bool, attributes: &str, at: usize, out: &mut Clean) -> bool {
        static PLAIN: List = list("tags.plain");
        let in_row = out.line().starts_with('|');
        let text = match (name, closing) {
            ("br", _) => {
                if in_row {
                    "; "
                } else {
                    "\n"
                }
            }
            ("b" | "strong", _) => "**",
            ("code" | "kbd", _) => "`",
            ("pre", _) => "\n```\n",
            ("ul" | "ol", false) => {
                if self.lists.len() < DEEPEST {
                    self.lists.push((name == "ol").then_some(1));
                }
                ""
            }
            ("ul" | "ol", true) => {
                self.lists.pop();
                "\n"
            }
            ("li", false) => {
                self.item(at, out);
                ""
            }
            ("li", true) => "",
            ("h1" | "h2", false) => "\n## ",
            ("h3" | "h4" | "h5" | "h6", false) => "\n### ",
            ("tr", false) => "\n| ",
            ("tr", true) => {
                if std::mem::take(&mut self.head_row) {
                    "\n|---|"
                } else {
                    ""
                }
            }
            ("td", true) => " | ",
            ("th", true) => {
                self.head_row = true;
                " | "
            }
            ("a", false) => {
                self.close_anchor(at, out);
                if let Some(href) = attribute(attributes, "href") {
                    self.anchor = Some(href.to_owned());
                    out.put("[", at);
                }
                ""
            }
            ("a", true) => {
                self.close_anchor(at, out);
                ""
            }
            ("p" | "div" | "section" | "article" | "table" | "blockquote" | "hr" | "dl" | "dt" | "dd", _)
            | ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", true) => {
                if in_row {
                    " "
                } else {
                    "\n"
                }
            }
            _ if PLAIN.has(name) => "",
            _ => return false,
        };
        if !text.is_empty() {
            out.put(text, at);
        }
        true
    }

    fn item(&mut self, at: usize, out: &mut Clean) {
        out.put("\n", at);
        for _ in 1..self.lists.len() {
            out.put("   ", at);
        }
        match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number += 1;
                out.put(&marker, at);
            }
            Some(None) | None => out.put("- ", at),
        }
    }

    fn close_anchor(&mut self, at: usize, out: &mut Clean) {
        if let Some(href) = self.anchor.take() {
            out.put("](<", at);
            out.put(&href, at);
            out.put(">)", at);
        }
    }
}

fn literal(at: usize, out: &mut Clean) -> usize {
    out.put("<", at);
    1
}

/// Reads an attribute, without line ends and without brackets that would end it early.
fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let start = attributes.find(name)? + name.len();
    let value = attributes[start..].trim_start().strip_prefix('=')?.trim_start();
    let value = match value.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(['"', '\'']).next()?,
        None => value.split_ascii_whitespace().next()?,
    };
    (!value.contains(['\n', '<', '>'])).then_some(value)
}
