//! The state of sign-ins.

use super::openid::SignInTerms;
use super::password::Hashing;
use tokio::sync::OnceCell;

/// The state of sign-ins: turns for hashing, and the secret that signs cookies of known devices.
/// The store counts failures.
#[derive(Debug, Default)]
pub(crate) struct SignInGuard {
    pub(crate) hashing: Hashing,
    pub(super) terms: SignInTerms,
    pub(super) device_secret: OnceCell<[u8; 32]>,
}

impl SignInGuard {
    pub(crate) fn new(terms: SignInTerms) -> Self {
        Self {
            terms,
            ..Self::default()
        }
    }
}
