//! Payments in SQLite. What may happen is decided by [`PaymentState::after`] and [`Sight::admittance`], inside the
//! transaction that writes it down.

mod rows;

use super::{Sqlite, books, insert_scan, is_taken};
use crate::columns::{read_receipt, signed};
use crate::purchase::{
    Admittance, Books, Entry, Expired, Lease, Millis, PaymentState, Purchases, Receipts, Settled, Step,
    Unsettled, Visit, Visited,
};
use crate::{NewScan, StoreError};
use ibid_model::{PaymentKey, Receipt, ReceiptId, Transaction, Wallet};
use rows::{claim, current, find, set_held, sold, take_over, unsettled};
use rusqlite::{Connection, OptionalExtension, named_params, params};

/// States whose settlement is to be brought to an end, for the index `payment_open`.
const UNSETTLED: &str = "state IN ('held', 'settling', 'pending')";
/// States whose work is lost if its process is gone, for the same index.
const BEFORE_RESULT: &str = "state IN ('claimed', 'verified', 'running')";

impl Purchases for Sqlite {
    fn visit(&self, visit: &Visit<'_>, entry: Entry) -> Result<Visited, StoreError> {
        // Most visits after the first only look; they need not wait for the writer.
        let looked = self.read(|connection| {
            let found = find(connection, visit)?;
            match found
                .as_ref()
                .map_or(Admittance::Start, |found| found.sight.admittance())
            {
                Admittance::Wait => Ok(Some(Visited::Wait)),
                Admittance::Used => Ok(Some(Visited::Used)),
                Admittance::Sold => sold(connection, visit.key).map(Visited::Sold).map(Some),
                Admittance::Start if entry == Entry::OnlyReturn => Ok(Some(Visited::Unknown)),
                Admittance::Start | Admittance::Settle | Admittance::Retry => Ok(None),
            }
        })?;
        if let Some(visited) = looked {
            return Ok(visited);
        }
        self.write_soon(|connection| {
            let found = find(connection, visit)?;
            match found
                .as_ref()
                .map_or(Admittance::Start, |found| found.sight.admittance())
            {
                Admittance::Wait => Ok(Visited::Wait),
                Admittance::Used => Ok(Visited::Used),
                Admittance::Sold => sold(connection, visit.key).map(Visited::Sold),
                Admittance::Start if entry == Entry::OnlyReturn => Ok(Visited::Unknown),
                Admittance::Start => claim(connection, visit, found.as_ref()).map(Visited::Start),
                Admittance::Settle => {
                    let lease = take_over(connection, visit.key, visit.lease_until)?;
                    unsettled(connection, lease).map(Visited::Settle)
                }
                Admittance::Retry => {
                    let lease = take_over(connection, visit.key, visit.lease_until)?;
                    let resource = found.map_or_else(String::new, |found| found.resource);
                    Ok(Visited::Retry { lease, resource })
                }
            }
        })
    }

    fn take(&self, lease: &Lease, steps: &[Step], now: Millis) -> Result<(), StoreError> {
        let work = |connection: &Connection| {
            let mut state = current(connection, lease)?;
            for step in steps {
                state = state.after(*step).ok_or(StoreError::Lost)?;
            }
            let ends = matches!(
                state,
                PaymentState::Held | PaymentState::Freed | PaymentState::Refused | PaymentState::Proven
            );
            connection
                .prepare_cached(
                    "UPDATE payment SET state = :state, changed_at = :now,
                            held = CASE WHEN :keeps THEN held END,
                            lease_until = CASE WHEN :ends THEN 0 ELSE lease_until END
                     WHERE key = :key",
                )?
                .execute(named_params! {
                    ":state": state.as_str(),
                    ":now": now,
                    ":keeps": state.is_unsettled(),
                    ":ends": ends,
                    ":key": lease.key.to_string(),
                })?;
            Ok(())
        };
        // Before a request to settle leaves, the disk must know; the steps before that may be lost with the power.
        if steps
            .iter()
            .any(|step| matches!(step, Step::Settle | Step::Refuse))
        {
            self.write(work)
        } else {
            self.write_soon(work)
        }
    }

    fn hold(&self, lease: &Lease, scan: &NewScan<'_>, held: &[u8], now: Millis) -> Result<(), StoreError> {
        // `Settle` follows and waits for the disk, which takes this write along.
        self.write_soon(|connection| {
            let state = current(connection, lease)?
                .after(Step::Hold)
                .ok_or(StoreError::Lost)?;
            insert_scan(connection, scan, false)?;
            set_held(connection, lease, state, held, now)
        })
    }

    fn hold_to_settle(
        &self,
        lease: &Lease,
        scan: &NewScan<'_>,
        held: &[u8],
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(|connection| {
            let held_state = current(connection, lease)?.after(Step::Hold);
            let state = held_state
                .and_then(|state| state.after(Step::Settle))
                .ok_or(StoreError::Lost)?;
            insert_scan(connection, scan, false)?;
            set_held(connection, lease, state, held, now)
        })
    }

    fn hold_again(&self, lease: &Lease, held: &[u8], now: Millis) -> Result<(), StoreError> {
        self.write_soon(|connection| {
            let state = current(connection, lease)?
                .after(Step::Hold)
                .ok_or(StoreError::Lost)?;
            set_held(connection, lease, state, held, now)
        })
    }

    fn pend(
        &self,
        lease: &Lease,
        transaction: Option<&Transaction>,
        next_try: Millis,
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(|connection| {
            let state = current(connection, lease)?.after(Step::Pend).ok_or(StoreError::Lost)?;
            connection
                .prepare_cached(
                    "UPDATE payment SET state = ?1, hash = coalesce(?2, hash), next_try = ?3, tries = tries + 1,
                            lease_until = 0, changed_at = ?4 WHERE key = ?5",
                )?
                .execute(params![
                    state.as_str(),
                    transaction.map(Transaction::as_str),
                    next_try,
                    now,
                    lease.key.to_string()
                ])?;
            Ok(())
        })
    }

    fn settle(&self, lease: &Lease, settled: &Settled<'_>, now: Millis) -> Result<(), StoreError> {
        let Settled { receipt, inferred } = settled;
        let document = serde_json::to_string(receipt).map_err(|_| StoreError::Damaged("receipt"))?;
        self.write(|connection| {
            let state = current(connection, lease)?.after(Step::Succeed).ok_or(StoreError::Lost)?;
            let key = lease.key.to_string();
            connection
                .prepare_cached(
                    "UPDATE payment SET state = ?1, held = NULL, lease_until = 0, changed_at = ?2 WHERE key = ?3",
                )?
                .execute(params![state.as_str(), now, key])?;
            connection
                .prepare_cached("UPDATE scan SET released = 1 WHERE id = ?1")?
                .execute(params![lease.run.as_bytes()])?;
            let done = connection
                .prepare_cached(
                    "INSERT INTO receipt (id, key, payer, document, inferred, settled_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![
                    receipt.id.as_bytes(),
                    key,
                    lease.key.payer.to_string(),
                    document,
                    inferred,
                    now
                ]);
            match done {
                Ok(_) => {}
                Err(error) if is_taken(&error) => return Err(StoreError::Exists),
                Err(error) => return Err(error.into()),
            }
            let amount = signed(receipt.amount.get())?;
            books::book(connection, receipt, "settled", amount, now)?;
            books::book(connection, receipt, "owed", amount, now)
        })
    }

    fn deliver(&self, key: &PaymentKey, now: Millis) -> Result<(), StoreError> {
        self.write_soon(|connection| {
            let key = key.to_string();
            let taken = connection
                .prepare_cached("UPDATE payment SET state = 'delivered', changed_at = ?1 WHERE key = ?2 AND state = 'settled'")?
                .execute(params![now, key])?;
            if taken == 0 {
                return Ok(());
            }
            let document: String = connection
                .prepare_cached("UPDATE receipt SET delivered_at = ?1 WHERE key = ?2 RETURNING document")?
                .query_row(params![now, key], |row| row.get(0))?;
            let receipt = read_receipt(&document)?;
            let amount = signed(receipt.amount.get())?;
            books::book(connection, &receipt, "owed", -amount, now)?;
            books::book(connection, &receipt, "delivered", amount, now)
        })
    }

    fn renew(&self, leases: &[Lease], until: Millis) -> Result<(), StoreError> {
        self.write_soon(|connection| {
            let mut renewal = connection.prepare_cached(
                "UPDATE payment SET lease_until = ?1 WHERE key = ?2 AND turn = ?3 AND lease_until > 0",
            )?;
            for lease in leases {
                renewal.execute(params![until, lease.key.to_string(), lease.turn])?;
            }
            Ok(())
        })
    }

    fn free_abandoned(&self, now: Millis) -> Result<u64, StoreError> {
        let some = self.read(|connection| {
            let sql = format!("SELECT 1 FROM payment WHERE {BEFORE_RESULT} AND lease_until <= ?1 LIMIT 1");
            Ok(connection
                .prepare_cached(&sql)?
                .query_row(params![now], |_| Ok(()))
                .optional()?)
        })?;
        if some.is_none() {
            return Ok(0);
        }
        self.write_soon(|connection| {
            let sql = format!(
                "UPDATE payment SET state = 'freed', lease_until = 0, turn = turn + 1, changed_at = ?1
                 WHERE {BEFORE_RESULT} AND lease_until <= ?1"
            );
            Ok(connection.prepare_cached(&sql)?.execute(params![now])? as u64)
        })
    }

    fn take_due(&self, now: Millis, lease_until: Millis, most: u32) -> Result<Vec<Unsettled>, StoreError> {
        let sql = format!(
            "SELECT key FROM payment
             WHERE {UNSETTLED} AND lease_until <= ?1 AND next_try <= ?1 ORDER BY next_try LIMIT ?2"
        );
        let due = |connection: &Connection| -> Result<Vec<String>, StoreError> {
            let mut statement = connection.prepare_cached(&sql)?;
            let keys = statement.query_map(params![now, most], |row| row.get(0))?;
            Ok(keys.collect::<Result<_, _>>()?)
        };
        if self.read(due)?.is_empty() {
            return Ok(Vec::new());
        }
        self.write_soon(|connection| {
            due(connection)?
                .iter()
                .map(|key| {
                    let key = key.parse().map_err(|_| StoreError::Damaged("payment key"))?;
                    let lease = take_over(connection, &key, lease_until)?;
                    unsettled(connection, lease)
                })
                .collect()
        })
    }

    fn expire(&self, before: Millis, sold_before: Millis) -> Result<Expired, StoreError> {
        self.write_soon(|connection| {
            let results = connection.execute(
                "DELETE FROM scan WHERE released = 0 AND id IN
                     (SELECT run FROM payment WHERE state = 'refused' AND expires < ?1 AND lease_until < ?1)",
                params![before],
            )?;
            let payments = connection.execute(
                "DELETE FROM payment WHERE (state IN ('freed', 'refused', 'proven') AND expires < ?1 AND lease_until < ?1)
                     OR (state IN ('settled', 'delivered') AND expires < ?2)",
                params![before, sold_before],
            )?;
            // Asking again is of no use any more, nor is the signature. Whether the money moved only the chain can tell.
            connection.execute(
                "UPDATE payment SET held = x'', next_try = 9223372036854775807
                 WHERE state = 'pending' AND expires < ?1 AND lease_until < ?1 AND length(held) > 0",
                params![before],
            )?;
            Ok(Expired { payments: payments as u64, results: results as u64 })
        })
    }

    fn receipts(
        &self,
        payer: &Wallet,
        cursor: Option<ReceiptId>,
        limit: u16,
    ) -> Result<Receipts, StoreError> {
        self.read(|connection| {
            let payer = payer.to_string();
            let before: Option<i64> = match cursor {
                None => Some(i64::MAX),
                // A cursor of somebody else's receipt leads nowhere.
                Some(id) => connection
                    .prepare_cached("SELECT position FROM receipt WHERE id = ?1 AND payer = ?2")?
                    .query_row(params![id.as_bytes(), payer], |row| row.get(0))
                    .optional()?,
            };
            let Some(before) = before else { return Ok(Receipts::default()) };
            let mut statement = connection.prepare_cached(
                "SELECT document FROM receipt WHERE payer = ?1 AND position < ?2 ORDER BY position DESC LIMIT ?3",
            )?;
            let documents = statement.query_map(params![payer, before, u32::from(limit) + 1], |row| row.get(0))?;
            let documents: Vec<String> = documents.collect::<Result<_, _>>()?;
            let mut receipts: Vec<Receipt> =
                documents.iter().map(|document| read_receipt(document)).collect::<Result<_, _>>()?;
            let more = receipts.len() > usize::from(limit);
            receipts.truncate(limit.into());
            let next = receipts.last().filter(|_| more).map(|receipt| receipt.id);
            Ok(Receipts { receipts, next })
        })
    }

    fn receipt_of(&self, key: &PaymentKey) -> Result<Option<Receipt>, StoreError> {
        self.read(|connection| {
            let document: Option<String> = connection
                .prepare_cached("SELECT document FROM receipt WHERE key = ?1")?
                .query_row(params![key.to_string()], |row| row.get(0))
                .optional()?;
            document.map(|document| read_receipt(&document)).transpose()
        })
    }

    fn books(&self) -> Result<Books, StoreError> {
        // One transaction, so that all numbers are of the same moment.
        self.read(|connection| {
            let transaction = connection.unchecked_transaction()?;
            let books = books::read(&transaction)?;
            transaction.commit()?;
            Ok(books)
        })
    }
}
