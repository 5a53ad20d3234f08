//! The second step of signing in: the secret of an authenticator app, and recovery codes.

use crate::workspace::Change;
use crate::{Millis, StoreError};
use ibid_model::AccountId;

/// The second factor of an account. Its `Debug` leaves the secret out.
#[derive(Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// The secret that the authenticator app has, too.
    pub secret: [u8; 20],
    /// Whether a code was entered, so that signing in asks for one.
    pub confirmed: bool,
    /// Unused recovery codes.
    pub codes_left: u32,
}

impl std::fmt::Debug for SecondFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecondFactor")
            .field("confirmed", &self.confirmed)
            .field("codes_left", &self.codes_left)
            .finish_non_exhaustive()
    }
}

/// Stores second factors. Every method is one transaction, which also writes the log of the account.
pub trait SecondFactors: Send + Sync + 'static {
    /// Stores the secret of an unconfirmed second factor, in the place of an earlier unconfirmed one.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the account has a confirmed one; the fault of the database.
    fn begin_second_factor(&self, account: AccountId, secret: &[u8; 20]) -> Result<(), StoreError>;

    fn second_factor(&self, account: AccountId) -> Result<Option<SecondFactor>, StoreError>;

    /// Confirms the second factor by the code of a time step, and stores the hashes of its recovery codes.
    /// Returns whether there was one to confirm.
    fn confirm_second_factor(
        &self,
        account: AccountId,
        step: i64,
        codes: &[[u8; 32]],
        now: Millis,
    ) -> Result<bool, StoreError>;

    /// Uses the code of a time step.
    /// Returns `false` if the code of this or of a later step was used before.
    fn use_step(&self, account: AccountId, step: i64) -> Result<bool, StoreError>;

    /// Uses a recovery code. Returns `false` if it is unknown or was used before.
    fn use_recovery_code(&self, account: AccountId, hash: &[u8; 32], now: Millis)
    -> Result<bool, StoreError>;

    /// Removes the second factor and its recovery codes. Returns whether there was one.
    fn remove_second_factor(&self, account: AccountId, change: Change) -> Result<bool, StoreError>;
}
