//! Cues that speak against a name, or name it in passing.

use super::{NEAR_WORDS, Said, Scene};
use crate::read::candidates::are_joined;
use crate::read::words::{Cue, Kinds, List, list};

/// Most bytes between a name and a verb that speaks against it: a comma, a blank and a particle.
const MOST_BEFORE: usize = 9;

impl Scene<'_, '_> {
    pub(super) fn speak_against(&self, cue: &Cue, said: &mut [Said]) {
        let kinds = cue.kinds;
        if kinds.has(Kinds::POSITIVE) {
            return;
        }
        if (kinds.has(Kinds::RELATION) || self.is_alternative_to(cue))
            && let Some(at) = self.next(cue, NEAR_WORDS)
        {
            if self.is_unequalled(cue) {
                said[at].top = true;
                said[at].praised = true;
            } else {
                self.for_enumerated(at, |at| said[at].passing = true);
            }
        }
        if kinds.has(Kinds::CONTRAST)
            && let Some(at) = self.next(cue, 1)
        {
            said[at].discouraged = true;
        }
        let object = if kinds.has(Kinds::AVOID) && kinds.has(Kinds::BAD) {
            // Verbs that follow their object in some languages and precede it in others.
            self.previous_close(cue)
                .or_else(|| self.next(cue, NEAR_WORDS + 1))
                .or_else(|| self.pronoun_behind(cue))
        } else if kinds.has(Kinds::AVOID) {
            self.next(cue, NEAR_WORDS)
                .or_else(|| self.pronoun_behind(cue))
                .or_else(|| self.directly_before(cue))
        } else if kinds.has(Kinds::BAD.and(Kinds::DEFUNCT)) {
            self.subject(cue)
                .or_else(|| self.topic(cue))
                .or_else(|| self.next(cue, NEAR_WORDS).filter(|at| *at == self.range.start))
        } else if kinds.has(Kinds::MILD) && !self.sentence.kinds.has(crate::read::candidates::SPEAKS_FOR) {
            self.subject(cue)
        } else {
            None
        };
        if let Some(first) = object {
            said[first].defunct |= kinds.has(Kinds::DEFUNCT);
            if kinds.has(Kinds::AVOID.and(Kinds::BAD)) {
                self.for_enumerated(first, |at| said[at].discouraged = true);
            } else {
                said[first].discouraged = true;
            }
        }
    }

    /// `Nobody does it better than X` is praise.
    fn is_unequalled(&self, cue: &Cue) -> bool {
        static NOBODY: List = list("against.nobody");
        static THAN: List = list("against.than");
        let text = self.page.text(&cue.span).to_lowercase();
        let before = self.page.text(&(self.sentence.span.start..cue.span.start));
        THAN.iter().any(|than| text.ends_with(than))
            && crate::read::text::words(before).any(|word| NOBODY.has(word.to_lowercase().as_str()))
    }

    /// Names to which the sentence prefers another one are named in passing: `I prefer X to Y`.
    pub(super) fn pass_over_less_preferred(&self, said: &mut [Said]) {
        static PREFER: List = list("against.prefer");
        static TO: List = list("against.preferred-to");
        for at in self.range.clone().skip(1) {
            let (chosen, other) = (&self.mentions[at - 1].span, &self.mentions[at].span);
            // What is left of the chosen name may be between.
            let gap = self.page.text(&(chosen.end..other.start.max(chosen.end)));
            let before = self.page.before(chosen.start);
            let prefers = || {
                let mut words = before.rsplit(' ').take(NEAR_WORDS + 1).map(str::to_lowercase);
                words.any(|word| PREFER.iter().any(|stem| word.contains(stem)))
            };
            let joined = || {
                let gap = gap.trim_matches([' ', '*', ',']);
                let mut parts = TO.iter().filter_map(|to| gap.strip_suffix(to));
                parts.any(|rest| !rest.ends_with(char::is_alphabetic))
            };
            if gap.len() <= 40 && joined() && prefers() {
                said[at].passing = true;
                said[at - 1].praised = true;
            }
        }
    }

    /// The name directly before a cue: `Acme, I'd skip`.
    fn directly_before(&self, cue: &Cue) -> Option<usize> {
        let at = self.previous(cue, 1)?;
        let gap = self.gap(at, cue);
        (gap.len() <= MOST_BEFORE && !gap.contains(char::is_lowercase)).then_some(at)
    }

    /// `a good alternative to X` is about another name than X.
    fn is_alternative_to(&self, cue: &Cue) -> bool {
        static TO: List = list("against.to");
        let rest = self.page.ahead(&(cue.span.end..self.sentence.span.end));
        let rest = rest.trim_start();
        if !TO.iter().any(|to| rest.starts_with(to)) {
            return false;
        }
        let text = self.page.text(&cue.span);
        let stem = text
            .char_indices()
            .rev()
            .nth("alternatives".len() + 1)
            .map_or(text, |(at, _)| &text[at..]);
        stem.to_lowercase().contains("alternati")
    }

    /// Does something with a name and those enumerated with it: `avoid A and B`.
    fn for_enumerated(&self, first: usize, mut apply: impl FnMut(usize)) {
        apply(first);
        for at in first + 1..self.range.end {
            if !are_joined(
                self.page,
                self.mentions[at - 1].span.end,
                self.mentions[at].span.start,
            ) {
                break;
            }
            apply(at);
        }
    }
}
