//! Scans of accounts: for a credit, in the background, watched by whoever wants to.
//!
//! ```text
//! plan -> cost cap -> capacity -> credit taken, scan noted -> run -> result and receipt kept
//!                                                          \-> failed or stopped: noted, credit given back
//! ```
//! From the credit on the scan is a task of the service, so the page may be closed. Its lease is renewed while it is at
//! work; when the process is gone the lease ends, and any process gives the credit back.

mod library;
mod live;
mod run;
mod watch;

pub use library::{Found, HistoryQuery, Shared};
pub(crate) use live::LiveRuns;
pub use live::{LiveAnswer, ModelCount, RingCount, Standing};
pub(crate) use run::{spend, watch_over};
pub use watch::{RunOver, Watched};

use ibid_model::UsdMicros;
use ibid_provider::ProviderKey;
use std::fmt;
use std::time::Duration;

/// What a service needs to work for accounts.
pub struct WorkspaceRuns {
    /// The operator's key, which pays the models. Without it pages are audited and nothing is scanned.
    pub key: Option<ProviderKey>,
    /// What one scan may cost the operator at the provider.
    pub most_cost: UsdMicros,
    /// How long a scan stays with a process that shows no sign of life.
    pub lease: Duration,
}

impl WorkspaceRuns {
    /// What a scan may cost unless the operator says otherwise: $2.50.
    pub const USUAL_COST: UsdMicros = UsdMicros::new(2_500_000);
    /// How long a lease lasts unless somebody says otherwise.
    pub const USUAL_LEASE: Duration = Duration::from_secs(10);

    /// The usual settings, paid with this key.
    #[must_use]
    pub fn new(key: ProviderKey) -> Self {
        Self {
            key: Some(key),
            ..Self::default()
        }
    }
}

impl Default for WorkspaceRuns {
    /// The usual settings, without a key.
    fn default() -> Self {
        Self {
            key: None,
            most_cost: Self::USUAL_COST,
            lease: Self::USUAL_LEASE,
        }
    }
}

impl fmt::Debug for WorkspaceRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkspaceRuns")
            .field("most_cost", &self.most_cost)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}
