//! Records of scans.

use crate::PackedAnswers;
use ibid_model::{AccountId, ScanId};

/// The surface that a scan came through. A surface shows only its own scans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The bearer-authenticated API.
    V1,
    /// A queued scan, ordered with a bearer key; names the caller.
    V2(String),
    /// A paid call; the wallet that paid, in lower case.
    Paid(String),
    Workspace(AccountId),
    /// The free question on the home page.
    Demo,
}

/// A finished scan to store.
#[derive(Clone, Debug)]
pub struct NewScan<'a> {
    pub id: ScanId,
    /// The surface it came through.
    pub origin: Origin,
    /// Seconds since 1970 at which it finished.
    pub created_at: i64,
    /// Whether the sandbox invented its answers.
    pub sandbox: bool,
    /// Version of the method that scored it.
    pub method: &'a str,
    /// The JSON document that a GET returns, byte for byte.
    pub reply: &'a [u8],
    /// The evidence; `None` when answers are not stored.
    pub answers: Option<PackedAnswers>,
}

/// A scan as found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRecord {
    /// The surface it came through.
    pub origin: Origin,
    /// Seconds since 1970 at which it finished.
    pub created_at: i64,
    /// Whether the sandbox invented its answers.
    pub sandbox: bool,
    /// Version of the method that scored it.
    pub method: String,
    /// The JSON document that a GET returns.
    pub reply: Vec<u8>,
}
