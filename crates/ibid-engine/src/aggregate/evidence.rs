//! Keeps what a result was read from, one entry a call, so that it can be explained and scored again.

use super::Aggregate;
use crate::evidence::{Evidence, EvidenceAnswer, EvidenceMethod};
use crate::plan::PlannedQuestion;
use crate::read::Reading;
use crate::score::METHOD_VERSION;
use ibid_model::result::MarketResult;
use ibid_model::{Model, ScanId};
use ibid_provider::{Completion, ProviderError};

impl Aggregate<'_> {
    pub(super) fn into_evidence(self, scan_id: ScanId) -> Evidence {
        let plan = self.plan;
        let mut answers = Vec::with_capacity(plan.len());
        for ((topic, calls), readings) in plan.questions().iter().zip(self.calls).zip(self.readings) {
            let market = plan.market(topic.slot).map(MarketResult::label);
            let asked = plan
                .models()
                .get(topic.asked(plan.models().len()))
                .unwrap_or_default();
            for ((model, call), reading) in asked.iter().zip(calls).zip(readings) {
                answers.push(answer(topic, model, market.clone(), call, reading));
            }
        }
        Evidence {
            scan_id,
            domain: plan.order().domain().clone(),
            websites: Some(plan.order().websites())
                .filter(|websites| {
                    websites.len() > 1 || websites.iter().any(|website| !website.path().is_empty())
                })
                .unwrap_or_default(),
            keyword: plan.order().keyword().clone(),
            brand_names: plan.order().brand_names().to_vec(),
            not_names: plan.order().not_names().to_vec(),
            aliases: self.target.aliases().to_vec(),
            method: EvidenceMethod {
                version: METHOD_VERSION.to_owned(),
            },
            answers,
        }
    }
}

fn answer(
    topic: &PlannedQuestion,
    model: &Model,
    market: Option<String>,
    call: Result<Completion, ProviderError>,
    reading: Reading,
) -> EvidenceAnswer {
    let (completion, error) = match call {
        Ok(completion) => (completion, None),
        Err(error) => (Completion::default(), Some(error.code().to_owned())),
    };
    EvidenceAnswer {
        question_id: topic.id.clone(),
        model: model.alias.clone(),
        resolved_model: completion.model,
        ring: topic.slot.ring(),
        market,
        template: topic.template.to_string(),
        language: topic.language.to_string(),
        question: topic.text.clone(),
        finish: error.is_none().then_some(completion.finish),
        text: error.is_none().then_some(completion.text),
        citations: completion.citations,
        retrieval: completion.retrieval,
        reading: error.is_none().then_some(reading),
        error,
    }
}
