//! The order of a queued scan, as the store keeps it for workers of any process.

use super::owner::RunOwner;
use ibid_engine::plan::Plan;
use ibid_model::{UsdMicros, WebhookId};
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
    /// The questions and models that the numbers of calls stand for.
    pub(super) plan: String,
    /// Whether the operator's key pays. That key is not stored: each worker takes it from its settings.
    #[serde(default)]
    pub(super) operator_pays: bool,
    pub(super) deadline: Option<Timestamp>,
    pub(super) max_cost: Option<UsdMicros>,
    /// The one subscription that gets its events.
    pub(super) webhook: Option<WebhookId>,
}

/// Names the questions and the models of a plan. Kept calls belong to the plan whose name is the same.
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
