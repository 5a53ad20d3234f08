//! What each model adds to a result: its scores, its answers at home, and why it failed.

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
                    substituted: self.substitute(index).is_some(),
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

    /// Calls to one model, core and rings.
    fn calls_of(&self, model: usize) -> impl Iterator<Item = &Result<Completion, ProviderError>> {
        let calls = self.plan.asked().zip(self.calls.iter().flatten());
        calls.filter_map(move |((_, of), call)| (of == model).then_some(call))
    }

    /// The concrete model that answered most often.
    fn resolved_model(&self, model: usize) -> Option<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let answers = self.calls_of(model).filter_map(|call| call.as_ref().ok());
        for name in answers.filter_map(|answer| answer.model.as_deref()) {
            *counts.entry(name).or_default() += 1;
        }
        counts
            .into_iter()
            .max_by_key(|(_, count)| *count)
            .map(|(name, _)| name.to_owned())
    }

    /// The concrete model that answered in place of the one asked for.
    pub(super) fn substitute(&self, model: usize) -> Option<String> {
        let candidates = &self.plan.models().get(model)?.candidates;
        self.resolved_model(model)
            .filter(|resolved| !candidates.iter().any(|asked| is_same(asked, resolved)))
    }

    /// The reason why a model has no score or was stopped early.
    fn failure(&self, model: usize, nothing_valid: bool) -> Option<ModelFailure> {
        let errors = self.calls_of(model).filter_map(|call| call.as_ref().err());
        let worst = errors
            .max_by_key(|error| error.scope())
            .or_else(|| nothing_valid.then_some(&ProviderError::Unfinished))?;
        (nothing_valid || worst.scope() > ErrorScope::Question).then(|| ModelFailure {
            code: worst.code().to_owned(),
            message: worst.to_string(),
            remedy: worst.cause().remedy.clone(),
        })
    }
}

/// Whether a provider's name of the model that answered fits the one asked for: the same words and version, in the spelling
/// of any vendor, with a date or build where the one asked for names none.
fn is_same(asked: &str, resolved: &str) -> bool {
    let parts = |id: &str| -> Vec<String> {
        let name = id.rsplit('/').next().unwrap_or(id).to_lowercase();
        let name = name.split([':', '@']).next().unwrap_or_default().to_owned();
        let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let floating = |part: &str| {
        matches!(
            part,
            "latest" | "auto" | "online" | "preview" | "exp" | "experimental" | "beta" | "chat" | "instruct"
        )
    };
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    let (asked, mut rest) = (parts(asked), parts(resolved));
    // An alias without a version, and a name that only chooses, takes any.
    let open = asked.iter().any(|part| part == "latest") || !asked.iter().any(|part| is_number(part));
    let chooses = asked.iter().all(|part| floating(part));
    let kept = asked.iter().filter(|part| !floating(part)).all(|part| {
        let at = rest.iter().position(|other| other == part);
        at.map(|at| rest.remove(at)).is_some()
    });
    // Behind a date, months and days follow.
    let dated = rest.iter().any(|part| is_number(part) && part.len() >= 3);
    let added = rest.iter().all(|part| {
        floating(part) || is_number(part) && (open || dated || part.len() >= 3) || is_build(part)
    });
    chooses || kept && added
}

/// Whether a part of a name is a build, such as `v2` or `fp8`.
fn is_build(part: &str) -> bool {
    ["v", "fp", "int", "bf"].iter().any(|start| {
        part.strip_prefix(start)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn a_model_is_known_by_its_words_and_its_version() {
        for (asked, resolved) in [
            ("a/one", "a/one"),
            ("a/one", "a/one-2026-11-01"),
            ("openai/gpt-6", "gpt-6-2026-01-01"),
            ("openai/gpt-6", "azure/gpt-6"),
            ("anthropic/claude-opus-5.5", "claude-opus-5-5-20260901"),
            ("~openai/gpt-latest", "openai/gpt-6.1"),
            ("~google/gemini-flash-latest", "google/gemini-4-flash-preview"),
            (
                "mistralai/mistral-small",
                "mistralai/mistral-small-3.2-24b-instruct",
            ),
            ("deepseek/deepseek-v4:online", "deepseek/deepseek-v4"),
            ("google/gemini-4-pro", "gemini-4-pro-001"),
            ("openrouter/auto", "x/anything-3"),
        ] {
            assert!(is_same(asked, resolved), "{asked} {resolved}");
        }
        for (asked, resolved) in [
            ("a/one", "mistralai/mistral-small"),
            ("openai/gpt-6", "openai/gpt-6-mini"),
            ("openai/gpt-6", "openai/gpt-5"),
            ("openai/gpt-6", "openai/gpt-6.1"),
            ("~anthropic/claude-opus-latest", "anthropic/claude-haiku-5"),
            ("perplexity/sonar-pro", "perplexity/sonar"),
        ] {
            assert!(!is_same(asked, resolved), "{asked} {resolved}");
        }
    }
}
