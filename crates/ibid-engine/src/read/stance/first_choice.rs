//! The first choice.

use super::{Said, Scene};
use crate::read::text::is_word;
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
        let free = |at: &usize| !said[*at].discouraged && !said[*at].passing;
        let all = || self.range.clone().filter(free);
        let span = |at: usize| &self.mentions[at].span;
        let behind = all().find(|at| span(*at).start >= cue.span.end);
        let before = all().rfind(|at| span(*at).end <= cue.span.start + 1);
        let around = all().find(|at| span(*at).start < cue.span.end && span(*at).end > cue.span.start);
        let near = |at: usize| {
            if span(at).start >= cue.span.end {
                span(at).start - cue.span.end
            } else {
                cue.span.start.saturating_sub(span(at).end)
            }
        };
        let bound = match (before, behind) {
            // `X is the best choice`: the subject, if it is next to the cue; otherwise the name that follows.
            (Some(before), Some(behind)) => {
                let subject = near(before) <= near(behind);
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
}
