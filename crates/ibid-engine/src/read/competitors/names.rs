//! Spellings of one name.

use crate::read::text::{Plain, elided_words, plain};
use crate::read::words::{Meaning, meaning};

/// The key common to all spellings of a name: folded letters without legal forms and without the leading article.
pub(super) fn merge_key(name: &str) -> Plain {
    merge_folded(&plain(name))
}

pub(super) fn merge_folded(folded: &str) -> Plain {
    let mut merged = Plain::new();
    // Words without legal forms at the end, their letters, and the letters of an article at the start.
    let (mut words, mut kept, mut article) = (0, 0, 0);
    for (at, word) in elided_words(folded).enumerate() {
        if word.as_bytes().contains(&b'\'') {
            word.split('\'').for_each(|part| merged.push_str(part));
        } else {
            merged.push_str(word);
        }
        if at == 0 && matches!(word, "the" | "der" | "die" | "das" | "le" | "la" | "el" | "il") {
            article = merged.len();
        }
        if at == 0 || !meaning(word).is(Meaning::LEGAL) {
            (words, kept) = (at + 1, merged.len());
        }
    }
    let start = if words > 1 { article } else { 0 };
    if start > 0 || kept < merged.len() {
        let mut rest = Plain::new();
        rest.push_str(merged.get(start..kept).unwrap_or_default());
        return rest;
    }
    merged
}
