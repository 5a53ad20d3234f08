//! Looks up what a head's words mean.

use super::is_long;
use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::text::{elided_words, plain, script};
use crate::read::words::{List, Meaning, list, meaning, meaning_as_written};

/// Splits a text into words, folded, with what they are.
pub(super) fn words(text: &str) -> impl Iterator<Item = (&str, Meaning)> {
    elided_words(text).map(|word| (word, meaning_of(word)))
}

/// Looks a word up, with or without an ending.
pub(in crate::read::candidates) fn meaning_of(word: &str) -> Meaning {
    if !word.contains('\'') {
        return meaning_as_written(word);
    }
    let folded = plain(word);
    let found = meaning(&folded);
    // `I'd`, `we've`, `l'hôtel`: the word is on one side.
    let stem = ["'s", "'d", "'ll", "'m", "'ve", "'re"]
        .iter()
        .find_map(|ending| folded.strip_suffix(ending));
    match stem {
        Some(stem) if !found.is_ordinary() => meaning(stem),
        Some(_) | None => found,
    }
}

/// Whether a word says for what, or for whom.
pub(super) fn is_for(word: &str) -> bool {
    static FOR: List = list("head.for");
    FOR.has(&plain(word))
}

/// Whether a text before a colon is a label of the text after it.
pub(super) fn is_label(page: &Page<'_>, span: &Span) -> bool {
    let text = page.text(span);
    let first = words(text)
        .next()
        .is_some_and(|(word, meaning)| meaning.is(Meaning::LABEL) || is_for(word));
    let unspaced = text.chars().any(|c| script(c).is_unspaced())
        && meaning(&crate::read::text::key(text)).is(Meaning::LABEL);
    (first || unspaced) && !is_long(text)
}
