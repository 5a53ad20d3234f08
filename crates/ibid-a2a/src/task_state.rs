//! Task states on the wire.

use serde::Serialize;
use std::fmt;

/// Task states that this service uses.
///
/// `auth-required` and `unknown` never occur: payments are asked for in `input-required`, and there are no keys.
/// `rejected` never occurs: an impossible request is an error without a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum TaskState {
    /// Opened, before a decision. Never stored.
    Submitted,
    /// Paid for, and under way.
    Working,
    /// A request, or a payment, is missing.
    InputRequired,
    /// There is a result.
    Completed,
    /// Ended before it was paid for.
    Canceled,
    /// The work failed, and the client was not charged.
    Failed,
}

impl TaskState {
    /// Whether no further step is possible.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Canceled | Self::Failed => true,
            Self::Submitted | Self::Working | Self::InputRequired => false,
        }
    }

    /// Whether a stream ends here and a blocking call returns: the task has ended, or waits for its client.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Completed | Self::Canceled | Self::Failed | Self::InputRequired => true,
            Self::Submitted | Self::Working => false,
        }
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
