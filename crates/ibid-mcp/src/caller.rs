//! Who sends a message.

use ibid_provider::ProviderKey;
use ibid_service::{Caller, CallerId, ProjectReader, Reader};

/// Who sends a message, as the transport has authenticated it. No `Debug`, because it may hold a key.
#[derive(Clone)]
pub enum McpCaller {
    /// A caller without a key. It can plan, look up and score, buy, and read results that were bought. `None` where the
    /// transport does not sell.
    Anonymous(Option<Buyer>),
    /// A caller with a service key.
    Holder {
        /// The caller whose limits apply.
        id: CallerId,
        /// The key that pays the models; `None` if the caller sent no key.
        key: Option<ProviderKey>,
    },
    /// A caller whose key opens projects alone, such as `ibidp_…`.
    Project(ProjectReader),
}

/// A caller who may buy. No `Debug`, because it may hold a signed payment.
#[derive(Clone)]
pub struct Buyer {
    /// The caller, whose refused payments are limited.
    pub caller: Caller,
    /// The payment as JSON, if one came with the message.
    pub payment: Option<String>,
}

impl McpCaller {
    /// Returns which stored scans this caller may read.
    pub(crate) const fn reader(&self) -> Reader {
        match self {
            Self::Anonymous(_) | Self::Project(_) => Reader::Buyer,
            Self::Holder { .. } => Reader::V1,
        }
    }

    /// Returns the caller, if it has a service key.
    pub(crate) const fn holder(&self) -> Option<&CallerId> {
        match self {
            Self::Anonymous(_) | Self::Project(_) => None,
            Self::Holder { id, .. } => Some(id),
        }
    }

    pub(crate) const fn projects(&self) -> Option<ProjectReader> {
        match self {
            Self::Project(reader) => Some(*reader),
            Self::Anonymous(_) | Self::Holder { .. } => None,
        }
    }
}
