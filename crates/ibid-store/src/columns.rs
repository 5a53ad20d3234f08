//! How records stand in columns, the same in every adapter: words, documents, numbers with a sign.

use crate::purchase::PaymentState;
use crate::{Fate, Origin, StoreError};
use ibid_model::{AccountId, PaymentKey, Receipt};

/// Sessions that an account may have at a time.
pub(crate) const MOST_SESSIONS: u32 = 20;
/// Words of a query that are looked at.
pub(crate) const MOST_WORDS: usize = 8;
/// Why a scan failed whose process is gone.
pub(crate) const INTERRUPTED: &str = "The server stopped while the scan was running.";

pub(crate) fn write_origin(origin: &Origin) -> (&'static str, Option<String>) {
    match origin {
        Origin::V1 => ("v1", None),
        Origin::Paid(wallet) => ("paid", Some(wallet.clone())),
        Origin::Workspace(account) => ("workspace", Some(account.to_string())),
        Origin::Demo => ("demo", None),
    }
}

pub(crate) fn read_origin(kind: &str, owner: Option<String>) -> Option<Origin> {
    match (kind, owner) {
        ("v1", None) => Some(Origin::V1),
        ("demo", None) => Some(Origin::Demo),
        ("paid", Some(wallet)) => Some(Origin::Paid(wallet)),
        ("workspace", Some(account)) => account.parse::<AccountId>().ok().map(Origin::Workspace),
        _ => None,
    }
}

pub(crate) fn read_state(word: &str) -> Result<PaymentState, StoreError> {
    PaymentState::parse(word).ok_or(StoreError::Damaged("payment state"))
}

pub(crate) fn read_receipt(document: &str) -> Result<Receipt, StoreError> {
    serde_json::from_str(document).map_err(|_| StoreError::Damaged("receipt"))
}

/// What became of a run, from the row of its payment and that of its receipt.
pub(crate) fn fate(
    state: Option<String>,
    key: Option<PaymentKey>,
    receipt: Option<String>,
) -> Result<Fate, StoreError> {
    let state = state.as_deref().map(read_state).transpose()?;
    Ok(match state {
        Some(PaymentState::Settled | PaymentState::Delivered) => Fate::Sold {
            key: key.ok_or(StoreError::Damaged("payment key"))?,
            receipt: Box::new(read_receipt(&receipt.ok_or(StoreError::Damaged("receipt"))?)?),
        },
        Some(PaymentState::Refused) => Fate::Refused,
        Some(
            PaymentState::Claimed
            | PaymentState::Verified
            | PaymentState::Running
            | PaymentState::Held
            | PaymentState::Settling
            | PaymentState::Pending
            | PaymentState::Freed
            | PaymentState::Proven,
        )
        | None => Fate::Gone,
    })
}

/// Databases count with a sign.
pub(crate) fn signed(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Damaged("number"))
}
