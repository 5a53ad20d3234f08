//! Records of accounts and their scans.

use crate::Millis;
use ibid_model::{AccountId, Email, Interval, ReceiptId, RunState, ScanId, Score};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// An account to open.
#[derive(Clone, Copy, Debug)]
pub struct NewAccount<'a> {
    pub id: AccountId,
    pub email: &'a Email,
    /// The password, hashed.
    pub password: &'a str,
    pub credits: u32,
    pub role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Manages accounts, service keys and budgets, besides the rights of a member.
    Admin,
    /// Starts scans and audits, and changes what it owns.
    Member,
    /// Reads what its account has.
    Viewer,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Admin, Self::Member, Self::Viewer];

    /// Returns the stored word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether the account may start work and change what it owns.
    pub const fn may_change(self) -> bool {
        match self {
            Self::Admin | Self::Member => true,
            Self::Viewer => false,
        }
    }
}

/// A text that is no role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a role is admin, member or viewer")]
pub struct BadRole;

impl FromStr for Role {
    type Err = BadRole;

    fn from_str(text: &str) -> Result<Self, BadRole> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or(BadRole)
    }
}

/// The time and the author of a change to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pub at: Millis,
    /// The account that acts on another one; `None` for the account itself and for the operator at the command line.
    pub by: Option<AccountId>,
}

impl From<Millis> for Change {
    fn from(at: Millis) -> Self {
        Self { at, by: None }
    }
}

/// A one-time link that sets the password of an account.
#[derive(Clone, Copy, Debug)]
pub struct NewLink {
    /// SHA-256 of its token.
    pub hash: [u8; 32],
    pub account: AccountId,
    /// The time when it ends.
    pub expires_at: Millis,
}

/// How much an account scanned in a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Spending {
    pub account: AccountId,
    /// Scans that began.
    pub scans: u64,
    /// Their cost in millionths of a dollar: estimates for those under way.
    pub cost: u64,
}

/// An account as found.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct AccountRecord {
    pub id: AccountId,
    /// Its address, in lower case.
    pub email: String,
    /// The password, hashed.
    pub password: String,
    pub disabled: bool,
    /// Credits left.
    pub credits: u32,
    /// The time when it was opened.
    pub created_at: Millis,
    pub role: Role,
    /// Its budget a month in millionths of a dollar.
    pub budget: Option<u64>,
    pub signed_in_at: Option<Millis>,
    /// Whether signing in asks for a code, too.
    pub second_factor: bool,
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

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SessionRecord {
    pub account: AccountId,
    pub email: String,
    /// Credits left.
    pub credits: u32,
    pub role: Role,
    /// Whether it belongs to the organisation that invited it, and to nothing else.
    pub is_guest: bool,
}

/// Something done to an account or by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
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
    /// The account got another role.
    Role,
    /// The account got another budget.
    Budget,
    /// A one-time link that sets the password was made.
    Link,
    ScanDeleted,
    /// All data of the account was handed out.
    Exported,
    Deleted,
    /// The account made a service key.
    KeyMade,
    /// The account revoked a service key.
    KeyRevoked,
    /// The account confirmed a second factor.
    SecondFactorOn,
    /// The second factor was removed.
    SecondFactorOff,
    RecoveryCodeUsed,
    /// A person of an OpenID provider joined the account.
    IdentityJoined,
    /// The account signs in by no OpenID provider any more.
    IdentityParted,
}

impl AccountAction {
    /// Returns the stored word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct LogEntry {
    pub at: Millis,
    pub email: String,
    pub action: AccountAction,
    /// The scan it was about.
    pub scan: Option<ScanId>,
    /// Who acted on the account, by address.
    pub by: Option<String>,
}

/// Why credits moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
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
    /// Returns the stored word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditMovement {
    /// Its number, rising.
    pub entry: i64,
    pub at: Millis,
    pub kind: MovementKind,
    /// In credits; negative when taken.
    pub amount: i64,
    /// Credits afterwards.
    pub balance: u32,
    /// The scan it was for, its domain and its keyword.
    pub scan: Option<(ScanId, String, String)>,
}

/// A scan that an account begins.
#[derive(Clone, Copy, Debug)]
pub struct NewRun<'a> {
    pub id: ScanId,
    /// The account it belongs to.
    pub account: AccountId,
    /// The request, as JSON.
    pub request: &'a str,
    /// The domain, readable form.
    pub domain: &'a str,
    pub keyword: &'a str,
    /// The place, short.
    pub place: Option<&'a str>,
    /// Its estimated cost in millionths of a dollar.
    pub cost: u64,
    /// When the month began that its budget is for.
    pub month_began: Millis,
}

/// What lists show of a finished scan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinishedRun {
    pub receipt: ReceiptId,
    pub summary: RunSummary,
    /// Its bill in millionths of a dollar.
    pub cost: u64,
}

/// What lists show of a result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Overall score.
    pub score: Score,
    pub interval: Option<Interval>,
}

/// A scan of an account as found.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RunRecord {
    pub id: ScanId,
    pub state: RunState,
    /// Its result, once it has one.
    #[serde(skip)]
    pub finished: Option<FinishedRun>,
    /// Why it has no result, as a code such as `worker_lost`.
    pub error: Option<String>,
    /// The request, as JSON.
    pub request: String,
    /// The domain, readable form.
    pub domain: String,
    pub keyword: String,
    /// The place, short.
    pub place: Option<String>,
    /// Questions planned.
    pub questions: u32,
    /// Calls that have ended.
    pub done: u32,
    /// Whether its credit went back.
    pub credit_returned: bool,
    /// The title that its owner gave it.
    pub title: Option<String>,
    /// Its cost in millionths of a dollar: the estimate until it ends.
    pub cost: u64,
    /// Whether it was deleted, so that only its receipt is left.
    pub deleted: bool,
    #[serde(skip)]
    pub share: Option<Share>,
    /// Its tags, in the owner's order.
    #[serde(skip)]
    pub tags: Vec<String>,
    /// The time when it began.
    pub created_at: Millis,
    /// The time when it ended.
    pub ended_at: Option<Millis>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub token: String,
    /// The time when it ends.
    pub until: Option<Millis>,
    /// Whether it asks for a password.
    pub protected: bool,
}

/// A public link to make.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewShare<'a> {
    pub token: &'a str,
    /// The time when it ends.
    pub until: Option<Millis>,
    /// Its password, hashed.
    pub password: Option<&'a str>,
}

/// The scan behind a public link.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct SharedRun {
    /// The account that owns it.
    pub account: AccountId,
    pub id: ScanId,
    /// Hashed; `None` for a link without a password.
    pub password: Option<String>,
}

impl std::fmt::Debug for SharedRun {
    /// Leaves out the password's hash.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedRun")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
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
    pub rows: Vec<RunRecord>,
    /// All matches, without `skip` and `most`.
    pub total: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AuditKind {
    Page,
    /// Of a sample of a site.
    Site,
}

#[derive(Clone, Copy, Debug)]
pub struct NewAudit<'a> {
    pub account: AccountId,
    pub kind: AuditKind,
    /// The address that was asked for.
    pub address: &'a str,
    /// The score, or the mean of a site; `None` where no page was audited.
    pub score: Option<u8>,
}

/// An audit of an account, without its report.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct AuditRecord {
    pub id: ScanId,
    pub kind: AuditKind,
    /// The address that was asked for.
    pub address: String,
    /// The score, or the mean of a site; `None` where no page was audited.
    pub score: Option<u8>,
    /// When it was stored.
    pub created_at: Millis,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TagRecord {
    pub name: String,
    pub scans: u32,
}
