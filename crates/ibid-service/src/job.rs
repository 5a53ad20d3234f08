//! What a caller wants done, and how it is paid for.

use ibid_engine::plan::Plan;
use ibid_provider::ProviderKey;
use ibid_store::Origin;

/// A piece of work, planned: its size and price are known.
#[derive(Debug)]
pub enum Job {
    /// Ask the models and score what they say.
    Scan(Box<Plan>),
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
}

/// Who wants to read a scan. A surface shows only its own scans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The bearer-authenticated API.
    V1,
}

impl Reader {
    /// Whether a scan of this origin is shown.
    pub(crate) fn may_read(&self, origin: &Origin) -> bool {
        match (self, origin) {
            (Self::V1, Origin::V1) => true,
            (Self::V1, Origin::Paid(_) | Origin::Workspace(_)) => false,
        }
    }
}
