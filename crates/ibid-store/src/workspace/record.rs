//! Records of accounts and their scans.

use crate::Millis;
use ibid_model::{AccountId, Email, Interval, ReceiptId, ScanId, Score};
use serde::{Deserialize, Serialize};

/// An account to open.
#[derive(Clone, Copy, Debug)]
pub struct NewAccount<'a> {
    /// Its id.
    pub id: AccountId,
    /// Its address.
    pub email: &'a Email,
    /// The password, hashed.
    pub password: &'a str,
    /// Its first credits.
    pub credits: u32,
}

/// An account as found.
#[derive(Clone, PartialEq, Eq)]
pub struct AccountRecord {
    /// Its id.
    pub id: AccountId,
    /// Its address, in lower case.
    pub email: String,
    /// The password, hashed.
    pub password: String,
    /// Whether it is disabled.
    pub disabled: bool,
    /// Credits left.
    pub credits: u32,
    /// The time when it was opened.
    pub created_at: Millis,
}

impl std::fmt::Debug for AccountRecord {
    /// Leaves out the password's hash.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccountRecord")
            .field("id", &self.id)
            .field("email", &self.email)
            .field("disabled", &self.disabled)
            .field("credits", &self.credits)
            .finish_non_exhaustive()
    }
}

/// A session to begin.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// SHA-256 of its token.
    pub hash: [u8; 32],
    /// The account it belongs to.
    pub account: AccountId,
    /// The time when it ends.
    pub expires_at: Millis,
    /// The session that the browser had before.
    pub replaces: Option<[u8; 32]>,
}

/// The owner of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    /// The account.
    pub account: AccountId,
    /// Its address.
    pub email: String,
    /// Credits left.
    pub credits: u32,
}

/// Something done to an account or by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountAction {
    /// The operator opened it.
    Opened,
    /// The operator gave or took credits.
    Credits,
    /// The operator set another password.
    Password,
    /// The operator disabled it.
    Disabled,
    /// The operator enabled it.
    Enabled,
    /// A person signed in.
    SignedIn,
    /// A sign-in failed: the password was wrong, or the account was disabled.
    SignInRefused,
    /// The person signed out.
    SignedOut,
    /// A scan got a public link.
    Shared,
    /// A public link was taken away.
    Unshared,
}

impl AccountAction {
    /// Every action.
    pub const ALL: [Self; 10] = [
        Self::Opened,
        Self::Credits,
        Self::Password,
        Self::Disabled,
        Self::Enabled,
        Self::SignedIn,
        Self::SignInRefused,
        Self::SignedOut,
        Self::Shared,
        Self::Unshared,
    ];

    /// Returns the stored word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Credits => "credits",
            Self::Password => "password",
            Self::Disabled => "disabled",
            Self::Enabled => "enabled",
            Self::SignedIn => "signed_in",
            Self::SignInRefused => "sign_in_refused",
            Self::SignedOut => "signed_out",
            Self::Shared => "shared",
            Self::Unshared => "unshared",
        }
    }
}

/// An entry of the log of accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The time of the entry.
    pub at: Millis,
    /// The address of the account.
    pub email: String,
    /// The action.
    pub action: AccountAction,
    /// The scan it was about.
    pub scan: Option<ScanId>,
}

/// The direction of a movement of credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovementKind {
    /// Given by the operator.
    Granted,
    /// Taken away by the operator.
    Withdrawn,
    /// Taken when a scan began.
    Spent,
    /// Returned because a scan ended without a result.
    Returned,
}

impl MovementKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Granted, Self::Withdrawn, Self::Spent, Self::Returned];

    /// Returns the stored word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::Withdrawn => "withdrawn",
            Self::Spent => "spent",
            Self::Returned => "returned",
        }
    }
}

/// A movement of credits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditMovement {
    /// Its number, rising.
    pub entry: i64,
    /// The time of the entry.
    pub at: Millis,
    /// The direction.
    pub kind: MovementKind,
    /// The number of credits; negative when taken.
    pub amount: i64,
    /// Credits afterwards.
    pub balance: u32,
    /// The scan it was for, its domain and its keyword.
    pub scan: Option<(ScanId, String, String)>,
}

/// A scan that an account begins.
#[derive(Clone, Copy, Debug)]
pub struct NewRun<'a> {
    /// Its id.
    pub id: ScanId,
    /// The account it belongs to.
    pub account: AccountId,
    /// The request, as JSON.
    pub request: &'a str,
    /// The domain, readable form.
    pub domain: &'a str,
    /// The keyword.
    pub keyword: &'a str,
    /// The place, short.
    pub place: Option<&'a str>,
    /// Questions planned.
    pub questions: u32,
    /// The time when its lease ends.
    pub lease_until: Millis,
}

/// The end of a scan with a result.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun {
    /// Its receipt.
    pub receipt: ReceiptId,
    /// The part of the result that lists show.
    pub summary: RunSummary,
}

/// The part of a result that lists show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Overall score.
    pub score: Score,
    /// Its interval.
    pub interval: Option<Interval>,
}

/// The end of a scan without a result.
#[derive(Clone, Copy, Debug)]
pub struct EndedRun<'a> {
    /// The direction.
    pub end: RunEnd<'a>,
    /// Calls that had ended.
    pub done: u32,
    /// Whether its credit is returned.
    pub give_back: bool,
}

/// The kind of end without a result.
#[derive(Clone, Copy, Debug)]
pub enum RunEnd<'a> {
    /// It failed, for a reason in a sentence.
    Failed(&'a str),
    /// Its owner stopped it.
    Cancelled,
}

/// The state of a scan.
#[derive(Clone, Debug, PartialEq)]
pub enum RunState {
    /// It is asking.
    Running,
    /// It has a result.
    Complete {
        /// The part of the result that lists show.
        summary: RunSummary,
        /// Its receipt.
        receipt: ReceiptId,
    },
    /// It failed, for a reason in a sentence.
    Failed {
        /// The reason.
        reason: String,
    },
    /// Its owner stopped it.
    Cancelled,
}

/// A scan of an account as found.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// Its id.
    pub id: ScanId,
    /// The state of the scan.
    pub state: RunState,
    /// The request, as JSON.
    pub request: String,
    /// The domain, readable form.
    pub domain: String,
    /// The keyword.
    pub keyword: String,
    /// The place, short.
    pub place: Option<String>,
    /// Questions planned.
    pub questions: u32,
    /// Calls that have ended, as last noted.
    pub done: u32,
    /// Whether its credit went back.
    pub credit_returned: bool,
    /// The token of its public link.
    pub share: Option<String>,
    /// Its tags, in the owner's order.
    pub tags: Vec<String>,
    /// The time when it began.
    pub created_at: Millis,
    /// The time when it ended.
    pub ended_at: Option<Millis>,
}

/// Which scans to find.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunQuery<'a> {
    /// Words that domain, keyword or place must all contain, ignoring case. Only the first eight are used.
    pub words: &'a [&'a str],
    /// With this tag only.
    pub tag: Option<&'a str>,
    /// Scans to skip.
    pub skip: u32,
    /// Scans to return.
    pub most: u32,
}

/// A page of scans.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRuns {
    /// The scans.
    pub rows: Vec<RunRecord>,
    /// The number of matches without `skip` and `most`.
    pub total: u64,
}

/// The kind of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditKind {
    /// Of one page.
    Page,
    /// Of a sample of a site.
    Site,
}

/// The row of a new audit.
#[derive(Clone, Copy, Debug)]
pub struct NewAudit<'a> {
    /// Its owner.
    pub account: AccountId,
    /// Its kind.
    pub kind: AuditKind,
    /// The address that was asked for.
    pub address: &'a str,
    /// The score, or the mean of a site; `None` where no page was audited.
    pub score: Option<u8>,
}

/// An audit of an account, without its report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its id.
    pub id: ScanId,
    /// Its kind.
    pub kind: AuditKind,
    /// The address that was asked for.
    pub address: String,
    /// The score, or the mean of a site; `None` where no page was audited.
    pub score: Option<u8>,
    /// When it was stored.
    pub created_at: Millis,
}

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagRecord {
    /// Its name.
    pub name: String,
    /// Scans that have it.
    pub scans: u32,
}
