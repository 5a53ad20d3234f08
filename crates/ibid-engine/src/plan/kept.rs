//! The questions that a schedule keeps, so that its runs stay comparable when the program words questions otherwise.

use super::question::{PlannedQuestion, apart};
use super::{Plan, phrases};
use crate::evidence::Evidence;
use crate::slot::{BRANDED, OWN, Slot};
use ibid_model::result::MarketResult;
use ibid_model::{ModelAlias, Ring};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A question of an earlier plan, with its town by name: towns may have other positions in a later plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptQuestion {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ring: Option<Ring>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    market: Option<String>,
    template: String,
    language: String,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// The model that is asked; `None` if every model is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<ModelAlias>,
}

impl KeptQuestion {
    /// Reads a scan's questions back from its evidence.
    #[must_use]
    pub fn of_evidence(evidence: &Evidence) -> Vec<Self> {
        let mut asked: BTreeMap<&str, u32> = BTreeMap::new();
        let mut kept: Vec<Self> = Vec::new();
        for answer in &evidence.answers {
            let count = asked.entry(&answer.question_id).or_default();
            *count += 1;
            if *count == 1 {
                kept.push(Self {
                    id: answer.question_id.clone(),
                    ring: answer.ring,
                    market: answer.market.clone(),
                    template: answer.template.clone(),
                    language: answer.language.clone(),
                    text: answer.question.clone(),
                    kind: None,
                    model: Some(answer.model.clone()),
                });
            }
        }
        let models = evidence.answers.iter().map(|answer| &answer.model);
        let is_one_model = models.collect::<std::collections::BTreeSet<_>>().len() == 1;
        for question in &mut kept {
            if is_one_model || asked[question.id.as_str()] > 1 {
                question.model = None;
            }
        }
        kept
    }

    /// Whether it is a core question.
    pub const fn is_core(&self) -> bool {
        self.ring.is_none()
    }

    /// Finds the part in a plan that the question belongs to; `None` for a town that the plan does not have.
    fn slot_in(&self, plan: &Plan, is_apart: impl Fn(&str) -> bool) -> Option<Slot> {
        let Some(ring) = self.ring else {
            let is_own = [OWN, BRANDED].contains(&self.template.as_str());
            return Some(match is_own && is_apart(&self.text) {
                true => Slot::Branded,
                false => Slot::Core,
            });
        };
        let markets = &plan.rings.iter().find(|markets| markets.ring == ring)?.markets;
        let is_this = |market: &MarketResult| Some(market.label()) == self.market;
        let market = markets.iter().position(is_this)?;
        Some(Slot::Ring { ring, market })
    }

    /// Puts the question into a plan, at the same place as another question in its slot.
    fn planned(&self, plan: &Plan, like: &PlannedQuestion) -> PlannedQuestion {
        let id = match (like.slot, self.id.find('k')) {
            (Slot::Ring { ring, market }, Some(numbers)) => {
                format!("r{}m{}{}", ring.get(), market + 1, &self.id[numbers..])
            }
            _ => self.id.clone(),
        };
        let model = |alias: &ModelAlias| plan.models().iter().position(|model| model.alias == *alias);
        let mut scene = like.scene.clone();
        scene.language.clone_from(&self.language);
        let template = match (like.slot, self.template.as_str()) {
            (Slot::Branded, _) => BRANDED,
            (_, BRANDED) => OWN,
            (_, template) => template,
        };
        PlannedQuestion {
            id,
            slot: like.slot,
            template: template.to_owned().into(),
            language: self.language.clone().into(),
            text: self.text.clone(),
            kind: self.kind.clone().map(Cow::from),
            model: self.model.as_ref().and_then(model),
            is_new: false,
            place: like.place.clone(),
            scene,
        }
    }
}

impl Plan {
    /// The questions that every run asks, for later plans of the same order.
    pub fn kept(&self) -> Vec<KeptQuestion> {
        let kept = |question: &PlannedQuestion| KeptQuestion {
            id: question.id.clone(),
            ring: question.slot.ring(),
            market: self.market(question.slot).map(MarketResult::label),
            template: question.template.to_string(),
            language: question.language.to_string(),
            text: question.text.clone(),
            kind: question.kind.as_deref().map(str::to_owned),
            model: question
                .model
                .and_then(|model| Some(self.models().get(model)?.alias.clone())),
        };
        self.questions
            .iter()
            .filter(|question| !question.is_new)
            .map(kept)
            .collect()
    }

    /// The same plan with questions of an earlier one, besides those that are new in each run.
    /// Towns without a question in it keep this plan's, and questions about towns that this plan does not have are left out.
    #[must_use]
    pub fn asking(mut self, kept: &[KeptQuestion]) -> Self {
        let is_apart = apart(&self.order);
        let slots: Vec<(Slot, &KeptQuestion)> = kept
            .iter()
            .filter_map(|question| Some((question.slot_in(&self, &is_apart)?, question)))
            .collect();
        let mut questions: Vec<PlannedQuestion> = Vec::with_capacity(self.questions.len());
        let mut rest = self.questions.as_slice();
        while let Some(first) = rest.first() {
            let size = rest
                .iter()
                .take_while(|question| question.slot == first.slot)
                .count();
            let (own, after) = rest.split_at(size);
            rest = after;
            // Those for every run come first. A run from before the split panel had no new ones.
            let (every, new) = own.split_at(own.iter().take_while(|question| !question.is_new).count());
            let of_slot = slots.iter().filter(|(slot, _)| *slot == first.slot);
            let of_slot = of_slot.take(if new.is_empty() { usize::MAX } else { every.len() });
            let before = questions.len();
            questions.extend(of_slot.map(|(_, kept)| {
                let same = own.iter().find(|question| question.text == kept.text);
                kept.planned(&self, same.unwrap_or(first))
            }));
            if questions.len() == before {
                questions.extend_from_slice(every);
            }
            questions.extend_from_slice(new);
        }
        if let Some(first) = questions.first().filter(|question| question.slot == Slot::Core) {
            self.language.clone_from(&first.language);
        }
        self.questions = questions;
        self
    }

    /// Which words the questions come from, as [`templates`] tells for their language; "own" for a caller's questions.
    pub fn templates(&self) -> String {
        match self.order.questions().is_empty() {
            true => templates(&self.language),
            false => OWN_QUESTIONS.to_owned(),
        }
    }
}

const OWN_QUESTIONS: &str = "own";

/// Identifies a language's words: its tag, and its file's hash.
#[must_use]
pub fn templates(language: &str) -> String {
    let phrases = phrases::of(language).unwrap_or_else(phrases::english);
    format!("{} {:08x}", phrases.tag, phrases.version)
}

/// Whether this program words questions otherwise than the templates of an earlier plan.
#[must_use]
pub fn is_reworded(before: &str) -> bool {
    let tag = before.split(' ').next().unwrap_or_default();
    before != OWN_QUESTIONS && before != templates(tag)
}
