//! Whether a run of words with capitals is a name.

use super::tokens::Token;
use crate::read::candidates::kinds::is_rule;
use crate::read::candidates::places::{is_address, is_nearby, is_place as is_place_name};
use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::text::{is_word, plain};
use crate::read::words::{Kinds, Language, List, Meaning, list, meaning};

/// Whether a run of capitalised words is a name, and its start without the words that only open the sentence.
pub(super) fn name_of_run(
    page: &Page<'_>,
    sentence: &Span,
    all: &[Token],
    run: std::ops::Range<usize>,
) -> Option<Span> {
    let mut start = run.start;
    let begins = |at: usize| {
        let before = page
            .layout
            .text
            .get(sentence.start..all[at].span.start)
            .unwrap_or_default();
        let before = before.trim_end_matches([' ', '"', '\'', '(', '[', '「']);
        before.is_empty()
            || before.ends_with([':', '.', '!', '?', '–', '—', '•', '。', '\t'])
            || !before.contains(is_word)
    };
    // Words that open sentences, and days, fall off the front.
    while start < run.end {
        let token = &all[start];
        let opens = begins(start);
        let article = run.end - start > 1 && ARTICLES.has(page.text(&token.span));
        let weak = !article
            && (token.meaning.is(Meaning::OPENER)
                || opens && is_cue(page, &token.span)
                || token.meaning.is(Meaning::TIME)
                || opens
                    && (token.meaning.is(Meaning::FUNCTION) || is_opening(page, token, run.end - start)));
        if !weak {
            break;
        }
        start += 1;
    }
    let end = run.end;
    if start >= end {
        return None;
    }
    let words = &all[start..end];
    let span = words.first()?.span.start..words.last()?.span.end;
    let text = page.text(&span);
    let whole = words.iter().filter(|token| token.capital).count();
    if words.iter().all(|token| {
        !token.capital
            || token
                .meaning
                .is(Meaning::OPENER | Meaning::TIME | Meaning::FUNCTION)
    }) || page.question.holds(text)
    {
        return None;
    }
    let certain = page.hits_in(&span).iter().any(|hit| hit.sure);
    if certain {
        return Some(span);
    }
    // `12 High Street`: the number is no part of the run.
    let number = start
        .checked_sub(1)
        .map(|before| all[before].span.start..span.end);
    if is_rule(text)
        || is_place_name(page, text)
        || is_nearby(page, &span)
        || number.is_some_and(|address| is_address(page.text(&address)))
    {
        return None;
    }
    // `in Sydney` is a place, not a business.
    if words.len() <= 2 && is_place(page, all, start) {
        return None;
    }
    if whole == 1 {
        let token = words.first()?;
        let word = page.text(&token.span);
        // Sizes and technical terms: `XXL`, `ANC`.
        let upper = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        };
        let plural = word
            .strip_suffix('s')
            .is_some_and(|stem| stem.len() >= 2 && upper(stem));
        let acronym = word.len() <= 3 && upper(word) || plural && word.len() <= 5;
        let hyphened = word.contains('-')
            && word
                .split('-')
                .next_back()
                .is_some_and(|part| part.starts_with(char::is_lowercase));
        if acronym || hyphened {
            return None;
        }
        let inside = !begins(start);
        if !inside && word.len() > 5 && word.ends_with("ing") && page.language.is(Language::EN) {
            return None;
        }
        if token.meaning.is(Meaning::COMMON) && page.language.is(Language::EN) {
            return None;
        }
        if token.meaning.is_ordinary() && (!inside || page.language.is(Language::DE)) {
            return None;
        }
        if !inside && !is_followed(page, all, end) {
            return None;
        }
    }
    // A name that only lists what is asked for, in capitals.
    (text.chars().count() >= 2).then_some(span)
}

/// Whether a word is part of a recommending cue: `Doporučuji Kavárnu …`.
fn is_cue(page: &Page<'_>, word: &Span) -> bool {
    let cues = page.cues_in(&(word.start..word.start + 1));
    cues.iter().any(|cue| {
        cue.kinds.has(Kinds::CORE.and(Kinds::RECOMMEND).and(Kinds::AVOID)) && cue.span.end >= word.end
    })
}

/// Articles that names start with.
static ARTICLES: List = list("prose.articles");

/// Whether a preposition of place is before a name, with or without an article.
fn is_place(page: &Page<'_>, all: &[Token], start: usize) -> bool {
    let before = |back: usize| {
        let at = start.checked_sub(back)?;
        let (one, next) = (all.get(at)?, all.get(at + 1)?);
        (page.text(&(one.span.end..next.span.start)) == " ").then(|| page.text(&one.span))
    };
    let article = before(1)
        .is_some_and(|word| matches!(word, "the" | "der" | "dem" | "den" | "la" | "le" | "el" | "il"));
    let near = |word: &str| matches!(word, "near" | "nahe" | "cerca" | "vicino" | "près" | "perto");
    // Dutch `en` is `and`.
    let place = |word: &str| LOCATIVES.has(word) && !(word == "en" && page.language.is(Language::NL));
    before(1).is_some_and(|word| place(word) || word == "di" && page.language.is(Language::ID))
        || article && before(2).is_some_and(near)
}

/// Words before places.
static LOCATIVES: List = list("prose.locatives");

/// Whether a capital at the start of a sentence belongs to the sentence, because it begins a verb or adjective in the tables.
fn is_opening(page: &Page<'_>, token: &Token, left: usize) -> bool {
    static OPENINGS: List = list("prose.openings");
    let meaning = token.meaning;
    let word = plain(page.text(&token.span));
    left > 1 && (meaning.is(Meaning::ADVICE | Meaning::LABEL) && !meaning.is(Meaning::COMMON))
        || OPENINGS.has(&word)
}

/// The words that may follow a name at the start of a sentence.
static FOLLOWERS: List = list("prose.followers");

fn is_followed(page: &Page<'_>, all: &[Token], end: usize) -> bool {
    let Some(last) = end.checked_sub(1).and_then(|last| all.get(last)) else {
        return false;
    };
    let Some(next) = all.get(end) else {
        return true;
    };
    let gap = page.text(&(last.span.end..next.span.start));
    let word = plain(page.text(&next.span));
    gap.starts_with([',', '\'', ' '])
        && (gap.starts_with(',') && next.capital
            || FOLLOWERS.has(&word)
            || meaning(&word).is(Meaning::FUNCTION) && gap == " " && word.len() > 3)
}
