//! Denials that praise.

use crate::read::words::{Cue, Kinds, List, list};

/// Marks denials that praise as positive: `I can't recommend X enough`.
pub(super) fn beyond_words(cues: &mut [Cue], text: &str) {
    static ENOUGH: List = list("praise.enough");
    /// Most words from the denial to the end of its clause.
    const NEAR: usize = 12;
    for cue in cues {
        if !cue.kinds.has(Kinds::REFUSAL.and(Kinds::AVOID)) || cue.kinds.has(Kinds::POSITIVE) {
            continue;
        }
        let rest = text.get(cue.span.end..).unwrap_or_default();
        let clause = rest
            .split(['.', '!', '?', ',', ';', ':', '\n'])
            .next()
            .unwrap_or_default();
        // `enough` may qualify another word; in praise it is the last word of its clause.
        let last = clause.split_whitespace().take(NEAR + 1);
        let said = last.clone().count() <= NEAR && last.last().is_some_and(|word| ENOUGH.has(word));
        if said && text.get(cue.span.clone()).is_some_and(speaks) {
            cue.kinds = Kinds::POSITIVE.and(Kinds::CORE);
        }
    }
}

/// Whether a denial is one of recommending.
fn speaks(cue: &str) -> bool {
    static STEMS: List = list("praise.stems");
    STEMS.iter().any(|stem| cue.contains(stem))
}
