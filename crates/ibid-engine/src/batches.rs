//! Which calls come next in a scan that asks until its range is narrow enough or its money is spent.
//!
//! They follow from the calls that have ended alone.
//! So a run that goes on in another process asks the same, and what it has asked is never asked again.

use crate::ask::EndedCall;
use crate::plan::Plan;
use crate::run::Engine;
use ibid_model::result::Stopped;
use ibid_model::{ScanId, UsdMicros};
use ibid_provider::{ErrorScope, ProviderError};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::ops::Range;

/// What a scan that asks in batches does next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Make those calls of the range that have not ended.
    Ask(Range<usize>),
    /// Ask no more. `None`: the scan was cancelled, or every model refused.
    Stop(Option<Stopped>),
}

impl Engine {
    /// The calls to make next of a plan that is asked in batches, by their numbers; `None` once it asks no more.
    /// Calls of the range that have ended are not made again.
    ///
    /// At the end of a batch it scores the answers so far, at about 50 µs CPU time each.
    pub fn next_calls(&self, id: ScanId, plan: &Plan, ended: &[EndedCall]) -> Option<Range<u32>> {
        let number = |call: usize| u32::try_from(call).unwrap_or(u32::MAX);
        match self.next_of(id, plan, ended) {
            Next::Ask(calls) => Some(number(calls.start)..number(calls.end)),
            Next::Stop(_) => None,
        }
    }

    /// The next step after these calls.
    pub(crate) fn next_of(&self, id: ScanId, plan: &Plan, ended: &[EndedCall]) -> Next {
        let Some(rule) = plan.order().stop() else {
            return Next::Stop(None);
        };
        if is_over(plan, ended) {
            return Next::Stop(None);
        }
        let within = |calls: Range<usize>| {
            ended
                .iter()
                .filter(move |call| calls.contains(&(call.call as usize)))
        };
        let mut asked = 0;
        loop {
            // A batch that has begun passed the look before it.
            let is_next = within(asked..plan.len()).next().is_none();
            if asked > 0
                && is_next
                && let Some(width) = rule.target_width
                && self.is_within(id, plan, within(0..asked), width)
            {
                return Next::Stop(Some(Stopped::Width));
            }
            if asked == plan.len() {
                return Next::Stop(Some(Stopped::Pool));
            }
            let money = money(plan, within(0..asked));
            let end = plan.affordable(asked, plan.batch_end(asked), self.most_cost(plan), money);
            if end == asked || within(0..asked).any(|call| call.capped) {
                return Next::Stop(Some(Stopped::Budget));
            }
            if within(asked..end).count() < end - asked {
                return Next::Ask(asked..end);
            }
            asked = end;
        }
    }

    /// Whether these calls give the score a range no wider than `width` points. Only the choice of questions counts, because
    /// more calls do not make the error of reading smaller.
    fn is_within<'a>(
        &self,
        id: ScanId,
        plan: &Plan,
        calls: impl Iterator<Item = &'a EndedCall>,
        width: u8,
    ) -> bool {
        let missing = (&ProviderError::Timeout, Timestamp::UNIX_EPOCH, None);
        let asked = self.joined(id, plan.clone(), calls.cloned().collect(), missing);
        let interval = asked
            .ok()
            .and_then(|asked| asked.score().result.sampling_interval);
        interval.is_some_and(|interval| interval.high - interval.low <= f64::from(width))
    }
}

/// Whether the scan was stopped, or every model has failed for good.
fn is_over(plan: &Plan, ended: &[EndedCall]) -> bool {
    let errors = || {
        ended
            .iter()
            .filter_map(|call| Some((call.call, call.answer.as_ref().err()?)))
    };
    let refused = errors().filter(|(_, error)| error.scope() > ErrorScope::Question);
    let refused: BTreeSet<usize> = refused.filter_map(|(call, _)| Some(plan.call(call)?.1)).collect();
    refused.len() == plan.models().len() || errors().any(|(_, error)| *error == ProviderError::Stopped)
}

/// The estimate and the bill of the calls that were answered.
fn money<'a>(plan: &Plan, calls: impl Iterator<Item = &'a EndedCall>) -> (UsdMicros, UsdMicros) {
    let mut money = (UsdMicros::ZERO, UsdMicros::ZERO);
    for call in calls {
        let model = plan
            .call(call.call)
            .and_then(|(_, model)| plan.models().get(model));
        if let (Some(model), Ok(answer)) = (model, &call.answer) {
            let estimate = model.cost_per_question(plan.web_search());
            money = (
                money.0 + estimate,
                money.1 + answer.usage.cost.unwrap_or(estimate),
            );
        }
    }
    money
}

/// A plan that is asked in batches with the calls that were made alone, and these with their new numbers.
/// A plan with counts stays as it is.
pub(crate) fn made(plan: Plan, mut ended: Vec<EndedCall>) -> (Plan, Vec<EndedCall>) {
    if plan.order().stop().is_none() {
        return (plan, ended);
    }
    let is_unmade =
        |error: &ProviderError| matches!(error, ProviderError::CostCapReached | ProviderError::Stopped);
    ended.retain(|call| !call.answer.as_ref().is_err_and(is_unmade));
    ended.sort_by_key(|call| call.call);
    let calls: Vec<u32> = ended.iter().map(|call| call.call).collect();
    for (number, call) in (0..).zip(&mut ended) {
        call.call = number;
    }
    (plan.with_calls(&calls), ended)
}

#[cfg(test)]
mod tests;
