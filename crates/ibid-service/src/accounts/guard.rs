//! The state of sign-ins.

use super::password::Hashing;
use tokio::sync::OnceCell;

/// The state of sign-ins: turns for hashing, and the secret that signs cookies of known devices.
/// The store counts failures.
#[derive(Debug, Default)]
pub(crate) struct SignInGuard {
    pub(crate) hashing: Hashing,
    pub(super) device_secret: OnceCell<[u8; 32]>,
}
