//! What the store keeps for workers in any process: a run's order, its job, its owner and its end.

use crate::error::Error;
use crate::job::{CallerId, Job, Reader};
use crate::webhooks::{EventMessage, RunNotice};
use ibid_model::{
    AccountId, Product, ProjectId, RunState, ScanForm, ScanId, ScanResult, UsdMicros, WebhookId,
};
use ibid_store::{Db, DurableRunView, NewDelivery, PackedAnswers, StoreError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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

/// Packs a job, or a scan's plan, as compressed JSON.
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

/// Tells an owner that a run has ended. `None` for an audit, which has no events.
pub(super) fn message_of(
    run: &DurableRunView,
    document: Option<&OrderDocument>,
    state: RunState,
    error: Option<&str>,
    result: Option<&ScanResult>,
) -> Option<EventMessage> {
    if document.is_some_and(|document| document.is_audit) {
        return None;
    }
    EventMessage::run_ended(&RunNotice {
        id: run.id,
        state,
        error,
        domain: &run.subject.domain,
        keyword: &run.subject.keyword,
        tag: run.subject.tag.as_deref(),
        schedule: run.subject.schedule,
        result,
        ended_at: Timestamp::now(),
    })
}

/// Calls `end` with what tells the owner that a run ends without a result.
pub(super) fn on_end<T>(
    run: &DurableRunView,
    state: RunState,
    code: &str,
    end: impl FnOnce(&[NewDelivery<'_>]) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let document: Option<OrderDocument> = serde_json::from_slice(&run.document).ok();
    let message = message_of(run, document.as_ref(), state, Some(code), None);
    let only = document.as_ref().and_then(|document| document.webhook);
    let notices = message.iter().map(|message| message.to(&run.tenant, only));
    end(&notices.collect::<Vec<_>>())
}

/// Who owns a queued scan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RunOwner {
    Api(CallerId),
    Account(AccountId),
    /// A project. The operator's key pays.
    Project(ProjectId),
    Sold {
        /// The wallet that pays.
        payer: String,
        product: Product,
    },
}

impl RunOwner {
    /// The name under which the owner shares workers with others.
    pub(crate) fn tenant(&self) -> CallerId {
        match self {
            Self::Api(caller) => caller.clone(),
            Self::Account(account) => CallerId::of(*account),
            Self::Project(project) => CallerId::of_project(*project),
            Self::Sold { payer, .. } => CallerId::stored(&format!("buyer {payer}")),
        }
    }

    /// Whether the scan is sold.
    pub(super) const fn is_buyer(&self) -> bool {
        matches!(self, Self::Sold { .. })
    }

    /// Returns in which form the owner orders, which decides about defaults.
    pub(super) fn form(&self) -> ScanForm {
        match self {
            Self::Api(_) => ScanForm::Byok,
            Self::Account(_) => ScanForm::Workspace,
            Self::Project(_) => ScanForm::Project,
            Self::Sold { product, .. } => product.form().unwrap_or(ScanForm::Scan),
        }
    }

    /// Returns as whom the owner reads scans.
    pub(crate) fn reader(&self) -> Reader {
        match self {
            Self::Api(caller) => Reader::V2(caller.clone()),
            Self::Account(account) => Reader::Account(*account),
            Self::Project(_) => Reader::V2(self.tenant()),
            Self::Sold { .. } => Reader::Buyer,
        }
    }
}
