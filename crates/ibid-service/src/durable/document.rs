//! The order of a queued scan, as the store keeps it for workers of any process.

use super::owner::RunOwner;
use crate::Error;
use crate::plan_room::PlanBounds;
use crate::planner::Planner;
use ibid_engine::plan::Plan;
use ibid_model::result::Warning;
use ibid_model::{ScanDraft, UsdMicros, WebhookId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// An order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderDocument {
    pub(super) owner: RunOwner,
    /// The order as it came, without keys.
    pub(super) order: Map<String, Value>,
    /// The questions and models of the numbered calls.
    pub(super) plan: String,
    /// Whether the operator's key pays.
    /// It is not stored: each worker takes it from its settings.
    #[serde(default)]
    pub(super) operator_pays: bool,
    pub(super) deadline: Option<Timestamp>,
    pub(super) max_cost: Option<UsdMicros>,
    /// The one subscription that gets its events.
    pub(super) webhook: Option<WebhookId>,
    /// The most markets of an order that was fitted to its price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) most_markets: Option<u8>,
    /// The warnings about the request as it came.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<Warning>,
}

impl OrderDocument {
    /// Plans the order again.
    pub(super) async fn planned(&self, planner: &Planner) -> Result<Plan, Error> {
        let bounds = self.most_markets.map_or(PlanBounds::None, PlanBounds::Markets);
        let draft = ScanDraft(&self.order);
        let plan = planner.plan_within(draft, self.owner.form(), bounds).await?;
        Ok(plan.noted(self.notes.clone()))
    }
}

/// Names the questions and the models of a plan.
/// Kept calls belong to the plan whose name is the same.
pub(super) fn name_of(plan: &Plan) -> String {
    let mut hash = Sha256::new();
    let models = plan.models().iter().map(|model| model.alias.as_str());
    let texts = plan.questions().iter().map(|question| question.text.as_str());
    for text in models.chain(["\n"]).chain(texts) {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
