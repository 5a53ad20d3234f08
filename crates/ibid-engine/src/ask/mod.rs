//! The only network traffic of a scan: every question of a plan, with a bound on calls, time and money. A question is
//! asked once more where the answer came from memory although a search was asked for.

mod budget;

use crate::plan::{Plan, PlannedQuestion};
use crate::read::{Answer, Target, read};
use budget::Budget;
use futures_util::StreamExt;
use ibid_model::result::Searched;
use ibid_model::{Model, ModelAlias, Ring, Score, UsdMicros};
use ibid_provider::{Completion, ErrorScope, Prompt, Provider, ProviderError, ProviderKey, Share, WebSearch};
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use budget::Spending;

/// Most completion tokens of one answer. Reasoning counts against it, so a tight limit yields empty answers.
const MAX_TOKENS: u32 = 4_000;

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InterimReading {
    /// Whether it cites the target.
    pub cited: bool,
    /// Its answer score.
    pub score: Score,
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

/// A model's switch: once off, its remaining calls end with the error that switched it off.
#[derive(Default)]
struct Switch {
    off: CancellationToken,
    cause: OnceLock<ProviderError>,
}

/// Asks every question of the plan. A failure of the key ends everything at once, one of a model ends that
/// model's calls; what was not asked carries the same error.
pub(crate) async fn ask_all(
    plan: &Plan,
    asking: &Asking<'_>,
    mut on: impl FnMut(Progress),
) -> (CallOutcomes, Spending) {
    let models = plan.models();
    let switches: Vec<Switch> = models.iter().map(|_| Switch::default()).collect();
    let mut calls: Vec<Vec<Option<Result<Completion, ProviderError>>>> = plan
        .questions()
        .iter()
        .map(|_| models.iter().map(|_| None).collect())
        .collect();
    // Models inside topics: every model makes progress while the width is smaller than the plan.
    let budget = Budget::new(asking.cost_cap);
    let (switches, budget) = (&switches, &budget);
    let each = (0..plan.len()).map(|call| async move {
        let (t, m) = (call / models.len(), call % models.len());
        (t, m, ask_one(plan, (t, m), switches, asking, budget).await)
    });
    let mut answers = futures_util::stream::iter(each).buffer_unordered(asking.width.get());
    let (mut done, mut ended) = (0, None);
    while let Some((t, m, answer)) = answers.next().await {
        done += 1;
        if let Err(error) = &answer {
            match error.scope() {
                ErrorScope::Question => {}
                ErrorScope::Model => switch_off(switches.get(m), error),
                ErrorScope::Key => ended = Some(error.clone()),
            }
        }
        let progress = progress(plan, done, (t, m), answer.is_ok()).map(|progress| Progress {
            interim: interim(plan, t, &answer, asking.target.as_ref()),
            ..progress
        });
        if let Some(place) = calls.get_mut(t).and_then(|row| row.get_mut(m)) {
            *place = Some(answer);
        }
        progress.into_iter().for_each(&mut on);
        if ended.is_some() {
            break;
        }
    }
    // Dropping the stream closes the connections of calls that are still under way.
    drop(answers);
    let missing = ended.unwrap_or(ProviderError::Timeout);
    let fill = |row: Vec<Option<_>>| {
        row.into_iter()
            .map(|call| call.unwrap_or_else(|| Err(missing.clone())))
            .collect()
    };
    (calls.into_iter().map(fill).collect(), budget.spending())
}

fn switch_off(switch: Option<&Switch>, error: &ProviderError) {
    if let Some(switch) = switch {
        // The first cause stays; later ones are its consequences.
        let _ = switch.cause.set(error.clone());
        switch.off.cancel();
    }
}

/// Asks a question, and asks it again where the answer came from memory although the model was asked to search.
async fn ask_one(
    plan: &Plan,
    (t, m): (usize, usize),
    switches: &[Switch],
    asking: &Asking<'_>,
    budget: &Budget,
) -> Result<Completion, ProviderError> {
    let (Some(topic), Some(model), Some(switch)) =
        (plan.questions().get(t), plan.models().get(m), switches.get(m))
    else {
        return Err(ProviderError::ModelUnavailable);
    };
    let prompt = prompt(plan, topic, model, asking);
    let estimate = model.cost_per_call(plan.web_search());
    let call = async |prompt: &Prompt| {
        if !budget.begin(estimate) {
            return Err(ProviderError::CostCapReached);
        }
        let answer = tokio::time::timeout_at(asking.deadline, asking.provider.ask(asking.key, prompt));
        let answer = tokio::select! {
            biased;
            () = switch.off.cancelled() => Err(switch.cause.get().cloned().unwrap_or(ProviderError::ModelUnavailable)),
            answer = answer => answer.unwrap_or(Err(ProviderError::Timeout)),
        };
        budget.end(estimate, answer.as_ref().ok());
        answer
    };
    let first = call(&prompt).await?;
    let from_memory = first.retrieval.searched == Searched::No && model.searches(plan.web_search());
    if !from_memory || !asking.provider.can_force_search(&prompt) {
        return Ok(first);
    }
    let forced = Prompt {
        force_search: true,
        ..prompt
    };
    let second = call(&forced).await;
    if second != Err(ProviderError::CostCapReached) {
        budget.count_second_attempt();
    }
    Ok(match second {
        Ok(second) => better(first, second),
        Err(_) => first,
    })
}

/// The second answer if it searched, else the first; with the usage of both.
fn better(first: Completion, second: Completion) -> Completion {
    let usage = first.usage.and(second.usage);
    let kept = match second.retrieval.searched {
        Searched::Yes => second,
        Searched::No | Searched::Unknown => first,
    };
    Completion { usage, ..kept }
}

fn prompt(plan: &Plan, topic: &PlannedQuestion, model: &Model, asking: &Asking<'_>) -> Prompt {
    use ibid_model::Grounding;
    Prompt {
        model: model.first_candidate().to_owned(),
        text: topic.text.clone(),
        search: match model.grounding {
            Grounding::Builtin => WebSearch::Builtin,
            Grounding::Required if plan.web_search() => WebSearch::Tool,
            Grounding::Required | Grounding::None => WebSearch::Off,
        },
        engine: model.engine,
        force_search: false,
        place: topic.place.clone(),
        max_tokens: MAX_TOKENS,
        deadline: asking.deadline,
        share: asking.share,
        scene: topic.scene.clone(),
    }
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
    })
}

fn progress(plan: &Plan, done: usize, (topic, model): (usize, usize), answered: bool) -> Option<Progress> {
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
        answered,
        interim: None,
    })
}

#[cfg(test)]
mod tests;
