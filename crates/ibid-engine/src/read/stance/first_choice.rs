//! The first choice.

use super::{Said, Scene};
use crate::read::text::{is_word, words};
use crate::read::words::{Cue, Kinds, List, list};

impl Scene<'_, '_> {
    /// Puts the name first that a top cue is about.
    pub(super) fn set_first_choice(&self, cue: &Cue, said: &mut [Said]) {
        static ONE_OF_SEVERAL: List = list("first-choice.one-of-several");
        let cue_text = self.page.text(&cue.span).to_lowercase();
        let before = self
            .page
            .text(&(self.sentence.span.start..cue.span.start))
            .trim_end()
            .to_lowercase();
        let article = before.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
        // `a top choice` is one of several.
        if ONE_OF_SEVERAL.has(article) && !cue_text.contains("1") {
            return;
        }
        if self.is_for_some(cue, &cue_text) {
            return;
        }
        let free = |at: &usize| !said[*at].discouraged && !said[*at].passing;
        let behind = self
            .range
            .clone()
            .filter(|at| self.mentions[*at].span.start >= cue.span.end)
            .find(free);
        let before = self
            .range
            .clone()
            .rev()
            .filter(|at| self.mentions[*at].span.end <= cue.span.start + 1)
            .find(free);
        let around = self
            .range
            .clone()
            .filter(|at| {
                self.mentions[*at].span.start < cue.span.end && self.mentions[*at].span.end > cue.span.start
            })
            .find(free);
        let near = |at: usize| {
            let span = &self.mentions[at].span;
            if span.start >= cue.span.end {
                span.start - cue.span.end
            } else {
                cue.span.start.saturating_sub(span.end)
            }
        };
        let bound = match (before, behind) {
            // `X is the best choice`: the subject, if it is next to the cue; otherwise the name that follows.
            (Some(before), Some(behind)) => {
                let subject = near(before) <= near(behind) && !self.breaks_between(before, cue);
                Some(if subject { before } else { behind })
            }
            (one, other) => one.or(other),
        };
        if let Some(at) = around.or(bound) {
            said[at].top = true;
            said[at].praised = true;
            said[at].verdict |= cue.kinds.has(Kinds::VERDICT);
        }
    }

    /// `the best for families` and `top pick for budgets` are first for some only.
    fn is_for_some(&self, cue: &Cue, cue_text: &str) -> bool {
        static FOR_ALL: List = list("first-choice.for-all");
        let rest = self
            .page
            .text(&(cue.span.end..self.sentence.span.end))
            .trim_start_matches(' ');
        let mut following = words(rest).map(str::to_lowercase);
        let next = following.next().unwrap_or_default();
        if cue_text.ends_with("best")
            && matches!(
                next.as_str(),
                "value" | "if" | "when" | "suited" | "known" | "way" | "budget"
            )
        {
            return true;
        }
        if !rest.starts_with(|c: char| c.is_alphabetic())
            || !matches!(
                next.as_str(),
                "for" | "fur" | "für" | "pour" | "para" | "per" | "voor" | "til" | "för" | "dla" | "для"
            )
        {
            return false;
        }
        let purpose: Vec<String> = following.take(4).collect();
        let general = purpose.iter().any(|word| {
            self.page.question.asked.contains(&*crate::read::text::key(word)) || FOR_ALL.has(word.as_str())
        });
        !general
            && self.page.answer.question.is_some()
            && !purpose.is_empty()
            && !cue.kinds.has(Kinds::VERDICT)
    }

    /// Whether a clause ends between a name and a cue after it.
    fn breaks_between(&self, at: usize, cue: &Cue) -> bool {
        let gap = self.page.text(&(self.mentions[at].span.end..cue.span.start));
        gap.contains([',', ';', ':', '，', '–', '—', '。'])
    }
}
