//! The order and the job of a run, as the store keeps them for workers of any process.

use super::owner::RunOwner;
use crate::error::Error;
use crate::job::Job;
use ibid_model::{Product, ScanId, UsdMicros, WebhookId};
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
    /// Whether it is the audit of a page, which asks no model and has no events.
    #[serde(default)]
    pub(super) is_audit: bool,
}

impl OrderDocument {
    /// The product, as the operator counts it.
    pub(super) const fn product(&self) -> Product {
        match self.owner {
            RunOwner::Sold { product, .. } => product,
            RunOwner::Api(_) | RunOwner::Account(_) | RunOwner::Project(_) if self.is_audit => Product::Audit,
            RunOwner::Api(_) | RunOwner::Account(_) | RunOwner::Project(_) => Product::Scan,
        }
    }
}

/// The stored form of a job, or of the plan of a scan: compressed JSON.
pub(super) fn packed(job: &impl Serialize) -> Result<PackedAnswers, Error> {
    Ok(PackedAnswers::of(&serde_json::to_vec(job)?)?)
}

/// Reads the job of an open run. `None` if a program that stored no plans queued the run.
pub(super) async fn stored_job(db: &Db, id: ScanId, product: Product) -> Result<Option<Job>, Error> {
    let Some(stored) = db.call(move |store| store.run_plan(id)).await? else {
        return Ok(None);
    };
    let json = PackedAnswers::packed(stored).unpack()?;
    // A scan is stored as its plan.
    match serde_json::from_slice(&json) {
        Ok(job) => Ok(Some(job)),
        Err(_) => Ok(Some(Job::Scan(product, serde_json::from_slice(&json)?))),
    }
}
