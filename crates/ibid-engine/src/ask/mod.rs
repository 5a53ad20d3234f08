//! Asks every question in a plan, with limits on calls, time and money: a scan's only network traffic.
//! A question is asked a second time if the answer is unfinished, or came from memory although a search was requested.

mod budget;
mod one;

use crate::plan::{Plan, PlannedQuestion};
use crate::read::{Answer, Target, read};
use futures_util::{Stream, StreamExt};
use ibid_model::{ModelAlias, Ring, Score, UsdMicros};
use ibid_provider::{Completion, ErrorScope, Provider, ProviderError, ProviderKey, Share};
use one::Caller;
pub(crate) use one::look;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::ops::Range;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// One call has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Calls that have ended, this one included.
    pub done: usize,
    /// Calls planned. Of a scan that asks in batches, up to the end of this batch.
    pub total: usize,
    /// Position of the topic in the plan.
    pub topic: usize,
    /// The model asked.
    pub model: ModelAlias,
    /// The ring, for ring questions.
    pub ring: Option<Ring>,
    /// The market, for ring questions.
    pub market: Option<String>,
    /// Whether there is an answer.
    pub answered: bool,
    /// How the answer reads alone, if that was asked for.
    pub interim: Option<InterimReading>,
}

/// How one answer reads before the others are known.
/// The result may differ, because it also uses names of the target from other answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterimReading {
    /// Whether it cites the target.
    pub cited: bool,
    /// Its answer score.
    pub score: Score,
    /// The first passage that cites the target, verbatim from the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

/// How every call ended: `calls[topic][model]`.
pub(crate) type CallOutcomes = Vec<Vec<Result<Completion, ProviderError>>>;

/// How the calls are made.
pub(crate) struct Asking<'a> {
    pub(crate) provider: &'a dyn Provider,
    pub(crate) key: &'a ProviderKey,
    pub(crate) width: NonZeroUsize,
    pub(crate) deadline: Instant,
    /// The caller and run that the calls are made for.
    pub(crate) share: Share,
    /// What the calls may cost at most; `None` without a limit.
    pub(crate) cost_cap: Option<UsdMicros>,
    /// The target to look for in each new answer; `None` without interim readings.
    pub(crate) target: Option<Target>,
}

/// A completed call, as stored for a run that continues in another process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedCall {
    /// Its number in [`Plan::asked`].
    pub call: u32,
    /// How the answer reads alone, if that was asked for.
    pub interim: Option<InterimReading>,
    /// Whether the question was asked again because the first answer was from memory.
    pub second_attempt: bool,
    /// Whether the cost cap prevented this call or its second attempt.
    pub capped: bool,
    /// The answer.
    /// It is last so a reader of the other fields can stop before it.
    pub answer: Result<Completion, ProviderError>,
}

/// How often a scan asked a second time, and its cost cap if the calls reached it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spending {
    /// Questions asked again because the first answer was from memory.
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

/// Asks a plan's questions, one range after the other, and returns the calls that have ended.
/// `next` gives the range after those that have ended, or `None` at the end.
/// A model that fails, or refuses the key, is asked no more; once every model has failed, all calls end.
pub(crate) async fn ask_all(
    plan: &Plan,
    asking: &Asking<'_>,
    next: impl Fn(&[EndedCall]) -> Option<Range<usize>>,
    mut on: impl FnMut(Progress),
) -> Vec<EndedCall> {
    let (caller, never) = (Caller::new(plan, asking, &[]), CancellationToken::new());
    let mut all: Vec<EndedCall> = Vec::new();
    while !caller.is_refused()
        && let Some(wanted) = next(&all)
    {
        let total = wanted.end;
        let mut ended_calls = std::pin::pin!(calls_of(&caller, wanted, &never));
        while let Some(ended) = ended_calls.next().await {
            progress(plan, all.len() + 1, total, &ended)
                .into_iter()
                .for_each(&mut on);
            caller.note(&ended);
            all.push(ended);
            if caller.is_refused() {
                break;
            }
        }
    }
    all
}

/// Asks the calls `wanted` of a plan after those in `ended`, and passes each to `keep`.
/// Once `keep` is done, the next call may begin in this one's place.
/// After `stop` no call begins; calls under way end and are kept.
///
/// # Errors
/// Passes on the first error that `keep` returns. Calls under way are dropped then.
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

/// Calls in order of completion, with at most the allowed width under way.
/// Dropping the stream closes the connections of calls under way.
fn calls_of<'a>(
    caller: &'a Caller<'_>,
    wanted: impl Iterator<Item = usize> + 'a,
    stop: &'a CancellationToken,
) -> impl Stream<Item = EndedCall> + 'a {
    // Models inside topics: every model progresses even if the width is smaller than the plan.
    let calls = wanted
        .take_while(|_| !stop.is_cancelled())
        .map(|call| caller.call(call));
    futures_util::stream::iter(calls).buffer_unordered(caller.width())
}

/// One plan's calls as they ended, in order.
pub(crate) struct Gathered {
    places: Vec<Place>,
    calls: Vec<Vec<Option<Result<Completion, ProviderError>>>>,
    spending: Spending,
    /// The error that ended the calls of each model.
    refused: Vec<Option<ProviderError>>,
}

/// Where a call is among the outcomes.
struct Place {
    topic: usize,
    /// Its position among the calls of the topic.
    at: usize,
    model: usize,
}

impl Gathered {
    pub(crate) fn of(plan: &Plan) -> Self {
        let models = plan.models().len();
        let row = |question: &PlannedQuestion| question.asked(models).map(|_| None).collect();
        Self {
            places: plan
                .asked()
                .map(|(topic, model)| Place {
                    topic,
                    at: model - plan.questions()[topic].asked(models).start,
                    model,
                })
                .collect(),
            calls: plan.questions().iter().map(row).collect(),
            spending: Spending::default(),
            refused: vec![None; models],
        }
    }

    /// Adds a call. Ignores one that is not in the plan.
    pub(crate) fn add(&mut self, ended: EndedCall, cap: Option<UsdMicros>) {
        self.spending.add(&ended, cap);
        let call = usize::try_from(ended.call).unwrap_or(usize::MAX);
        let Some(place) = self.places.get(call) else {
            return;
        };
        if let Err(error) = &ended.answer
            && error.scope() > ErrorScope::Question
        {
            self.refused[place.model].get_or_insert_with(|| error.clone());
        }
        self.calls[place.topic][place.at] = Some(ended.answer);
    }

    /// All outcomes.
    /// A missing call fails with the error that ended the calls of its model, or else with `missing`.
    pub(crate) fn finish(mut self, missing: &ProviderError) -> (CallOutcomes, Spending) {
        for place in &self.places {
            let cause = self.refused[place.model].as_ref().unwrap_or(missing);
            self.calls[place.topic][place.at].get_or_insert_with(|| Err(cause.clone()));
        }
        let rows = self
            .calls
            .into_iter()
            .map(|row| row.into_iter().flatten().collect());
        (rows.collect(), self.spending)
    }
}

/// Reads one answer alone.
/// Returns `None` for a text that does not count as an answer.
fn interim(
    plan: &Plan,
    topic: usize,
    answer: &Result<Completion, ProviderError>,
    target: Option<&Target>,
) -> Option<InterimReading> {
    let (target, completion) = target.zip(answer.as_ref().ok())?;
    let question = plan.questions().get(topic)?;
    let reading = read(target, &Answer::of(completion, &question.text));
    reading.is_valid().then(|| InterimReading {
        cited: reading.cited(),
        score: reading.score,
        quote: reading.quotes.into_iter().next().map(|quote| quote.text),
    })
}

fn progress(plan: &Plan, done: usize, total: usize, ended: &EndedCall) -> Option<Progress> {
    let (topic, model) = plan.call(ended.call)?;
    let slot = plan.questions().get(topic)?.slot;
    Some(Progress {
        done,
        total,
        topic,
        model: plan.models().get(model)?.alias.clone(),
        ring: slot.ring(),
        market: plan.market(slot).map(|market| market.name.clone()),
        answered: ended.answer.is_ok(),
        interim: ended.interim.clone(),
    })
}

#[cfg(test)]
mod tests;
