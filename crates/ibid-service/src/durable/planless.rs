//! Orders of a program that stored no plans. Their plans are made again.

use super::document::RunOwner;
use crate::error::Error;
use crate::planner::PlanBounds;
use crate::planner::Planner;
use ibid_engine::plan::Plan;
use ibid_model::ScanDraft;
use ibid_model::result::Warning;
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// An order whose run has no plan.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PlanlessOrder {
    owner: RunOwner,
    /// The order as it came, without keys.
    order: Map<String, Value>,
    plan: String,
    /// How many markets an order may have that was fitted to its price.
    most_markets: Option<u8>,
    /// The warnings about the request as it came.
    #[serde(default)]
    notes: Vec<Warning>,
}

impl PlanlessOrder {
    pub(super) async fn planned(&self, planner: &Planner) -> Result<Plan, Error> {
        let bounds = self.most_markets.map_or(PlanBounds::None, PlanBounds::Markets);
        let draft = ScanDraft(&self.order);
        let plan = planner.plan_within(draft, self.owner.form(), bounds).await?;
        Ok(plan.noted(self.notes.clone()))
    }

    /// Returns whether stored calls have their questions and models in this plan.
    pub(super) fn is_of(&self, plan: &Plan) -> bool {
        let mut hash = Sha256::new();
        let models = plan.models().iter().map(|model| model.alias.as_str());
        let texts = plan.questions().iter().map(|question| question.text.as_str());
        for text in models.chain(["\n"]).chain(texts) {
            hash.update(text.len().to_le_bytes());
            hash.update(text);
        }
        let name: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        name == self.plan
    }
}
