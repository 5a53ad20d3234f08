//! The ledger and the report on it.

use super::{Executor, values};
use crate::StoreError;
use crate::columns::{read_receipt, signed};
use crate::purchase::{Books, Millis, PaymentState, Refund, RefundKind, TokenLedger};
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
    db.execute(
        "INSERT INTO ledger (at, receipt, account, network, asset, amount) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![
            now,
            receipt.id,
            account,
            receipt.network.caip2(),
            receipt.asset.to_string(),
            amount,
        ],
    )?;
    Ok(())
}

/// Adds a refund or a credit.
pub(super) fn insert_refund(db: &mut dyn Executor, refund: &Refund, now: Millis) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO refund (at, key, kind, amount, hash, note) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![
            now,
            &refund.key,
            refund.kind.as_str(),
            refund.amount,
            refund.transaction.as_ref().map(Transaction::as_str),
            refund.note.as_str(),
        ],
    )?;
    Ok(())
}

/// Reads all refunds and credits.
pub(super) fn read_refunds(db: &mut dyn Executor) -> Result<Vec<Refund>, StoreError> {
    let rows = db.rows(
        "SELECT key, kind, amount, hash, note FROM refund ORDER BY entry",
        &[],
    )?;
    rows.into_iter()
        .map(|mut row| {
            let hash: Option<String> = row.take(3)?;
            Ok(Refund {
                key: row.take(0)?,
                kind: match row.take::<String>(1)?.as_str() {
                    "refund" => RefundKind::Refund,
                    "credit" => RefundKind::Credit,
                    _ => return Err(StoreError::Damaged("kind of a refund")),
                },
                amount: row.take(2)?,
                transaction: hash
                    .map(|hash| hash.parse())
                    .transpose()
                    .map_err(|_| StoreError::Damaged("transaction"))?,
                note: row.take(4)?,
            })
        })
        .collect()
}

/// Reads the report. All queries must see the same moment.
pub(crate) fn read_books(db: &mut dyn Executor) -> Result<Books, StoreError> {
    let mut accounts = sums(db)?;
    let receipts = "SELECT document FROM receipt";
    db.for_each(receipts, super::Lock::None, &[], &mut |mut row| {
        add_receipt(&mut accounts, &read_receipt(&row.take::<String>(0)?)?)
    })?;
    let counted: Vec<(String, u64)> = db
        .rows("SELECT state, count(*) FROM payment GROUP BY state", &[])?
        .into_iter()
        .map(|mut row| Ok((row.take(0)?, row.take(1)?)))
        .collect::<Result<_, StoreError>>()?;
    let in_state = |state: PaymentState| {
        let found = counted.iter().find(|(word, _)| word == state.as_str());
        (state, found.map_or(0, |(_, count)| *count))
    };
    let inferred = db
        .only("SELECT count(*) FROM receipt WHERE inferred", &[])?
        .take(0)?;
    let unresolved = db.rows(
        "SELECT key FROM payment WHERE state = 'pending' AND expires < ?1",
        values![now()],
    )?;
    let unknown_since = db
        .only(
            "SELECT min(changed_at) FROM payment WHERE state IN ('settling', 'pending')",
            &[],
        )?
        .take(0)?;
    let refunds = db.only("SELECT count(*) FROM refund", &[])?.take(0)?;
    Ok(Books {
        accounts,
        states: PaymentState::ALL.iter().copied().map(in_state).collect(),
        inferred,
        unresolved: unresolved
            .into_iter()
            .map(|mut row| row.take(0))
            .collect::<Result<_, _>>()?,
        unknown_since,
        refunds,
    })
}

fn sums(db: &mut dyn Executor) -> Result<Vec<TokenLedger>, StoreError> {
    let rows = db.rows(
        "SELECT network, asset, count(*) FILTER (WHERE account = 'settled'),
                CAST(coalesce(sum(amount) FILTER (WHERE account = 'settled'), 0) AS BIGINT),
                CAST(coalesce(sum(amount) FILTER (WHERE account = 'delivered'), 0) AS BIGINT),
                CAST(coalesce(sum(amount) FILTER (WHERE account = 'owed'), 0) AS BIGINT)
         FROM ledger GROUP BY network, asset ORDER BY network, asset",
        &[],
    )?;
    rows.into_iter()
        .map(|mut row| {
            Ok(TokenLedger {
                network: row.take(0)?,
                asset: row.take(1)?,
                sales: row.take(2)?,
                settled: row.take(3)?,
                delivered: row.take(4)?,
                owed: row.take(5)?,
                receipts: 0,
            })
        })
        .collect()
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
