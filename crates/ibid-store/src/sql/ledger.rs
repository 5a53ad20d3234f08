//! The ledger and the report on it.

use super::{Executor, Query, values};
use crate::StoreError;
use crate::columns::signed;
use crate::purchase::{Books, Millis, PaymentState, Refund, TokenLedger};
use ibid_model::{Receipt, Transaction};
use std::time::{SystemTime, UNIX_EPOCH};

/// Adds an entry to the ledger. `amount` is in atomic units of the token.
pub(super) fn insert_entry(
    db: &mut dyn Executor,
    receipt: &Receipt,
    account: &str,
    amount: i64,
    now: Millis,
) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO ledger (at, receipt, account, network, asset, amount) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![
            now,
            receipt.id,
            account,
            receipt.network.caip2(),
            receipt.asset.to_string(),
            amount,
        ],
    )
}

/// Adds a refund or a credit.
pub(super) fn insert_refund(db: &mut dyn Executor, refund: &Refund, now: Millis) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO refund (at, key, kind, amount, hash, note) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![
            now,
            &refund.key,
            refund.kind.as_str(),
            refund.amount,
            refund.transaction.as_ref().map(Transaction::as_str),
            refund.note.as_str(),
        ],
    )
}

/// Reads all refunds and credits.
pub(super) fn read_refunds(db: &mut dyn Executor) -> Result<Vec<Refund>, StoreError> {
    db.list(
        "SELECT key, kind, amount, hash AS \"transaction\", note FROM refund ORDER BY entry",
        &[],
    )
}

/// Reads the report. All queries must see the same moment.
pub(crate) fn read_books(db: &mut dyn Executor) -> Result<Books, StoreError> {
    let mut accounts = sums(db)?;
    let receipts = "SELECT document FROM receipt";
    db.for_each(receipts, super::Lock::None, &[], &mut |mut row| {
        add_receipt(&mut accounts, &row.take(0)?)
    })?;
    let counted =
        db.list::<(PaymentState, u64)>("SELECT state, count(*) FROM payment GROUP BY state", &[])?;
    let in_state = |state: PaymentState| {
        let found = counted.iter().find(|(known, _)| *known == state);
        (state, found.map_or(0, |(_, count)| *count))
    };
    let unresolved = "SELECT key FROM payment WHERE state = 'pending' AND expires < ?1";
    let unknown = "SELECT min(changed_at) FROM payment WHERE state IN ('settling', 'pending')";
    Ok(Books {
        accounts,
        states: PaymentState::ALL.iter().copied().map(in_state).collect(),
        inferred: db.only("SELECT count(*) FROM receipt WHERE inferred", &[])?,
        unresolved: db.list(unresolved, values![now()])?,
        unknown_since: db.only(unknown, &[])?,
        refunds: db.only("SELECT count(*) FROM refund", &[])?,
    })
}

fn sums(db: &mut dyn Executor) -> Result<Vec<TokenLedger>, StoreError> {
    db.list(
        "SELECT network, asset, count(*) FILTER (WHERE account = 'settled') AS sales,
                CAST(coalesce(sum(amount) FILTER (WHERE account = 'settled'), 0) AS BIGINT) AS settled,
                CAST(coalesce(sum(amount) FILTER (WHERE account = 'delivered'), 0) AS BIGINT) AS delivered,
                CAST(coalesce(sum(amount) FILTER (WHERE account = 'owed'), 0) AS BIGINT) AS owed, 0 AS receipts
         FROM ledger GROUP BY network, asset ORDER BY network, asset",
        &[],
    )
}

/// Adds a receipt to the row of its token.
/// The sum comes from the receipts themselves, so that a lost or invented entry of the ledger shows.
fn add_receipt(accounts: &mut Vec<TokenLedger>, receipt: &Receipt) -> Result<(), StoreError> {
    let (network, asset) = (receipt.network.caip2(), receipt.asset.to_string());
    let amount = signed(receipt.amount.get())?;
    let known = accounts
        .iter_mut()
        .find(|account| account.network == network && account.asset == asset);
    match known {
        Some(account) => account.receipts += amount,
        None => accounts.push(TokenLedger {
            network: network.to_owned(),
            asset,
            receipts: amount,
            ..TokenLedger::default()
        }),
    }
    Ok(())
}

pub(super) fn now() -> Millis {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(elapsed.as_millis()).unwrap_or(Millis::MAX)
}
