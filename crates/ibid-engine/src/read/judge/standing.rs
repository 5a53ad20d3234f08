//! The standing that the mentions of each competitor come to.

use super::Case;
use super::features::{self, Features};
use crate::read::candidates;
use crate::read::competitors::FoundCompetitor;
use crate::read::layout::Span;
use crate::read::stance::{Said, Who};
use crate::read::text::key;
use crate::read::words::{Kinds, List, list};

impl Case<'_, '_> {
    /// The stance at the mention that holds a candidate's name.
    fn said_at(&self, name: &Span) -> Said {
        let mentions = &self.stances.mentions;
        let next = mentions.partition_point(|mention| mention.span.start < name.end);
        let at = next
            .checked_sub(1)
            .filter(|at| mentions[*at].span.end > name.start);
        at.and_then(|at| self.stances.said.get(at))
            .copied()
            .unwrap_or_default()
    }

    /// The standing of every competitor, from its places and mentions, each read once.
    pub(super) fn standings(&self) -> (Vec<Standing>, Vec<Features>) {
        let mut standings: Vec<Standing> = self
            .competitors
            .iter()
            .map(|competitor| self.placed(competitor))
            .collect();
        let target = self.competitors.iter().position(|competitor| competitor.is_self);
        let mut spoken = vec![(Said::default(), 0_usize); standings.len()];
        for (mention, said) in self.stances.mentions.iter().zip(&self.stances.said) {
            let at = match mention.who {
                Who::Target => target,
                Who::Competitor(at) => Some(at),
            };
            let Some((standing, (heard, count))) =
                at.and_then(|at| Some((standings.get_mut(at)?, spoken.get_mut(at)?)))
            else {
                continue;
            };
            if self.is_echo(&mention.span) {
                continue;
            }
            *count += 1;
            heard.praised |= said.praised;
            heard.passing |= said.passing;
            standing.discouraged |= said.discouraged;
            standing.defunct |= said.defunct;
            standing.praised |= said.praised;
            standing.top |= said.top;
            standing.verdict |= said.verdict;
        }
        let whole = self.whole(&standings);
        let features: Vec<Features> = standings
            .iter()
            .zip(&spoken)
            .enumerate()
            .map(|(at, (standing, (_, count)))| self.features(at, standing, *count, &whole))
            .collect();
        for (((standing, features), (said, _)), competitor) in standings
            .iter_mut()
            .zip(&features)
            .zip(&spoken)
            .zip(self.competitors)
        {
            // A name that the answer only relates others to is a mention, whatever the evidence.
            let placed = |place: &candidates::Candidate| {
                matches!(place.form, candidates::Form::Item | candidates::Form::Column)
            };
            let passing = said.passing && !said.praised && !competitor.places.iter().any(placed);
            standing.listed = features::score(features) > 0.0 && !passing;
        }
        // A name that the question asks to replace is no answer to it, unless the answer chooses it in the end.
        for (standing, competitor) in standings.iter_mut().zip(self.competitors) {
            let referred = self.page.question.refers_to(&competitor.name);
            standing.listed &= !referred || standing.verdict;
        }
        for standing in &mut standings {
            // An answer does not warn of a name that it chooses in the end.
            standing.discouraged &= !standing.verdict;
            standing.listed &= !standing.discouraged;
        }
        (standings, features)
    }

    /// The standing that the places of a competitor come to.
    fn placed(&self, competitor: &FoundCompetitor) -> Standing {
        let mut standing = Standing::default();
        for place in &competitor.places {
            let said = self.said_at(&place.name);
            let label = place.label.as_ref().is_some_and(|label| self.is_top_label(label));
            let open = !said.discouraged && !said.refused || said.top;
            match place.form {
                candidates::Form::Item | candidates::Form::Column => standing.listed |= open,
                candidates::Form::Mention => {}
                candidates::Form::Prose => {
                    standing.listed |=
                        said.praised && !said.passing && !said.absent && open && !self.is_echo(&place.name)
                }
            }
            standing.top |= label && open;
        }
        standing
    }

    fn is_top_label(&self, label: &Span) -> bool {
        static TOP_LABELS: List = list("judge.top-labels");
        let cues = self.page.cues_in(label);
        let text = key(self.page.text(label));
        cues.iter()
            .any(|cue| cue.kinds.has(Kinds::TOP.and(Kinds::VERDICT)))
            && !cues.iter().any(|cue| cue.kinds.has(Kinds::SECOND))
            || TOP_LABELS.has(&text)
    }
}

/// The standing of one competitor.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    /// It is among the recommended candidates.
    pub(super) listed: bool,
    pub(super) discouraged: bool,
    pub(super) defunct: bool,
    pub(super) praised: bool,
    pub(super) top: bool,
    pub(super) verdict: bool,
}
