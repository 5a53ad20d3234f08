//! Jobs, and those for whom they are done.

use crate::page::PageOrder;
use ibid_engine::plan::Plan;
use ibid_model::result::OfferedPlan;
use ibid_model::{AccountId, Product, ProjectId, UsdMicros};
use ibid_store::{KeyName, Origin, RunSubject};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A planned piece of work. Its size and price are known.
#[derive(Debug, Serialize, Deserialize)]
pub enum Job {
    /// Ask the models and score their answers.
    Scan(Product, Box<Plan>),
    Audit(PageOrder),
    /// Audit a page, then ask the models.
    Full(Box<Plan>, PageOrder),
}

/// Longest time that a page audit takes: the fetch, the small files, the checks.
const AUDIT_TIME: Duration = Duration::from_secs(60);
/// Longest time that the requests in the names of several agents add.
const BOT_TIME: Duration = Duration::from_secs(60);

impl Job {
    /// A scan that is not sold, or sold as such.
    pub fn scan(plan: Plan) -> Self {
        Self::Scan(Product::Scan, Box::new(plan))
    }

    /// Its questions, or `None` for an audit.
    pub fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Scan(_, plan) | Self::Full(plan, _) => Some(plan),
            Self::Audit(_) => None,
        }
    }

    /// Takes its questions, or `None` for an audit.
    pub(crate) fn into_plan(self) -> Option<Plan> {
        match self {
            Self::Scan(_, plan) | Self::Full(plan, _) => Some(*plan),
            Self::Audit(_) => None,
        }
    }

    /// The page that it audits.
    pub(crate) fn page(&self) -> Option<&PageOrder> {
        match self {
            Self::Audit(page) | Self::Full(_, page) => Some(page),
            Self::Scan(..) => None,
        }
    }

    pub fn product(&self) -> Product {
        match self {
            Self::Scan(product, _) => *product,
            Self::Audit(_) => Product::Audit,
            Self::Full(..) => Product::Full,
        }
    }

    /// The work in the words of an offer, or `None` for an audit.
    pub(crate) fn offered(&self) -> Option<OfferedPlan> {
        let plan = self.plan()?;
        Some(OfferedPlan {
            answers: u32::try_from(plan.len()).unwrap_or(u32::MAX),
            expected_width: (100.0 * plan.expected_width()).round(),
            warnings: plan.warnings().to_vec(),
        })
    }

    /// The properties by which its run is found, without tag, schedule and batch.
    pub(crate) fn subject(&self) -> RunSubject<'static> {
        match (self.plan(), self.page()) {
            (Some(plan), _) => subject_of(plan),
            (None, page) => RunSubject {
                domain: page.map(|page| page.host()).unwrap_or_default().into(),
                ..RunSubject::default()
            },
        }
    }

    pub(crate) fn questions(&self) -> usize {
        self.plan().map_or(0, Plan::len)
    }

    /// Counts audited pages: one or none.
    pub(crate) fn audits(&self) -> usize {
        usize::from(self.page().is_some())
    }

    /// Their approximate cost at the provider.
    pub(crate) fn estimate(&self) -> UsdMicros {
        self.plan().map_or(UsdMicros::ZERO, Plan::estimate)
    }

    /// The longest time that it may take.
    pub(crate) fn time_limit(&self) -> Duration {
        let page = self.page().map_or(Duration::ZERO, |page| match page.bots() {
            true => AUDIT_TIME + BOT_TIME,
            false => AUDIT_TIME,
        });
        self.plan().map_or(Duration::ZERO, Plan::time_limit) + page
    }
}

/// The properties by which the run of a plan is found, without tag, schedule and batch.
pub(crate) fn subject_of(plan: &Plan) -> RunSubject<'static> {
    let ordered = plan.order();
    RunSubject {
        domain: ordered.domain().to_string().into(),
        keyword: ordered.keyword().to_string().into(),
        place: ordered.location().map(|place| place.as_str().to_owned().into()),
        ..RunSubject::default()
    }
}

/// The caller whose limits apply to a call.
/// Holds a name such as "api" and no secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallerId(String);

impl CallerId {
    /// Who holds the one key the server is configured with.
    pub fn api() -> Self {
        Self("api".to_owned())
    }

    /// The visitors who ask the free question.
    pub(crate) fn visitors() -> Self {
        Self("visitors".to_owned())
    }

    /// The name that the store has for the caller's pinned runs, apart from the queued ones.
    pub(crate) fn pinned(&self) -> Self {
        Self(format!("{}, at once", self.0))
    }

    /// Who holds a named service key, such as `key shop`.
    pub(crate) fn of_key(name: &KeyName) -> Self {
        Self(format!("key {name}"))
    }

    /// Returns the name of the service key that this caller holds.
    pub(crate) fn key_name(&self) -> Option<&str> {
        self.0.strip_prefix("key ")
    }

    /// Reads a name that [`Self::as_str`] gave.
    pub(crate) fn stored(name: &str) -> Self {
        Self(name.to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// A project, which owns its runs.
    pub(crate) fn of_project(project: ProjectId) -> Self {
        Self(format!("project {project}"))
    }

    pub fn of(account: AccountId) -> Self {
        Self(format!("account {account}"))
    }
}

/// Who reads a scan. A surface shows only its own scans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The bearer-authenticated API.
    V1,
    /// A caller of the bearer-authenticated API, for its queued scans.
    V2(CallerId),
    /// A caller who knows the id of a purchase.
    Buyer,
    /// An account of the workspace, or a caller with its public link.
    Account(AccountId),
    /// A caller who knows the id of a free question.
    Demo,
    ProjectRun(RunProof),
}

/// The proof that a scan is a run of a project that its reader may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunProof(());

impl RunProof {
    /// For `projects`, which has asked the store.
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

impl Reader {
    /// Whether a scan of this origin is shown.
    pub(crate) fn may_read(&self, origin: &Origin) -> bool {
        match (self, origin) {
            (Self::V1, Origin::V1) | (Self::Buyer, Origin::Paid(_)) | (Self::Demo, Origin::Demo) => true,
            (Self::Account(reader), Origin::Workspace(owner)) => reader == owner,
            (Self::V2(reader), Origin::V2(owner)) => reader.as_str() == owner,
            // What ran before there was a project is a scan of an account.
            (Self::ProjectRun(_), Origin::V2(_) | Origin::Workspace(_)) => true,
            // Whatever is not said above stays hidden, also what a later surface stores.
            _ => false,
        }
    }
}
