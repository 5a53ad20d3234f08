//! The books in SQLite.

use crate::StoreError;
use crate::columns::read_receipt;
use crate::purchase::{Account, Books, Millis, PaymentState, count};
use ibid_model::Receipt;
use rusqlite::{Connection, params};

/// Adds an entry to the ledger.
pub(super) fn book(
    connection: &Connection,
    receipt: &Receipt,
    account: &str,
    amount: i64,
    now: Millis,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO ledger (at, receipt, account, network, asset, amount) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            now,
            receipt.id.as_bytes(),
            account,
            receipt.network.caip2(),
            receipt.asset.to_string(),
            amount
        ])?;
    Ok(())
}

/// Reads them.
pub(super) fn read(connection: &Connection) -> Result<Books, StoreError> {
    let mut statement = connection.prepare(
        "SELECT network, asset, sum(account = 'settled'),
                sum(CASE account WHEN 'settled' THEN amount ELSE 0 END),
                sum(CASE account WHEN 'delivered' THEN amount ELSE 0 END),
                sum(CASE account WHEN 'owed' THEN amount ELSE 0 END)
         FROM ledger GROUP BY network, asset ORDER BY network, asset",
    )?;
    let accounts = statement.query_map([], |row| {
        Ok(Account {
            network: row.get(0)?,
            asset: row.get(1)?,
            sales: row.get::<_, i64>(2)?.unsigned_abs(),
            settled: row.get(3)?,
            delivered: row.get(4)?,
            owed: row.get(5)?,
            receipts: 0,
        })
    })?;
    let mut accounts: Vec<Account> = accounts.collect::<Result<_, _>>()?;
    let mut statement = connection.prepare("SELECT document FROM receipt")?;
    let mut documents = statement.query([])?;
    while let Some(row) = documents.next()? {
        count(&mut accounts, &read_receipt(&row.get::<_, String>(0)?)?)?;
    }
    let standing = |state: PaymentState| -> Result<(PaymentState, u64), StoreError> {
        let sql = "SELECT count(*) FROM payment WHERE state = ?1";
        let count: i64 = connection
            .prepare_cached(sql)?
            .query_row(params![state.as_str()], |row| row.get(0))?;
        Ok((state, count.unsigned_abs()))
    };
    let states = PaymentState::ALL
        .into_iter()
        .map(standing)
        .collect::<Result<_, _>>()?;
    let inferred: i64 = connection.query_row("SELECT count(*) FROM receipt WHERE inferred", [], |row| {
        row.get(0)
    })?;
    let mut statement = connection
        .prepare("SELECT key FROM payment WHERE state = 'pending' AND expires < unixepoch() * 1000")?;
    let keys = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut unresolved = Vec::new();
    for key in keys {
        unresolved.push(key?.parse().map_err(|_| StoreError::Damaged("payment key"))?);
    }
    Ok(Books {
        accounts,
        states,
        inferred: inferred.unsigned_abs(),
        unresolved,
    })
}
