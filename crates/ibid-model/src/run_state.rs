//! How far a run has come.

use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Where a scan or an audit stands, by the same word in every table, page and API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// No worker has taken it up.
    Queued,
    /// A worker has taken it up.
    Running,
    /// Ended, with an answer to every call.
    Complete,
    /// Ended, with answers to some calls.
    Partial,
    /// Ended without a result.
    Failed,
    /// Ended by its caller, with a result if answers had come.
    Cancelled,
}

impl RunState {
    /// Every state.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Returns its word in tables and APIs.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether it has not ended.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}
