//! What this process remembers for sign-ins.

use super::openid::SignInTerms;
use super::password::Hashing;
use ibid_store::Millis;
use std::sync::{Mutex, PoisonError};
use tokio::sync::OnceCell;

/// What happened at a sign-in by the provider, in a sentence for admins.
#[derive(Clone, Debug)]
pub struct SignInNote {
    pub at: Millis,
    pub text: String,
}

/// What sign-ins share: turns for hashing, and the secret that signs cookies of known devices.
/// The store counts failures.
#[derive(Debug, Default)]
pub(crate) struct SignInGuard {
    pub(crate) hashing: Hashing,
    pub(super) terms: SignInTerms,
    pub(super) device_secret: OnceCell<[u8; 32]>,
    /// What admins read about sign-ins by the provider since the start, the newest first: as many as fit on a page.
    notes: Mutex<[Option<SignInNote>; 20]>,
}

impl SignInGuard {
    pub(crate) fn new(terms: SignInTerms) -> Self {
        Self {
            terms,
            ..Self::default()
        }
    }

    pub(super) fn note(&self, note: SignInNote) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.rotate_right(1);
        notes[0] = Some(note);
    }

    pub(super) fn notes(&self) -> Vec<SignInNote> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.iter().flatten().cloned().collect()
    }
}
