//! One call of a scan: the question, its second attempt, its switch and its money.
//! A question is asked a second time at most.

use super::budget::Budget;
use super::{Asking, EndedCall, interim};
use crate::plan::{Plan, PlannedQuestion};
use crate::read::{Answer, AnswerClass, Reading, Target, read};
use ibid_model::result::Searched;
use ibid_model::{Finish, Model};
use ibid_provider::{Completion, ErrorScope, Prompt, ProviderError, WebSearch};
use std::sync::OnceLock;
use tokio_util::sync::CancellationToken;

/// Most completion tokens of one answer.
/// Reasoning uses them too, so a tight limit yields empty answers.
const MAX_TOKENS: u32 = 4_000;

/// A model's switch.
/// Once off, its remaining calls end with the error that switched it off.
#[derive(Default)]
struct Switch {
    off: CancellationToken,
    cause: OnceLock<ProviderError>,
}

/// Makes the calls of one plan.
pub(super) struct Caller<'a> {
    plan: &'a Plan,
    asking: &'a Asking<'a>,
    switches: Vec<Switch>,
    budget: Budget,
    target: Target,
}

impl<'a> Caller<'a> {
    /// Returns the state after the calls that have `ended` before.
    /// Their bills count, and models and keys that failed stay off.
    pub(super) fn new(plan: &'a Plan, asking: &'a Asking<'a>, ended: &[EndedCall]) -> Self {
        let caller = Self {
            plan,
            asking,
            switches: plan.models().iter().map(|_| Switch::default()).collect(),
            budget: Budget::new(asking.cost_cap),
            target: Target::of_order(plan.order()),
        };
        for call in ended {
            caller.note(call);
            let model = plan
                .call(call.call)
                .and_then(|(_, model)| plan.models().get(model));
            if let (Some(model), Ok(answer)) = (model, &call.answer) {
                caller
                    .budget
                    .count_bill(model.cost_per_call(plan.web_search()), answer);
            }
        }
        caller
    }

    pub(super) fn width(&self) -> usize {
        self.asking.width.get()
    }

    /// Whether every model is off. The calls that are left would fail as those before.
    pub(super) fn is_refused(&self) -> bool {
        self.switches.iter().all(|switch| switch.off.is_cancelled())
    }

    /// Switches a model off whose call failed for good. A refused key is known as such only once every model refused it:
    /// accounts pay for some models and not for others, and routers close single models to a key.
    pub(super) fn note(&self, ended: &EndedCall) {
        let Err(error) = &ended.answer else { return };
        let model = self.plan.call(ended.call).map(|(_, model)| model);
        if error.scope() > ErrorScope::Question
            && let Some(switch) = model.and_then(|model| self.switches.get(model))
        {
            // The first cause stays; later ones are its consequences.
            let _ = switch.cause.set(error.clone());
            switch.off.cancel();
        }
    }

    /// Makes a call of the plan.
    pub(super) async fn call(&self, call: usize) -> EndedCall {
        let call = u32::try_from(call).unwrap_or(u32::MAX);
        let mut ended = EndedCall {
            call,
            interim: None,
            second_attempt: false,
            capped: false,
            answer: Err(ProviderError::ModelUnavailable),
        };
        let known = self.plan.call(call).and_then(|(topic, model)| {
            let question = self.plan.questions().get(topic)?;
            let models = self.plan.models().get(model).zip(self.switches.get(model))?;
            Some((topic, question, models))
        });
        if let Some((topic, question, (model, switch))) = known {
            self.ask(question, model, switch, &mut ended).await;
            ended.interim = interim(self.plan, topic, &ended.answer, self.asking.target.as_ref());
        }
        ended
    }

    /// Asks a question, and once more if the answer is unfinished, or from memory although the model was to search.
    /// A turn that the vendor paused goes on where it was.
    async fn ask(&self, question: &PlannedQuestion, model: &Model, switch: &Switch, ended: &mut EndedCall) {
        let prompt = self.prompt(question, model);
        let first = self.attempt(&prompt, model, switch).await;
        ended.capped = first == Err(ProviderError::CostCapReached);
        ended.answer = first;
        let Ok(first) = &ended.answer else { return };
        let unfinished = first.resume.is_some()
            || look(&self.target, first, question)
                .is_some_and(|reading| reading.answer_class == AnswerClass::Unfinished);
        let from_memory = first.retrieval.searched == Searched::No && model.searches(self.plan.web_search());
        let force_search =
            first.resume.is_none() && from_memory && self.asking.provider.can_force_search(&prompt);
        if !unfinished && !force_search {
            return;
        }
        let again = Prompt {
            force_search,
            resume: first.resume.clone(),
            ..prompt
        };
        let second = self.attempt(&again, model, switch).await;
        ended.capped = second == Err(ProviderError::CostCapReached);
        ended.second_attempt = !ended.capped;
        if let Ok(second) = second {
            ended.answer = Ok(match &first.resume {
                Some(_) => resumed(first.clone(), second),
                None if unfinished => Completion {
                    usage: first.usage.and(second.usage),
                    ..second
                },
                None => better(first.clone(), second),
            });
        }
    }

    async fn attempt(
        &self,
        prompt: &Prompt,
        model: &Model,
        switch: &Switch,
    ) -> Result<Completion, ProviderError> {
        let estimate = model.cost_per_call(self.plan.web_search());
        if !self.budget.begin(estimate) {
            return Err(ProviderError::CostCapReached);
        }
        let answer = self.asking.provider.ask(self.asking.key, prompt);
        let answer = tokio::time::timeout_at(self.asking.deadline, answer);
        let answer = tokio::select! {
            biased;
            () = switch.off.cancelled() => Err(switch.cause.get().cloned().unwrap_or(ProviderError::ModelUnavailable)),
            answer = answer => answer.unwrap_or(Err(ProviderError::Timeout)),
        };
        self.budget.end(estimate, answer.as_ref().ok());
        answer
    }

    fn prompt(&self, question: &PlannedQuestion, model: &Model) -> Prompt {
        use ibid_model::Grounding;
        Prompt {
            model: model.first_candidate().to_owned(),
            text: question.text.clone(),
            search: match model.grounding {
                Grounding::Builtin => WebSearch::Builtin,
                Grounding::Required if self.plan.web_search() => WebSearch::Tool,
                Grounding::Required | Grounding::None => WebSearch::Off,
            },
            engine: model.engine,
            force_search: false,
            resume: None,
            place: question.place.clone(),
            max_tokens: MAX_TOKENS,
            deadline: self.asking.deadline,
            share: self.asking.share,
            scene: question.scene.clone(),
        }
    }
}

/// Reads an answer that may be unfinished, because it is short or was cut.
pub(crate) fn look(target: &Target, answer: &Completion, question: &PlannedQuestion) -> Option<Reading> {
    let suspect = answer.text.len() < 2_000 || answer.finish == Finish::Truncated;
    suspect.then(|| read(target, &Answer::of(answer, &question.text)))
}

/// A turn and its continuation, which come as two answers.
fn resumed(mut first: Completion, second: Completion) -> Completion {
    first.text.push_str(&second.text);
    first.citations.extend(second.citations);
    let searched = match first.retrieval.searched {
        Searched::Yes => first.retrieval,
        Searched::No | Searched::Unknown => second.retrieval,
    };
    Completion {
        text: first.text,
        citations: first.citations,
        usage: first.usage.and(second.usage),
        retrieval: searched,
        ..second
    }
}

/// The second answer if it searched, otherwise the first; with the usage of both.
fn better(first: Completion, second: Completion) -> Completion {
    let usage = first.usage.and(second.usage);
    let kept = match second.retrieval.searched {
        Searched::Yes => second,
        Searched::No | Searched::Unknown => first,
    };
    Completion { usage, ..kept }
}
