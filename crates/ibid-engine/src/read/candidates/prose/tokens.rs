//! Words of sentences, and runs of those with capitals.

use super::name::judge;
use crate::read::candidates::head;
use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::text::{is_word, script};
use crate::read::words::{Language, Meaning};

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

fn tokens<'a>(text: &'a str, from: usize, romance: bool) -> impl Iterator<Item = Token> + 'a {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let mut start = rest + text[rest..].find(is_word)?;
        // `l'Hôtel`: the article is no part of the name.
        let elided = text.as_bytes().get(start + 1) == Some(&b'\'')
            && text[start..].starts_with(['l', 'L', 'd', 'D'])
            && text[start + 2..].starts_with(char::is_uppercase);
        if elided && romance {
            start += 2;
        }
        let mut end = start;
        for (at, c) in text[start..].char_indices() {
            let joins = matches!(c, '\'' | '-' | '.')
                && text[start + at + c.len_utf8()..].starts_with(is_word)
                && at > 0;
            // A full stop joins only what is not the start of a sentence: `booking.com`.
            let joins = joins && (c != '.' || text[start + at + 1..].starts_with(char::is_lowercase));
            if !is_word(c) && !joins {
                break;
            }
            end = start + at + c.len_utf8();
        }
        rest = end;
        let word = &text[start..end];
        let first = word.chars().next()?;
        let capital = first.is_uppercase()
            || word.chars().skip(1).any(char::is_uppercase)
            || first.is_ascii_digit() && word.chars().any(char::is_alphabetic);
        Some(Token {
            span: from + start..from + end,
            // Small words are looked up when they are asked for.
            meaning: if capital {
                head::meaning_of(word)
            } else {
                Meaning::NONE
            },
            capital,
            cased: script(first).has_case() || first.is_ascii_digit(),
        })
    })
}

/// Runs of words with capitals.
pub(super) fn capitalised(page: &Page<'_>, span: &Span) -> Vec<Span> {
    let text = page.text(span);
    let romance = page.language.is(const { Language::FR.or(Language::IT) });
    let all: Vec<Token> = tokens(text, span.start, romance).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < all.len() {
        if !(all[at].capital && all[at].cased) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        let mut next = end;
        // Small words may stand between capitals: `Casa de Lima`.
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
        if let Some(name) = judge(page, span, &all, at..end) {
            found.push(name);
        }
        at = end;
    }
    found
}

/// Whether two words stand side by side in a name: a blank, a hyphen or an ampersand between them.
fn joins(page: &Page<'_>, one: &Span, other: &Span) -> bool {
    matches!(
        page.text(&(one.end..other.start)),
        " " | " & " | "&" | "-" | "'" | " + " | "." | "/" | "'s " | " – "
    ) && page.text(&(one.end..other.start)) != " – "
}

/// Small words inside names. `and` only before the other half of a firm: `Hollis and Sons`.
fn is_connector(page: &Page<'_>, token: &Token) -> bool {
    let word = page.text(&token.span);
    if matches!(word, "and" | "und" | "et" | "og" | "y" | "och" | "en") {
        let behind = page
            .layout
            .text
            .get(token.span.end..)
            .unwrap_or_default()
            .trim_start();
        return [
            "Sons",
            "Son",
            "Co",
            "Company",
            "Daughters",
            "Partners",
            "Associates",
            "Söhne",
            "Sohn",
            "Sønner",
            "Fils",
            "Hijos",
            "Partner",
            "Brothers",
            "Family",
        ]
        .iter()
        .any(|half| {
            behind
                .strip_prefix(half)
                .is_some_and(|rest| !rest.starts_with(|c: char| is_word(c) || c == '-'))
        });
    }
    matches!(
        word,
        "de" | "del"
            | "della"
            | "di"
            | "da"
            | "do"
            | "dos"
            | "das"
            | "du"
            | "des"
            | "la"
            | "le"
            | "les"
            | "el"
            | "of"
            | "the"
            | "van"
            | "von"
            | "vom"
            | "der"
            | "den"
            | "zum"
            | "zur"
            | "am"
            | "d"
            | "l"
            | "al"
            | "at"
            | "for"
            | "on"
            | "a"
            | "à"
            | "dell"
            | "dei"
            | "y"
    )
}

/// The name an item that is a sentence starts with.
pub(in crate::read::candidates) fn leading(page: &Page<'_>, block: &Span) -> Option<Span> {
    let text = page.text(block);
    let lead = text.len() - text.trim_start_matches(|c: char| !is_word(c)).len();
    let mut end = text.len().min(lead + 90);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let window = block.start + lead..block.start + end;
    let first = capitalised(page, &window).into_iter().next()?;
    let behind = page.layout.text.get(first.end..block.end).unwrap_or_default();
    // A description must follow, in small letters.
    let goes_on = behind
        .trim_start_matches([' ', ',', '-', '–', '—', '\''])
        .starts_with(char::is_lowercase);
    (first.start == window.start && goes_on).then_some(first)
}
