//! Cues that speak against a name, or name it in passing.

use super::{NEAR_WORDS, Said, Scene};
use crate::read::candidates::is_joint;
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
            self.for_enumerated(at, |at| said[at].passing = true);
        }
        if kinds.has(Kinds::CONTRAST) {
            let object = if self.page.contrast_follows_its_object() {
                self.previous(cue, NEAR_WORDS)
            } else {
                self.next(cue, NEAR_WORDS - 1)
            };
            if let Some(at) = object {
                said[at].discouraged = true;
            }
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
        } else if kinds.has(Kinds::MILD)
            && !self.is_item()
            && !self.sentence.kinds.has(crate::read::candidates::SPEAKS_FOR)
        {
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

    /// The name directly before a cue: `Acme, I'd skip`.
    fn directly_before(&self, cue: &Cue) -> Option<usize> {
        let at = self.previous(cue, 1)?;
        let gap = self.mentions[at].span.end.min(cue.span.start)..cue.span.start;
        (gap.len() <= MOST_BEFORE && !self.page.text(&gap).contains(char::is_lowercase)).then_some(at)
    }

    /// `a good alternative to X` is about another name than X.
    fn is_alternative_to(&self, cue: &Cue) -> bool {
        static TO: List = list("against.to");
        let rest = self.page.text(&(cue.span.end..self.sentence.span.end));
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
            let gap = self.mentions[at - 1].span.end..self.mentions[at].span.start;
            if gap.start > gap.end || !is_joint(self.page.text(&gap).trim_matches([' ', '*'])) {
                break;
            }
            apply(at);
        }
    }
}
