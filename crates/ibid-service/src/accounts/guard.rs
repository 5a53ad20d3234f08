//! The state of sign-ins.

use super::password::Hashing;
use super::throttle::Throttle;

/// The state of sign-ins: turns for hashing, and counts of failures.
#[derive(Debug, Default)]
pub(crate) struct SignInGuard {
    pub(super) hashing: Hashing,
    pub(super) throttle: Throttle,
}
