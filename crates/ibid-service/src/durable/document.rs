//! The order and the plan of a queued scan, as the store keeps them for workers of any process.

use super::owner::RunOwner;
use crate::Error;
use ibid_engine::plan::Plan;
use ibid_model::{ScanId, UsdMicros, WebhookId};
use ibid_store::{Db, PackedAnswers};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderDocument {
    pub(super) owner: RunOwner,
    /// Whether the operator's key pays.
    /// It is not stored: each worker takes it from its settings.
    #[serde(default)]
    pub(super) operator_pays: bool,
    pub(super) deadline: Option<Timestamp>,
    pub(super) max_cost: Option<UsdMicros>,
    /// The one subscription that gets its events.
    pub(super) webhook: Option<WebhookId>,
}

/// The stored form of a plan: compressed JSON.
pub(super) fn packed(plan: &Plan) -> Result<PackedAnswers, Error> {
    Ok(PackedAnswers::of(&serde_json::to_vec(plan)?)?)
}

/// Reads the plan of an open run. `None` if a program that stored no plans queued the run.
pub(super) async fn stored_plan(db: &Db, id: ScanId) -> Result<Option<Plan>, Error> {
    let Some(plan) = db.call(move |store| store.run_plan(id)).await? else {
        return Ok(None);
    };
    Ok(Some(serde_json::from_slice(
        &PackedAnswers::packed(plan).unpack()?,
    )?))
}
