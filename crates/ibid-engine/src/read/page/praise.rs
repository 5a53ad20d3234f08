//! Praise that no phrase shows: denials that praise, and superlatives with a copula.

use crate::read::words::{Cue, Kinds, List, Word, list};

/// Marks denials that praise as positive: `I can't recommend X enough`.
pub(super) fn beyond_words(cues: &mut [Cue], text: &str) {
    static ENOUGH: List = list("praise.enough");
    for cue in cues {
        if !cue.kinds.has(Kinds::REFUSAL.and(Kinds::AVOID)) || cue.kinds.has(Kinds::POSITIVE) {
            continue;
        }
        // A dozen words fit; a clause may be as long as the answer.
        let near = text.floor_char_boundary(cue.span.end + 256);
        let rest = text.get(cue.span.end..near).unwrap_or_default();
        let clause = rest
            .split(['.', '!', '?', ',', ';', ':', '\n'])
            .next()
            .unwrap_or_default();
        // `enough` may qualify another word; in praise it is the last word of its clause.
        let last = clause.split_whitespace().take(13);
        let said = last.clone().count() <= 12 && last.last().is_some_and(|word| ENOUGH.has(word));
        if said && text.get(cue.span.clone()).is_some_and(speaks) {
            cue.kinds = Kinds::POSITIVE.and(Kinds::CORE);
        }
    }
}

/// Adds a cue for the first place where a superlative and a copula lead to a name: `The best plumber in Leeds is X`.
pub(super) fn crown(cues: &mut Vec<Cue>, text: &str, words: &[Word]) {
    static ARTICLES: List = list("praise.articles");
    static SUPERLATIVES: List = list("praise.superlatives");
    static COPULAS: List = list("praise.copulas");
    let span = |word: &Word| word.place.start as usize..word.place.end as usize;
    let is = |word: &Word, list: &List| {
        let written = text.get(span(word)).unwrap_or_default();
        // No word of these lists is longer.
        written.len() <= 12 && list.has(written.to_lowercase().as_str())
    };
    let mut found = Vec::new();
    for (at, pair) in words.windows(2).enumerate() {
        let [article, superlative] = pair else { continue };
        let before = text
            .get(..span(article).start)
            .unwrap_or_default()
            .trim_end_matches([' ', '*']);
        let opens = before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n', '•']);
        if !(opens && is(article, &ARTICLES) && is(superlative, &SUPERLATIVES)) {
            continue;
        }
        let end = span(superlative).end;
        let rest = words.iter().skip(at + 2).take(8);
        let same = rest.take_while(|word| {
            let gap = text.get(end..span(word).start).unwrap_or_default();
            !gap.contains(['.', '!', '?', ':', ';', '\n'])
        });
        let copula = same.filter(|word| is(word, &COPULAS)).find(|word| {
            let behind = text.get(span(word).end..).unwrap_or_default();
            behind
                .trim_start_matches([' ', '*', '[', '"'])
                .starts_with(char::is_uppercase)
        });
        found.extend(copula.map(|word| Cue {
            kinds: Kinds::TOP,
            span: span(word),
        }));
    }
    if !found.is_empty() {
        cues.append(&mut found);
        cues.sort_by_key(|cue| cue.span.start);
    }
}

/// Whether a denial is one of recommending.
fn speaks(cue: &str) -> bool {
    static STEMS: List = list("praise.stems");
    STEMS.iter().any(|stem| cue.contains(stem))
}
