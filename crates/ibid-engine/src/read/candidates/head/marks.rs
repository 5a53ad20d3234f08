//! The mark between a head and its description.

use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::text::{is_word, plain};
use crate::read::words::{Meaning, meaning_as_written};

/// A span without white space, symbols and punctuation around it.
pub(super) fn trim(page: &Page<'_>, span: &Span) -> Span {
    let mut span = span.clone();
    // `- **1. Acme**` has a mark and a number.
    let text = page.text(&span);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=2).contains(&digits) && text.get(digits..).is_some_and(|rest| rest.starts_with(". ")) {
        span.start += digits + 2;
    }
    let text = page.text(&span);
    // Most spans start and end with a letter.
    let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    if letter(text.as_bytes().first()) && letter(text.as_bytes().last()) {
        return span;
    }
    let lead = text.len()
        - text
            .trim_start_matches(|c: char| !is_word(c) && !matches!(c, '"' | '「' | '『' | '\'' | '“'))
            .len();
    let inner = &text[lead..];
    let inner = inner.trim_end_matches(|c: char| {
        !is_word(c) && !matches!(c, ')' | '"' | '」' | '』' | '+' | '!' | '?' | '.' | '\'')
    });
    // A full stop ends the sentence, not the name, unless it is part of a short form.
    let short = inner.len() > 4
        && inner
            .trim_end_matches('.')
            .rsplit(' ')
            .next()
            .is_some_and(|word| word.len() <= 4 && word.starts_with(char::is_uppercase));
    let inner = if inner.ends_with('.') && !short {
        inner.trim_end_matches('.')
    } else {
        inner
    };
    span.start + lead..span.start + lead + inner.len()
}

/// A rest without the marks that separate it.
pub(super) fn skip(page: &Page<'_>, rest: Span) -> Span {
    let text = page.text(&rest);
    let lead = text.len()
        - text
            .trim_start_matches([' ', ':', '-', '–', '—', '|', '\t', ',', ';', '.', '：', '→'])
            .len();
    rest.start + lead..rest.end.max(rest.start + lead)
}

/// The mark that separates a head from its description.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) at: usize,
    pub(super) behind: usize,
    pub(super) sets_off: bool,
    pub(super) colon: bool,
}

/// The first mark in a text.
pub(super) fn mark(text: &str) -> Option<Mark> {
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let previous = std::mem::replace(&mut previous, c);
        let rest = &text[at + c.len_utf8()..];
        let spaced = previous.is_whitespace() && rest.starts_with(' ');
        let found = match c {
            '–' | '—' | '―' => (spaced || !previous.is_ascii_digit()).then_some((true, false)),
            '-' => (spaced || previous.is_whitespace() && rest.starts_with(char::is_alphabetic))
                .then_some((true, false)),
            '|' | '\t' | '•' | '→' | '；' | '~' | '·' => {
                (previous.is_whitespace() || c != '·').then_some((true, false))
            }
            ':' => Some((true, true)),
            '(' | '（' | '[' => (at > 0).then_some((true, false)),
            ',' | ';' => rest.starts_with(' ').then_some((false, false)),
            '，' | '。' | '、' => Some((false, false)),
            '!' | '?' => (rest.starts_with(' ') || rest.is_empty()).then_some((false, false)),
            '.' => (rest.starts_with(' ') && !is_initial(&text[..at])).then_some((false, false)),
            '$' => (at > 0 && rest.starts_with(|c: char| c.is_ascii_digit())).then_some((true, false)),
            _ => None,
        };
        if let Some((sets_off, colon)) = found.filter(|_| text[..at].contains(is_word)) {
            return Some(Mark {
                at,
                behind: at + c.len_utf8(),
                sets_off,
                colon,
            });
        }
    }
    None
}

/// Whether a full stop belongs to the word before it.
fn is_initial(before: &str) -> bool {
    let word = before.rsplit(' ').next().unwrap_or_default();
    let letters = word.chars().count();
    let initials = |word: &str| word.split('.').all(|part| part.chars().count() == 1);
    letters <= 1
        || word.contains('.') && initials(word)
        || letters <= 4
            && (meaning_as_written(word).is(Meaning::LEGAL)
                || matches!(
                    &*plain(word),
                    "dr" | "st" | "mr" | "mrs" | "co" | "bros" | "prof" | "no" | "dipl" | "ing" | "med"
                ))
}
