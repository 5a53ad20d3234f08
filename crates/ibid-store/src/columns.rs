//! How records look in columns, the same in every adapter: words, documents, signed numbers.

use crate::purchase::PaymentState;
use crate::{Origin, RunOutcome, StoreError};
use ibid_model::{AccountId, PaymentKey, Receipt};

/// Most sessions that an account has at a time: a further one ends the oldest.
pub(crate) const MOST_SESSIONS: u32 = 20;
/// Most words that a query uses.
pub(crate) const MOST_WORDS: usize = 8;

pub(crate) fn write_origin(origin: &Origin) -> (&'static str, Option<String>) {
    match origin {
        Origin::V1 => ("v1", None),
        Origin::V2(caller) => ("v2", Some(caller.clone())),
        Origin::Paid(wallet) => ("paid", Some(wallet.clone())),
        Origin::Workspace(account) => ("workspace", Some(account.to_string())),
        Origin::Demo => ("demo", None),
    }
}

pub(crate) fn read_origin(kind: &str, owner: Option<String>) -> Option<Origin> {
    match (kind, owner) {
        ("v1", None) => Some(Origin::V1),
        ("v2", Some(caller)) => Some(Origin::V2(caller)),
        ("demo", None) => Some(Origin::Demo),
        ("paid", Some(wallet)) => Some(Origin::Paid(wallet)),
        ("workspace", Some(account)) => account.parse::<AccountId>().ok().map(Origin::Workspace),
        _ => None,
    }
}

/// Tells from the rows of a payment and its receipt how the run ended.
pub(crate) fn run_outcome(
    state: Option<PaymentState>,
    key: Option<PaymentKey>,
    receipt: Option<Receipt>,
) -> Result<RunOutcome, StoreError> {
    Ok(match state {
        Some(PaymentState::Settled | PaymentState::Delivered) => RunOutcome::Sold {
            key: key.ok_or(StoreError::Damaged("payment key"))?,
            receipt: Box::new(receipt.ok_or(StoreError::Damaged("receipt"))?),
        },
        Some(PaymentState::Refused | PaymentState::Void) => RunOutcome::Refused {
            key: key.ok_or(StoreError::Damaged("payment key"))?,
        },
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
        | None => RunOutcome::Gone,
    })
}

/// Converts a number for a database column, which has a sign.
pub(crate) fn signed(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Damaged("number"))
}
