//! The states of a run.

/// The state of a scan or an audit, in every table, page and API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    pub const ALL: [Self; 6] = [
        Self::Queued,
        Self::Running,
        Self::Complete,
        Self::Partial,
        Self::Failed,
        Self::Cancelled,
    ];

    /// Returns its word in tables and APIs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it has not ended.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}
