//! The results of each model.

use super::Aggregate;
use crate::numbers::{ModelIdentity, Numbers, model_result, summary_of};
use crate::plan::Slot;
use crate::read::Reading;
use ibid_model::result::{AnswerSummary, ModelFailure, ModelResult};
use ibid_provider::{Completion, ErrorScope, ProviderError};
use std::collections::BTreeMap;

impl Aggregate<'_> {
    pub(super) fn models(&self, numbers: &Numbers<'_>) -> Vec<ModelResult> {
        let scores = numbers.models();
        let models = self.plan.models().iter().zip(&scores).enumerate();
        models
            .map(|(index, (model, scored))| {
                let identity = ModelIdentity {
                    alias: model.alias.clone(),
                    label: model.name.clone(),
                    resolved: self.resolved_model(index),
                };
                let failure = self.failure(index, scored.0.numbers.valid == 0);
                model_result(identity, scored, self.answers(index), failure)
            })
            .collect()
    }

    fn answers(&self, model: usize) -> Vec<AnswerSummary> {
        let home = self.home();
        let topics = self
            .plan
            .questions()
            .iter()
            .zip(self.readings.iter().zip(&self.calls))
            .filter(|(topic, _)| topic.slot == Slot::Core || Some(topic.slot) == home);
        let summary = |(topic, (row, calls)): (&crate::plan::PlannedQuestion, (&Vec<Reading>, &Vec<_>))| {
            let asked = topic.asked(self.plan.models().len());
            let at = asked.contains(&model).then(|| model - asked.start)?;
            let (reading, call): (_, &Result<Completion, ProviderError>) = (row.get(at)?, calls.get(at)?);
            let retrieval = call.as_ref().ok().map(|completion| completion.retrieval.clone());
            Some(summary_of(
                topic.id.clone(),
                Some(topic.hash()),
                reading,
                retrieval.unwrap_or_default(),
            ))
        };
        topics.filter_map(summary).collect()
    }

    /// The calls of one model, core and rings.
    fn calls_of(&self, model: usize) -> impl Iterator<Item = &Result<Completion, ProviderError>> {
        let calls = self.plan.asked().zip(self.calls.iter().flatten());
        calls.filter_map(move |((_, of), call)| (of == model).then_some(call))
    }

    /// The concrete model that answered most often.
    fn resolved_model(&self, model: usize) -> Option<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in self
            .calls_of(model)
            .filter_map(|call| call.as_ref().ok()?.model.as_deref())
        {
            *counts.entry(name).or_default() += 1;
        }
        counts
            .into_iter()
            .max_by_key(|(_, count)| *count)
            .map(|(name, _)| name.to_owned())
    }

    /// The reason why a model has no score or was stopped early.
    fn failure(&self, model: usize, nothing_valid: bool) -> Option<ModelFailure> {
        let errors = self.calls_of(model).filter_map(|call| call.as_ref().err());
        let worst = errors.max_by_key(|error| error.scope())?;
        (nothing_valid || worst.scope() > ErrorScope::Question).then(|| ModelFailure {
            code: worst.code().to_owned(),
            message: worst.to_string(),
        })
    }
}
