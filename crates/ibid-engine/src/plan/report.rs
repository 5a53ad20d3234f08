//! A plan as callers see it.

use super::{Plan, PlannedQuestion, Slot};
use crate::slot::{BRANDED, OWN, RingPlaces};
use ibid_model::result::{MarketResult, QuestionPreview, RingPreview, ScanPlan};

/// The plan as callers see it.
pub(super) fn report(plan: &Plan) -> ScanPlan {
    ScanPlan {
        calls: count(plan.expected_calls()),
        until: plan.until(),
        estimated_cost_usd: plan.estimate().dollars(),
        models: plan.models().iter().map(|model| model.alias.clone()).collect(),
        language: plan.language().to_owned(),
        location: plan.place().map(|place| place.report.clone()),
        rings: plan.rings().iter().map(|ring| planned_ring(plan, ring)).collect(),
        questions: plan
            .questions()
            .iter()
            .map(|question| planned_question(plan, question))
            .collect(),
        branded: plan.is_branded(),
        warnings: plan.warnings().iter().chain(plan.branding()).cloned().collect(),
    }
}

fn planned_ring(plan: &Plan, ring: &RingPlaces) -> RingPreview {
    let is_in = |slot: Slot| slot.ring() == Some(ring.ring);
    let calls = plan
        .asked()
        .filter(|(question, _)| is_in(plan.questions[*question].slot));
    RingPreview {
        ring: ring.ring,
        from_km: ring.from_km,
        to_km: ring.to_km,
        markets: ring.markets.iter().map(MarketResult::label).collect(),
        calls: count(calls.count()),
        estimated_cost_usd: plan.cost_of(is_in).dollars(),
    }
}

fn planned_question(plan: &Plan, question: &PlannedQuestion) -> QuestionPreview {
    QuestionPreview {
        question_id: question.id.clone(),
        question_hash: question.hash(),
        ring: question.slot.ring(),
        market: plan.market(question.slot).map(MarketResult::label),
        template: question.template.to_string(),
        origin: match &*question.template {
            OWN | BRANDED => OWN.to_owned(),
            _ => "template".to_owned(),
        },
        kind: question.kind.as_deref().map(str::to_owned),
        model: question
            .model
            .and_then(|model| plan.models().get(model))
            .map(|model| model.alias.clone()),
        language: question.language.to_string(),
        question: question.text.clone(),
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
