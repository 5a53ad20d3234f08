//! The owners of queued scans.

use crate::job::{CallerId, Reader};
use ibid_model::{AccountId, Product, ProjectId, ScanForm};
use serde::{Deserialize, Serialize};

/// The owner of a queued scan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RunOwner {
    /// A caller of the API.
    Api(CallerId),
    /// An account of the workspace.
    Account(AccountId),
    /// A project. The operator's key pays.
    Project(ProjectId),
    /// A buyer.
    Sold {
        /// The wallet that pays.
        payer: String,
        /// The product.
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

    /// The form of the owner's orders, which decides about their defaults.
    pub(super) fn form(&self) -> ScanForm {
        match self {
            Self::Api(_) => ScanForm::Byok,
            Self::Account(_) => ScanForm::Workspace,
            Self::Project(_) => ScanForm::Project,
            Self::Sold { product, .. } => product.form().unwrap_or(ScanForm::Scan),
        }
    }

    /// The reader of the owner's scans.
    pub(crate) fn reader(&self) -> Reader {
        match self {
            Self::Api(caller) => Reader::V2(caller.clone()),
            Self::Account(account) => Reader::Account(*account),
            Self::Project(_) => Reader::V2(self.tenant()),
            Self::Sold { .. } => Reader::Buyer,
        }
    }
}
