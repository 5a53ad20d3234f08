//! Accounts of the workspace, their sessions, credits and scans.

mod record;

pub use record::{
    AccountAction, AccountRecord, AuditKind, AuditRecord, BadRole, Change, CreditMovement, FinishedRun,
    FoundRuns, LogEntry, MovementKind, NewAccount, NewAudit, NewImport, NewLink, NewRun, NewSession,
    NewShare, Role, RunQuery, RunRecord, RunSummary, SessionRecord, Share, SharedRun, Spending, TagRecord,
};

use crate::{KeyedRequest, Millis, NewDurableRun, NewScan, OpenedRuns, StoreError};
use ibid_model::{AccountId, Email, ReceiptId, ScanId};

/// Stores accounts. Every method is one transaction, which also writes the log of the account.
///
/// Passwords are passed as hashes and session tokens as digests: no argument or result can be used to sign in.
pub trait Accounts: Send + Sync + 'static {
    /// Opens an account with its first credits.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the address has an account; the fault of the database.
    fn open_account(&self, account: &NewAccount<'_>, now: Millis) -> Result<(), StoreError>;

    /// Opens an account if no account exists, and returns whether it did.
    /// Of several concurrent calls one opens it.
    fn open_first_account(&self, account: &NewAccount<'_>, now: Millis) -> Result<bool, StoreError>;

    /// Returns the account of an address.
    fn account(&self, email: &Email) -> Result<Option<AccountRecord>, StoreError>;

    /// Returns every account, ordered by address.
    fn accounts(&self) -> Result<Vec<AccountRecord>, StoreError>;

    /// Returns the account of an id, unless it was deleted.
    fn account_by_id(&self, account: AccountId) -> Result<Option<AccountRecord>, StoreError>;

    /// Replaces the password and ends every session and link.
    fn set_password(&self, account: AccountId, password: &str, change: Change) -> Result<(), StoreError>;

    /// Gives an account another role.
    ///
    /// # Errors
    /// [`StoreError::LastAdmin`] when no enabled admin would be left; the fault of the database.
    fn set_role(&self, account: AccountId, role: Role, change: Change) -> Result<(), StoreError>;

    /// Sets the budget of an account for a month, in millionths of a dollar; `None` for no bound.
    fn set_budget(&self, account: AccountId, budget: Option<u64>, change: Change) -> Result<(), StoreError>;

    /// Stores a link that sets the password once. Earlier links of the account end.
    fn put_link(&self, link: &NewLink, change: Change) -> Result<(), StoreError>;

    /// Stores a link in addition to those that the account has. Links that have ended go.
    fn put_invitation(&self, link: &NewLink, now: Millis) -> Result<(), StoreError>;

    /// Returns the account of a link; `None` if the link has ended or the account is disabled.
    fn link(&self, hash: &[u8; 32], now: Millis) -> Result<Option<AccountRecord>, StoreError>;

    /// Replaces the password of the account of a link, and ends its sessions and links.
    /// Returns whether the link was valid.
    fn use_link(&self, hash: &[u8; 32], password: &str, now: Millis) -> Result<bool, StoreError>;

    /// Deletes an account with its scans, audits, sessions and log.
    /// Its credits and receipts stay, without its address and without what they were for.
    ///
    /// # Errors
    /// [`StoreError::Lost`] while a scan of it runs; the fault of the database.
    fn delete_account(&self, account: AccountId, change: Change) -> Result<(), StoreError>;

    /// Returns the scans and costs of every account that began scans in a span of time.
    /// Imported scans do not count.
    fn spending(&self, from: Millis, until: Millis) -> Result<Vec<Spending>, StoreError>;

    /// Disables or enables an account. Both end every session.
    fn set_disabled(&self, account: AccountId, disabled: bool, change: Change) -> Result<(), StoreError>;

    /// Gives credits, or takes them if negative. Returns the new balance.
    ///
    /// # Errors
    /// [`StoreError::NoCredit`] when the account has fewer; the fault of the database.
    fn move_credits(&self, account: AccountId, amount: i64, change: Change) -> Result<u32, StoreError>;

    /// Begins a session.
    /// Ends the replaced session, expired sessions, and the account's oldest sessions beyond twenty.
    fn open_session(&self, session: &NewSession, now: Millis) -> Result<(), StoreError>;

    /// Returns the account of a session; `None` if the session has expired or the account is disabled.
    fn session(&self, hash: &[u8; 32], now: Millis) -> Result<Option<SessionRecord>, StoreError>;

    /// Ends a session, if there is one.
    fn end_session(&self, hash: &[u8; 32], now: Millis) -> Result<(), StoreError>;

    /// Adds to the log of an account.
    fn log_account(&self, account: AccountId, action: AccountAction, now: Millis) -> Result<(), StoreError>;

    /// Returns the log of one account or of all, the latest entry first.
    fn account_log(&self, account: Option<AccountId>, most: u32) -> Result<Vec<LogEntry>, StoreError>;

    /// Returns the credit movements of an account before the entry `before`, the latest first.
    fn movements(
        &self,
        account: AccountId,
        before: Option<i64>,
        most: u32,
    ) -> Result<Vec<CreditMovement>, StoreError>;
}

/// Stores what accounts own of their scans, from the spent credit to the shared report.
/// The state and the end of a scan are those of its durable run.
pub trait Workspace: Send + Sync + 'static {
    /// Spends a credit, and stores the scan and the durable run that works on it, unless the idempotency key of the
    /// request is in use. The key of a run that ended without a result is free.
    ///
    /// # Errors
    /// [`StoreError::NoCredit`]; [`StoreError::OverBudget`]; [`StoreError::Exists`]; the fault of the database.
    /// On an error no credit is spent.
    fn begin_run(
        &self,
        scan: &NewRun<'_>,
        run: &NewDurableRun<'_>,
        once: Option<&KeyedRequest<'_>>,
    ) -> Result<OpenedRuns, StoreError>;

    /// Spends a credit and stores a finished scan with its run and its result.
    fn put_past_run(
        &self,
        scan: &NewRun<'_>,
        run: &NewDurableRun<'_>,
        result: (&NewScan<'_>, &FinishedRun),
        ended_at: Millis,
    ) -> Result<(), StoreError>;

    /// Stores a finished scan that takes no credit and has no receipt in lists.
    /// Its `run` was made and ended when its questions were asked.
    ///
    /// # Errors
    /// [`StoreError::Lost`] when the account was deleted; the fault of the database.
    fn put_import(
        &self,
        scan: &NewScan<'_>,
        import: &NewImport<'_>,
        run: &NewDurableRun<'_>,
    ) -> Result<(), StoreError>;

    fn run(&self, account: AccountId, id: ScanId) -> Result<Option<RunRecord>, StoreError>;

    /// Returns a page of scans of an account, the latest first.
    fn find_runs(&self, account: AccountId, query: &RunQuery<'_>) -> Result<FoundRuns, StoreError>;

    /// Returns finished scans of an account that took a credit, without tags, the latest first,
    /// after the one with the receipt `cursor`.
    fn finished_runs(
        &self,
        account: AccountId,
        cursor: Option<ReceiptId>,
        most: u32,
    ) -> Result<Vec<RunRecord>, StoreError>;

    /// Stores the report of an audit and its row.
    ///
    /// # Errors
    /// [`StoreError::Lost`] when the account was deleted; the fault of the database.
    fn put_audit(&self, scan: &NewScan<'_>, audit: &NewAudit<'_>, now: Millis) -> Result<(), StoreError>;

    /// Returns audits of an account, the latest first; with an address only those of this address.
    fn audits(
        &self,
        account: AccountId,
        address: Option<&str>,
        most: u32,
    ) -> Result<Vec<AuditRecord>, StoreError>;

    /// Returns every tag of an account, ordered by name.
    fn tags(&self, account: AccountId) -> Result<Vec<TagRecord>, StoreError>;

    /// Replaces the tags of a scan. Returns whether the account has such a scan.
    fn set_tags(&self, account: AccountId, id: ScanId, tags: &[String]) -> Result<bool, StoreError>;

    /// Gives a scan a title, or takes it away. Returns whether the account has such a scan.
    fn set_title(&self, account: AccountId, id: ScanId, title: Option<&str>) -> Result<bool, StoreError>;

    /// Deletes a scan that is not running: its result, answers, request, title, tags and link.
    /// Its receipt and the movements of credits stay.
    /// Returns whether the account has such a scan.
    fn delete_run(&self, account: AccountId, id: ScanId, now: Millis) -> Result<bool, StoreError>;

    /// Gives a finished scan a public link, or takes it away. An existing link stays as it is. Returns
    /// whether the account has such a scan.
    fn set_share(
        &self,
        account: AccountId,
        id: ScanId,
        share: Option<&NewShare<'_>>,
        now: Millis,
    ) -> Result<bool, StoreError>;

    /// Returns the finished scan behind a public link; `None` after the link has ended,
    /// and while the account is disabled.
    fn shared(&self, token: &str, now: Millis) -> Result<Option<SharedRun>, StoreError>;
}
