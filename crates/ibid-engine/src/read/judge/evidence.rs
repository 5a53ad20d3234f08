//! Evidence of the target.

use super::Case;
use crate::read::layout::{Form, Span};
use crate::read::reading::{Flag, LinkKind};
use crate::read::stance::Who;

impl Case<'_, '_> {
    pub(super) fn evidence(&self, flags: &mut Vec<Flag>) -> Evidence {
        let mut evidence = Evidence::default();
        let (mut absent, mut echoed) = (false, false);
        for (mention, said) in self.stances.mentions.iter().zip(&self.stances.said) {
            if mention.who != Who::Target {
                continue;
            }
            if self.is_echo(&mention.span) {
                echoed = true;
                continue;
            }
            if said.absent {
                absent = true;
                continue;
            }
            evidence.counts = true;
            evidence.outside_refusal |= !said.refused;
            evidence.discouraged |= said.discouraged && !said.verdict;
            evidence.defunct |= said.defunct;
            evidence.spans.push(mention.span.clone());
            let name = self
                .page
                .hits_in(&(mention.span.start..mention.span.end))
                .iter()
                .any(|hit| hit.sure || hit.span.end <= mention.span.end);
            let address = self
                .page
                .links_in(&mention.span)
                .first()
                .is_some_and(|link| link.form != Form::Markdown && link.span.start == mention.span.start);
            evidence.named |= name && !address;
            evidence.longer |= self
                .page
                .hits_in(&mention.span)
                .iter()
                .any(|hit| hit.known && hit.longer);
        }
        if absent && !evidence.counts {
            flags.push(Flag::AbsenceStatement);
        }
        if echoed && !evidence.counts {
            flags.push(Flag::PromptEcho);
        }
        evidence
    }

    /// Whether the target's name leads to another party's website.
    pub(super) fn is_linked_elsewhere(&self, target: Option<usize>, kind: LinkKind) -> bool {
        let host = target.and_then(|at| self.competitors[at].host.as_deref());
        kind == LinkKind::None
            && host.is_some_and(|host| {
                !self.page.target.owns(host)
                    && crate::read::host::kind_of_host(host) == ibid_model::result::CompetitorKind::Rival
            })
    }
}

/// Evidence of the target in the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    pub(super) counts: bool,
    pub(super) named: bool,
    pub(super) discouraged: bool,
    pub(super) defunct: bool,
    /// Part of it stands outside the sentences that decline to answer.
    pub(super) outside_refusal: bool,
    pub(super) spans: Vec<Span>,
    /// A word with a capital follows a known name.
    pub(super) longer: bool,
}
