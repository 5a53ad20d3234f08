//! Cues that speak against a name, or name it in passing.

use super::{NEAR_WORDS, Said, Scene};
use crate::read::words::{Cue, Kinds};

impl Scene<'_, '_> {
    pub(super) fn speak_against(&self, cue: &Cue, said: &mut [Said]) {
        let kinds = cue.kinds;
        if kinds.has(Kinds::POSITIVE) {
            return;
        }
        if (kinds.has(Kinds::RELATION) || self.is_alternative_to(cue))
            && let Some(at) = self.next(cue, NEAR_WORDS)
        {
            said[at].passing = true;
        }
        if kinds.has(Kinds::CONTRAST) {
            let object = if self.page.contrast_follows_its_object() {
                self.previous(cue, NEAR_WORDS)
            } else {
                self.next(cue, NEAR_WORDS - 1)
            };
            if let Some(at) = object {
                self.warn(at, said);
            }
        }
        if kinds.has(Kinds::DEFUNCT) {
            if let Some(at) = self
                .previous(cue, usize::MAX)
                .or_else(|| self.topic())
                .or_else(|| self.next(cue, NEAR_WORDS))
            {
                said[at].discouraged = true;
                said[at].defunct = true;
            }
        } else if kinds.has(Kinds::AVOID) && kinds.has(Kinds::BAD) {
            // Verbs that follow their object in some languages and precede it in others.
            let object = self
                .previous_close(cue)
                .or_else(|| self.next(cue, NEAR_WORDS + 1))
                .or_else(|| self.previous(cue, usize::MAX))
                .or_else(|| self.topic());
            self.warn_all(object, said);
        } else if kinds.has(Kinds::AVOID) {
            let object = self
                .next(cue, NEAR_WORDS + 1)
                .or_else(|| self.previous(cue, usize::MAX))
                .or_else(|| self.topic());
            self.warn_all(object, said);
        } else if kinds.has(Kinds::BAD) {
            let object = self
                .previous(cue, usize::MAX)
                .or_else(|| self.topic())
                .or_else(|| self.next(cue, NEAR_WORDS + 1));
            self.warn_all(object, said);
        } else if kinds.has(Kinds::MILD)
            && !self.is_item()
            && !self.sentence.kinds.has(crate::read::candidates::SPEAKS_FOR)
            && let Some(at) = self.previous(cue, usize::MAX)
        {
            said[at].discouraged = true;
        }
    }

    /// `a good alternative to X` is about another name than X.
    fn is_alternative_to(&self, cue: &Cue) -> bool {
        const TO: [&str; 14] = [
            "to ", "zu ", "zum ", "zur ", "à ", "a ", "al ", "alla ", "til ", "till ", "voor ", "dla ",
            "do ", "k ",
        ];
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

    fn warn(&self, at: usize, said: &mut [Said]) {
        said[at].discouraged = true;
    }

    /// Warns of a name and of those enumerated with it: `avoid A and B`.
    fn warn_all(&self, object: Option<usize>, said: &mut [Said]) {
        let Some(first) = object else {
            return;
        };
        said[first].discouraged = true;
        let mut at = first;
        while at + 1 < self.range.end && self.range.contains(&at) {
            let gap = self
                .page
                .text(&(self.mentions[at].span.end..self.mentions[at + 1].span.start));
            let joint = gap.trim();
            if !matches!(
                joint,
                "," | "and"
                    | "or"
                    | "und"
                    | "oder"
                    | "et"
                    | "ou"
                    | "y"
                    | "o"
                    | "e"
                    | "og"
                    | "och"
                    | "en"
                    | "of"
                    | "i"
                    | "и"
                    | "、"
                    | "和"
                    | "と"
                    | "과"
                    | "와"
                    | ", and"
                    | ", or"
            ) {
                break;
            }
            at += 1;
            said[at].discouraged = true;
        }
    }
}
