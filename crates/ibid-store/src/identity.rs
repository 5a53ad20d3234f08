//! Persons of an OpenID provider who have joined accounts.

use crate::workspace::{AccountRecord, Change, NewAccount, Role};
use crate::{Millis, StoreError};
use ibid_model::AccountId;

/// A person, as an OpenID provider names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The issuer, exactly as it names itself.
    pub issuer: String,
    /// The name of the person there. It is never given to another one.
    pub subject: String,
}

/// Stores identities. Every method is one transaction, which also writes the log of the account.
pub trait Identities: Send + Sync + 'static {
    /// Returns the account that an identity has joined.
    fn account_of(&self, identity: &Identity) -> Result<Option<AccountRecord>, StoreError>;

    /// Returns the identities of an account, the oldest first.
    fn identities(&self, account: AccountId) -> Result<Vec<Identity>, StoreError>;

    /// Opens an account that an identity has joined.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the address has an account or the identity has joined one; the fault of the database.
    fn open_account_of(
        &self,
        identity: &Identity,
        account: &NewAccount<'_>,
        now: Millis,
    ) -> Result<(), StoreError>;

    /// Joins an identity to an account.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when it has joined one; the fault of the database.
    fn join_identity(
        &self,
        identity: &Identity,
        account: AccountId,
        change: Change,
    ) -> Result<(), StoreError>;

    /// Takes every identity from an account. Returns whether there was one.
    fn part_identities(&self, account: AccountId, change: Change) -> Result<bool, StoreError>;

    /// Sets the role that the groups of a person give; `None` makes the account a viewer and ends its sessions.
    /// It may take the role from the last admin: the provider decides, and the operator can name another admin.
    fn set_role_of_groups(
        &self,
        account: AccountId,
        role: Option<Role>,
        now: Millis,
    ) -> Result<(), StoreError>;
}
