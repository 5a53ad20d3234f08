//! Splits sentences into words, and finds runs of those with capitals.

use super::name::name_of_run;
use crate::read::candidates::head;
use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::text::{is_word, script};
use crate::read::words::{Language, List, Meaning, list};

/// Longest name in prose, in words.
const MOST_WORDS: usize = 7;

/// A word of a sentence.
pub(super) struct Token {
    pub(super) span: Span,
    pub(super) meaning: Meaning,
    /// It starts with a capital or a digit, or has one inside.
    pub(super) capital: bool,
    /// It starts with a capital letter in a script that has them.
    pub(super) cased: bool,
}

/// Splits a sentence into words.
/// An apostrophe, a hyphen or a full stop joins the parts of one word.
fn tokens(page: &Page<'_>, span: &Span) -> Vec<Token> {
    let romance = page.language.is(const { Language::FR.or(Language::IT) });
    let words = page.words_in(span);
    let mut found = Vec::with_capacity(words.len());
    let mut at = 0;
    'words: while let Some(first) = words.get(at) {
        at += 1;
        let start = first.place.start as usize;
        let mut end = first.place.end as usize;
        let mut meaning = (end <= span.end).then_some(first.meaning);
        while let Some(next) = words.get(at) {
            let next_start = next.place.start as usize;
            let gap = page.text(&(end..next_start));
            // `l'Hôtel`: the article is no part of the name.
            let elided = romance
                && end == start + 1
                && gap == "'"
                && matches!(page.text(&(start..end)), "l" | "L" | "d" | "D")
                && page
                    .ahead(&(next_start..span.end))
                    .starts_with(char::is_uppercase);
            // A full stop joins only parts that do not start a sentence: `booking.com`.
            let joins = match gap {
                "'" | "-" => true,
                "." => page
                    .ahead(&(next_start..span.end))
                    .starts_with(char::is_lowercase),
                _ => false,
            };
            if elided {
                continue 'words;
            }
            if !joins {
                break;
            }
            end = next.place.end as usize;
            meaning = None;
            at += 1;
        }
        found.push(Token::of(page, start..end.min(span.end), meaning));
    }
    found
}

impl Token {
    fn of(page: &Page<'_>, span: Span, meaning: Option<Meaning>) -> Self {
        let word = page.text(&span);
        let first = word.chars().next().unwrap_or_default();
        let capital = first.is_uppercase()
            || word.chars().skip(1).any(char::is_uppercase)
            || first.is_ascii_digit() && word.chars().any(char::is_alphabetic);
        Self {
            // Small words are looked up when they are asked for.
            meaning: match meaning {
                _ if !capital => Meaning::NONE,
                Some(meaning) => meaning,
                None => head::meaning_of(word),
            },
            capital,
            cased: script(first).has_case() || first.is_ascii_digit(),
            span,
        }
    }
}

/// Runs of words with capitals.
pub(super) fn capitalised(page: &Page<'_>, span: &Span) -> Vec<Span> {
    let all = tokens(page, span);
    let mut found = Vec::new();
    let mut at = 0;
    while at < all.len() {
        if !(all[at].capital && all[at].cased) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        let mut next = end;
        // Small words may be between capitals: `Casa de Lima`.
        while next < all.len() && next - at < MOST_WORDS && joins(page, &all[next - 1].span, &all[next].span)
        {
            let number = next == end
                && page.text(&all[next].span).len() <= 3
                && page
                    .text(&all[next].span)
                    .bytes()
                    .all(|byte| byte.is_ascii_digit());
            if all[next].capital && all[next].cased || number {
                end = next + 1;
            } else if !is_connector(page, &all[next]) || next - end >= 2 {
                break;
            }
            next += 1;
        }
        if let Some(name) = name_of_run(page, span, &all, at..end) {
            found.push(name);
        }
        at = end;
    }
    found
}

/// Whether two words are neighbours in a name: a blank, a hyphen or an ampersand is between them.
fn joins(page: &Page<'_>, one: &Span, other: &Span) -> bool {
    matches!(
        page.text(&(one.end..other.start)),
        " " | " & " | "&" | "-" | "'" | " + " | "." | "/" | "'s " | " – "
    ) && page.text(&(one.end..other.start)) != " – "
}

/// Small words inside names.
fn is_connector(page: &Page<'_>, token: &Token) -> bool {
    static CONNECTORS: List = list("prose.connectors");
    let word = page.text(&token.span);
    CONNECTORS.has(word)
}

/// The name an item that is a sentence starts with.
pub(in crate::read::candidates) fn leading(page: &Page<'_>, block: &Span) -> Option<Span> {
    let text = page.text(block);
    let lead = text.len() - text.trim_start_matches(|c: char| !is_word(c)).len();
    let end = text.floor_char_boundary(lead + 90);
    let window = block.start + lead..block.start + end;
    let first = capitalised(page, &window).into_iter().next()?;
    let behind = page.layout.text.get(first.end..block.end).unwrap_or_default();
    // A description must follow, in small letters.
    let goes_on = behind
        .trim_start_matches([' ', ',', '-', '–', '—', '\''])
        .starts_with(char::is_lowercase);
    (first.start == window.start && goes_on).then_some(first)
}
