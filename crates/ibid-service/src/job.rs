//! What a caller wants done, and how it is paid for.

use crate::page::PageOrder;
use crate::paid::Offer;
use ibid_engine::plan::Plan;
use ibid_model::{AccountId, Product, UsdMicros};
use ibid_provider::ProviderKey;
use ibid_store::Origin;
use std::net::IpAddr;
use std::time::Duration;

/// A piece of work, planned: its size and price are known.
#[derive(Debug)]
pub enum Job {
    /// Ask the models and score what they say.
    Scan(Box<Plan>),
    /// The same with rings around a place, sold as a product of its own.
    Radius(Box<Plan>),
    /// Audit a page.
    Audit(PageOrder),
    /// Audit a page, then ask the models.
    Full(Box<Plan>, PageOrder),
}

/// Longest time that a page audit takes: the fetch, the small files, the checks.
const AUDIT_TIME: Duration = Duration::from_secs(60);

impl Job {
    /// Its questions; none for an audit.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Scan(plan) | Self::Radius(plan) | Self::Full(plan, _) => Some(plan),
            Self::Audit(_) => None,
        }
    }

    /// What it is sold as.
    #[must_use]
    pub fn product(&self) -> Product {
        match self {
            Self::Scan(_) => Product::Scan,
            Self::Radius(_) => Product::Radius,
            Self::Audit(_) => Product::Audit,
            Self::Full(..) => Product::Full,
        }
    }

    /// How many questions are asked.
    pub(crate) fn questions(&self) -> usize {
        self.plan().map_or(0, Plan::len)
    }

    /// How many pages are audited.
    pub(crate) fn audits(&self) -> usize {
        match self {
            Self::Scan(_) | Self::Radius(_) => 0,
            Self::Audit(_) | Self::Full(..) => 1,
        }
    }

    /// What they cost at the provider, about.
    pub(crate) fn estimate(&self) -> UsdMicros {
        self.plan().map_or(UsdMicros::ZERO, Plan::estimate)
    }

    /// How long it may take.
    pub(crate) fn time_limit(&self) -> Duration {
        let page = match self {
            Self::Scan(_) | Self::Radius(_) => Duration::ZERO,
            Self::Audit(_) | Self::Full(..) => AUDIT_TIME,
        };
        self.plan().map_or(Duration::ZERO, Plan::time_limit) + page
    }
}

/// How a caller means to pay. Untrusted until admitted.
#[derive(Debug)]
pub enum Billing {
    /// The caller's own provider key pays the models; the service charges nothing.
    Byok {
        /// Whose limits apply.
        caller: CallerId,
        /// The key.
        key: ProviderKey,
    },
    /// The caller buys the result; the operator's key pays the models.
    Payment(Box<Offer>),
    /// An account of the workspace spends a credit; the operator's key pays the models. A page audit takes none.
    Credit(AccountId),
    /// The free question; the operator's key pays the model.
    Demo {
        /// Whose share of the day it is taken from.
        address: IpAddr,
    },
}

/// Whose limits apply to a call. Holds no secret: a name such as "api".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallerId(String);

impl CallerId {
    /// The holder of the one key the server is configured with.
    #[must_use]
    pub fn api() -> Self {
        Self("api".to_owned())
    }

    /// An account of the workspace.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self(format!("account {account}"))
    }
}

/// Who wants to read a scan. A surface shows only its own scans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The bearer-authenticated API.
    V1,
    /// Whoever knows the id of something that was bought.
    Buyer,
    /// An account of the workspace, or whoever has a public link of its making.
    Account(AccountId),
    /// Whoever knows the id of a free question.
    Demo,
}

impl Reader {
    /// Whether a scan of this origin is shown.
    pub(crate) fn may_read(&self, origin: &Origin) -> bool {
        match (self, origin) {
            (Self::V1, Origin::V1) | (Self::Buyer, Origin::Paid(_)) | (Self::Demo, Origin::Demo) => true,
            (Self::Account(reader), Origin::Workspace(owner)) => reader == owner,
            (Self::V1, Origin::Paid(_) | Origin::Workspace(_) | Origin::Demo)
            | (Self::Buyer, Origin::V1 | Origin::Workspace(_) | Origin::Demo)
            | (Self::Account(_), Origin::V1 | Origin::Paid(_) | Origin::Demo)
            | (Self::Demo, Origin::V1 | Origin::Paid(_) | Origin::Workspace(_)) => false,
        }
    }
}
