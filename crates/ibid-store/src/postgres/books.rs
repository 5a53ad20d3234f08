//! The books in PostgreSQL.

use super::link::{Link, column};
use super::uuid;
use crate::StoreError;
use crate::columns::read_receipt;
use crate::purchase::{Account, Books, Millis, PaymentState, count};
use ibid_model::Receipt;

/// Adds two entries to the ledger.
pub(super) fn book(
    link: &mut Link,
    receipt: &Receipt,
    entries: [(&str, i64); 2],
    now: Millis,
) -> Result<(), StoreError> {
    let (accounts, amounts) = (
        entries.map(|(account, _)| account),
        entries.map(|(_, amount)| amount),
    );
    link.execute(
        "INSERT INTO ledger (at, receipt, account, network, asset, amount)
         SELECT $1, $2, entry.account, $3, $4, entry.amount
         FROM unnest($5::text[], $6::bigint[]) AS entry (account, amount)",
        &[
            &now,
            &uuid(receipt.id.as_bytes()),
            &receipt.network.caip2(),
            &receipt.asset.to_string(),
            &accounts.as_slice(),
            &amounts.as_slice(),
        ],
    )?;
    Ok(())
}

/// Reads them. All numbers are of the same moment: the transaction sees one snapshot.
pub(super) fn read(link: &mut Link) -> Result<Books, StoreError> {
    let mut accounts = sums(link)?;
    link.each("SELECT document FROM receipt", |row| {
        count(&mut accounts, &read_receipt(column(row, 0)?)?)
    })?;
    let counted = link.all("SELECT state, count(*) FROM payment GROUP BY state", &[])?;
    let counted: Vec<(String, i64)> = counted
        .iter()
        .map(|row| Ok((column(row, 0)?, column(row, 1)?)))
        .collect::<Result<_, StoreError>>()?;
    let standing = |state: PaymentState| {
        let found = counted.iter().find(|(word, _)| word == state.as_str());
        (state, found.map_or(0, |(_, count)| count.unsigned_abs()))
    };
    let inferred: i64 = column(&link.only("SELECT count(*) FROM receipt WHERE inferred", &[])?, 0)?;
    let unresolved = link.all(
        "SELECT key FROM payment
         WHERE state = 'pending' AND expires < (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
        &[],
    )?;
    Ok(Books {
        accounts,
        states: PaymentState::ALL.into_iter().map(standing).collect(),
        inferred: inferred.unsigned_abs(),
        unresolved: unresolved
            .iter()
            .map(|row| {
                let key: &str = column(row, 0)?;
                key.parse().map_err(|_| StoreError::Damaged("payment key"))
            })
            .collect::<Result<_, _>>()?,
    })
}

fn sums(link: &mut Link) -> Result<Vec<Account>, StoreError> {
    let rows = link.all(
        "SELECT network, asset, count(*) FILTER (WHERE account = 'settled'),
                coalesce(sum(amount) FILTER (WHERE account = 'settled'), 0)::bigint,
                coalesce(sum(amount) FILTER (WHERE account = 'delivered'), 0)::bigint,
                coalesce(sum(amount) FILTER (WHERE account = 'owed'), 0)::bigint
         FROM ledger GROUP BY network, asset ORDER BY network, asset",
        &[],
    )?;
    rows.iter()
        .map(|row| {
            Ok(Account {
                network: column(row, 0)?,
                asset: column(row, 1)?,
                sales: column::<i64>(row, 2)?.unsigned_abs(),
                settled: column(row, 3)?,
                delivered: column(row, 4)?,
                owed: column(row, 5)?,
                receipts: 0,
            })
        })
        .collect()
}
