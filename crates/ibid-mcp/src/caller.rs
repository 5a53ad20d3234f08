//! The sender of a message.

use ibid_provider::ProviderKey;
use ibid_service::{CallerId, Reader};

/// The sender of a message, as the transport has authenticated it. No `Debug`: it may hold a key.
#[derive(Clone)]
pub enum McpCaller {
    /// A caller without a key. It can plan, look up and score, and read results that were bought.
    Anonymous,
    /// The holder of a service key.
    Holder {
        /// The caller whose limits apply.
        id: CallerId,
        /// The key that pays the models; `None` when the caller sent none.
        key: Option<ProviderKey>,
    },
}

impl McpCaller {
    /// The reader of stored scans.
    pub(crate) const fn reader(&self) -> Reader {
        match self {
            Self::Anonymous => Reader::Buyer,
            Self::Holder { .. } => Reader::V1,
        }
    }

    /// The holder of the service key.
    pub(crate) const fn holder(&self) -> Option<&CallerId> {
        match self {
            Self::Anonymous => None,
            Self::Holder { id, .. } => Some(id),
        }
    }
}
