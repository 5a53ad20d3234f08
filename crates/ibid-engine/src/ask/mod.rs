//! The only network traffic of a scan: every question of a plan, with a bound on calls, time and money. A question is
//! asked once more where the answer came from memory although a search was asked for.

mod budget;
mod one;

use crate::plan::Plan;
use crate::read::{Answer, Target, read};
use futures_util::{Stream, StreamExt};
use ibid_model::{ModelAlias, Ring, Score, UsdMicros};
use ibid_provider::{Completion, ErrorScope, Provider, ProviderError, ProviderKey, Share};
use one::Caller;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// One call has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Calls that have ended, this one included.
    pub done: usize,
    /// Calls planned.
    pub total: usize,
    /// Position of the topic in the plan.
    pub topic: usize,
    /// The model asked.
    pub model: ModelAlias,
    /// The ring, for ring questions.
    pub ring: Option<Ring>,
    /// The market, for ring questions.
    pub market: Option<&'static str>,
    /// Whether there is an answer.
    pub answered: bool,
    /// The reading of the answer, if it was asked for.
    pub interim: Option<InterimReading>,
}

/// The reading of one answer before the others are known. The result may differ: names of the
/// target that other answers teach are not looked for yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterimReading {
    /// Whether it cites the target.
    pub cited: bool,
    /// Its answer score.
    pub score: Score,
    /// The first passage that cites the target, as it stands in the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

/// The outcome of every call: `calls[topic][model]`.
pub(crate) type CallOutcomes = Vec<Vec<Result<Completion, ProviderError>>>;

/// The settings of the calls.
pub(crate) struct Asking<'a> {
    pub(crate) provider: &'a dyn Provider,
    pub(crate) key: &'a ProviderKey,
    pub(crate) width: NonZeroUsize,
    pub(crate) deadline: Instant,
    /// The caller and run that the calls are made for.
    pub(crate) share: Share,
    /// The most that the calls may cost; `None` without a bound.
    pub(crate) cost_cap: Option<UsdMicros>,
    /// The target to look for in every answer as it comes; `None` without interim readings.
    pub(crate) target: Option<Target>,
}

/// A call that has ended, as a run keeps it that goes on in another process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedCall {
    /// Its number: the position of the topic in the plan times the number of models, plus the position of the model.
    pub call: u32,
    /// The reading of the answer, if it was asked for.
    pub interim: Option<InterimReading>,
    /// Whether the question was asked a second time because the first answer was from memory.
    pub second_attempt: bool,
    /// Whether the cost cap kept this call or its second attempt from beginning.
    pub capped: bool,
    /// The answer. Last, so that a reader of the rest can stop before it.
    pub answer: Result<Completion, ProviderError>,
}

/// The calls of a scan beside their answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spending {
    /// Questions asked a second time because the first answer was from memory.
    pub(crate) second_attempts: u32,
    /// The cap, if it kept a call from beginning.
    pub(crate) cap_reached: Option<UsdMicros>,
}

impl Spending {
    /// Adds a call to those of a scan with this cap.
    pub(crate) fn add(&mut self, ended: &EndedCall, cap: Option<UsdMicros>) {
        self.second_attempts += u32::from(ended.second_attempt);
        if ended.capped {
            self.cap_reached = cap;
        }
    }
}

/// Asks every question of the plan. A failure of the key ends everything at once, one of a model ends that
/// model's calls; what was not asked carries the same error.
pub(crate) async fn ask_all(
    plan: &Plan,
    asking: &Asking<'_>,
    mut on: impl FnMut(Progress),
) -> (CallOutcomes, Spending) {
    let mut calls = Gathered::of(plan);
    let (caller, never) = (Caller::new(plan, asking, &[]), CancellationToken::new());
    let mut ended_calls = std::pin::pin!(calls_of(&caller, 0..plan.len(), &never));
    let mut done = 0;
    while let Some(ended) = ended_calls.next().await {
        done += 1;
        progress(plan, done, &ended).into_iter().for_each(&mut on);
        let ends_all = caller.note(&ended);
        calls.add(ended, asking.cost_cap);
        if ends_all {
            break;
        }
    }
    calls.finish(&ProviderError::Timeout)
}

/// Asks the calls `wanted` of a plan after those that have `ended` before, and hands each to `keep` before the place of
/// that call is free for the next. After `stop` no call begins; those under way end and are kept.
///
/// # Errors
/// The first error of `keep`. Calls under way are dropped then.
pub(crate) async fn ask_rest<F, E>(
    plan: &Plan,
    asking: &Asking<'_>,
    (wanted, ended): (impl Iterator<Item = usize>, &[EndedCall]),
    stop: &CancellationToken,
    keep: impl Fn(EndedCall) -> F,
) -> Result<(), E>
where
    F: Future<Output = Result<(), E>>,
{
    let caller = Caller::new(plan, asking, ended);
    if caller.is_refused() {
        return Ok(());
    }
    let (caller, keep) = (&caller, &keep);
    let kept = wanted.map(|call| async move {
        if stop.is_cancelled() || caller.is_refused() {
            return Ok(());
        }
        let ended = caller.call(call).await;
        caller.note(&ended);
        keep(ended).await
    });
    let mut kept = std::pin::pin!(futures_util::stream::iter(kept).buffer_unordered(asking.width.get()));
    while let Some(kept) = kept.next().await {
        kept?;
    }
    Ok(())
}

/// Calls as they end, at most as many under way as the width allows. Dropping the stream closes the connections of
/// calls that are still under way.
fn calls_of<'a>(
    caller: &'a Caller<'_>,
    wanted: impl Iterator<Item = usize> + 'a,
    stop: &'a CancellationToken,
) -> impl Stream<Item = EndedCall> + 'a {
    // Models inside topics: every model makes progress while the width is smaller than the plan.
    let calls = wanted
        .take_while(|_| !stop.is_cancelled())
        .map(|call| caller.call(call));
    futures_util::stream::iter(calls).buffer_unordered(caller.width())
}

/// The outcomes of the calls of one plan, in order.
pub(crate) struct Gathered {
    models: usize,
    calls: Vec<Vec<Option<Result<Completion, ProviderError>>>>,
    spending: Spending,
    /// The error that ended all calls.
    refused: Option<ProviderError>,
}

impl Gathered {
    pub(crate) fn of(plan: &Plan) -> Self {
        let models = plan.models().len();
        let row = || (0..models).map(|_| None).collect();
        Self {
            models,
            calls: plan.questions().iter().map(|_| row()).collect(),
            spending: Spending::default(),
            refused: None,
        }
    }

    /// Adds a call. One that is not in the plan is left out.
    pub(crate) fn add(&mut self, ended: EndedCall, cap: Option<UsdMicros>) {
        self.spending.add(&ended, cap);
        if let Err(error) = &ended.answer
            && error.scope() == ErrorScope::Key
        {
            self.refused = Some(error.clone());
        }
        let (topic, model) = place(ended.call, self.models);
        if let Some(place) = self.calls.get_mut(topic).and_then(|row| row.get_mut(model)) {
            *place = Some(ended.answer);
        }
    }

    /// All outcomes. A call without one failed with the error that ended all calls, or else with `missing`.
    pub(crate) fn finish(self, missing: &ProviderError) -> (CallOutcomes, Spending) {
        let missing = self.refused.as_ref().unwrap_or(missing);
        let fill = |row: Vec<Option<_>>| {
            row.into_iter()
                .map(|call| call.unwrap_or_else(|| Err(missing.clone())))
                .collect()
        };
        (self.calls.into_iter().map(fill).collect(), self.spending)
    }
}

/// The topic and the model of a call.
fn place(call: u32, models: usize) -> (usize, usize) {
    let call = usize::try_from(call).unwrap_or(usize::MAX);
    (call / models.max(1), call % models.max(1))
}

/// Reads one answer alone. What does not count as an answer says nothing.
fn interim(
    plan: &Plan,
    topic: usize,
    answer: &Result<Completion, ProviderError>,
    target: Option<&Target>,
) -> Option<InterimReading> {
    let (target, completion) = target.zip(answer.as_ref().ok())?;
    let reading = read(
        target,
        &Answer::of(completion, &plan.questions().get(topic)?.text),
    );
    reading.is_valid().then(|| InterimReading {
        cited: reading.cited(),
        score: reading.score,
        quote: reading.quotes.into_iter().next().map(|quote| quote.text),
    })
}

fn progress(plan: &Plan, done: usize, ended: &EndedCall) -> Option<Progress> {
    let (topic, model) = place(ended.call, plan.models().len());
    let (market, ring) = plan
        .questions()
        .get(topic)
        .map(|topic| (plan.market(topic.slot), topic.slot.ring()))?;
    Some(Progress {
        done,
        total: plan.len(),
        topic,
        model: plan.models().get(model)?.alias.clone(),
        ring,
        market: market.map(|market| market.place.name()),
        answered: ended.answer.is_ok(),
        interim: ended.interim.clone(),
    })
}

#[cfg(test)]
mod tests;
