//! Payments in PostgreSQL. What may happen is decided by [`PaymentState::after`] and [`Sight::admittance`], inside the
//! transaction that writes it down and under the lock of the payment's row.
//!
//! A lease is good for the turn *and* the run it was given for. The turn alone would do on one machine; a server that has
//! taken over from another one may have missed a claim, and the next one counts from 1 again.

mod rows;

use super::link::column;
use super::scan::insert_scan;
use super::{Postgres, books, uuid};
use crate::columns::{read_receipt, signed};
use crate::purchase::{
    Admittance, Books, Entry, Expired, Lease, Millis, PaymentState, Purchases, Receipts, Settled, Step,
    Unsettled, Visit, Visited,
};
use crate::{NewScan, StoreError};
use ibid_model::{PaymentKey, Receipt, ReceiptId, Transaction, Wallet};
use rows::{Lock, claim, claim_again, current, find, read_unsettled, set_held, take_over, told};
use uuid::Uuid;

/// How often a visitor looks for a payment that comes and goes while he looks.
const LOOKS: u32 = 3;

impl Purchases for Postgres {
    fn visit(&self, visit: &Visit<'_>, entry: Entry) -> Result<Visited, StoreError> {
        // Most visits after the first only look; they need no lock.
        let looked = self.read(|link| {
            let found = find(link, visit, Lock::None)?;
            let admittance = found.map_or(Admittance::Start, |found| found.sight.admittance());
            match admittance {
                Admittance::Start if entry == Entry::OnlyReturn => Ok(Some(Visited::Unknown)),
                Admittance::Start | Admittance::Settle | Admittance::Retry => Ok(None),
                Admittance::Wait | Admittance::Used | Admittance::Sold => {
                    told(link, visit, admittance).map(Some)
                }
            }
        })?;
        if let Some(visited) = looked {
            return Ok(visited);
        }
        self.write(|link| {
            for _ in 0..LOOKS {
                let Some(found) = find(link, visit, Lock::Row)? else {
                    if entry == Entry::OnlyReturn {
                        return Ok(Visited::Unknown);
                    }
                    // Of two that have never seen it, the second waits here for the first and is then refused by the key.
                    match claim(link, visit)? {
                        Some(lease) => return Ok(Visited::Start(lease)),
                        None => continue,
                    }
                };
                return match found.sight.admittance() {
                    Admittance::Start if entry == Entry::OnlyReturn => Ok(Visited::Unknown),
                    Admittance::Start => claim_again(link, visit).map(Visited::Start),
                    Admittance::Settle => take_over(link, visit).map(Visited::Settle),
                    Admittance::Retry => {
                        let lease = take_over(link, visit)?.lease;
                        Ok(Visited::Retry {
                            lease,
                            resource: found.resource,
                        })
                    }
                    told_only @ (Admittance::Wait | Admittance::Used | Admittance::Sold) => {
                        told(link, visit, told_only)
                    }
                };
            }
            Ok(Visited::Wait)
        })
    }

    fn take(&self, lease: &Lease, steps: &[Step], now: Millis) -> Result<(), StoreError> {
        self.write(|link| {
            let mut state = current(link, lease)?;
            for step in steps {
                state = state.after(*step).ok_or(StoreError::Lost)?;
            }
            let ends = matches!(
                state,
                PaymentState::Held | PaymentState::Freed | PaymentState::Refused | PaymentState::Proven
            );
            link.execute(
                "UPDATE payment SET state = $1, changed_at = $2, held = CASE WHEN $3 THEN held END,
                        lease_until = CASE WHEN $4 THEN 0 ELSE lease_until END
                 WHERE key = $5",
                &[
                    &state.as_str(),
                    &now,
                    &state.is_unsettled(),
                    &ends,
                    &lease.key.to_string(),
                ],
            )?;
            Ok(())
        })
    }

    fn hold(&self, lease: &Lease, scan: &NewScan<'_>, held: &[u8], now: Millis) -> Result<(), StoreError> {
        // `Settle` follows and waits for the disk, which takes this write along.
        self.write_soon(|link| {
            let state = current(link, lease)?.after(Step::Hold).ok_or(StoreError::Lost)?;
            insert_scan(link, scan, false)?;
            set_held(link, lease, state, held, now)
        })
    }

    fn hold_to_settle(
        &self,
        lease: &Lease,
        scan: &NewScan<'_>,
        held: &[u8],
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(|link| {
            let held_state = current(link, lease)?.after(Step::Hold);
            let state = held_state
                .and_then(|state| state.after(Step::Settle))
                .ok_or(StoreError::Lost)?;
            insert_scan(link, scan, false)?;
            set_held(link, lease, state, held, now)
        })
    }

    fn hold_again(&self, lease: &Lease, held: &[u8], now: Millis) -> Result<(), StoreError> {
        self.write_soon(|link| {
            let state = current(link, lease)?.after(Step::Hold).ok_or(StoreError::Lost)?;
            set_held(link, lease, state, held, now)
        })
    }

    fn pend(
        &self,
        lease: &Lease,
        transaction: Option<&Transaction>,
        next_try: Millis,
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(|link| {
            let state = current(link, lease)?.after(Step::Pend).ok_or(StoreError::Lost)?;
            link.execute(
                "UPDATE payment SET state = $1, hash = coalesce($2, hash), next_try = $3, tries = tries + 1,
                        lease_until = 0, changed_at = $4 WHERE key = $5",
                &[
                    &state.as_str(),
                    &transaction.map(Transaction::as_str),
                    &next_try,
                    &now,
                    &lease.key.to_string(),
                ],
            )?;
            Ok(())
        })
    }

    fn settle(&self, lease: &Lease, settled: &Settled<'_>, now: Millis) -> Result<(), StoreError> {
        let Settled { receipt, inferred } = settled;
        let document = serde_json::to_string(receipt).map_err(|_| StoreError::Damaged("receipt"))?;
        let amount = signed(receipt.amount.get())?;
        self.write(|link| {
            let state = current(link, lease)?.after(Step::Succeed).ok_or(StoreError::Lost)?;
            let key = lease.key.to_string();
            link.execute(
                "UPDATE payment SET state = $1, held = NULL, lease_until = 0, changed_at = $2 WHERE key = $3",
                &[&state.as_str(), &now, &key],
            )?;
            link.execute(
                "UPDATE scan SET released = true WHERE id = $1",
                &[&uuid(lease.run.as_bytes())],
            )?;
            link.execute(
                "INSERT INTO receipt (id, key, payer, document, inferred, settled_at) VALUES ($1, $2, $3, $4, $5, $6)",
                &[
                    &uuid(receipt.id.as_bytes()),
                    &key,
                    &lease.key.payer.to_string(),
                    &document,
                    inferred,
                    &now,
                ],
            )?;
            books::book(link, receipt, [("settled", amount), ("owed", amount)], now)
        })
    }

    fn deliver(&self, key: &PaymentKey, now: Millis) -> Result<(), StoreError> {
        let key = key.to_string();
        self.write_again(|link| {
            let taken = link.execute(
                "UPDATE payment SET state = 'delivered', changed_at = $1 WHERE key = $2 AND state = 'settled'",
                &[&now, &key],
            )?;
            if taken == 0 {
                return Ok(());
            }
            let row = link.only(
                "UPDATE receipt SET delivered_at = $1 WHERE key = $2 RETURNING document",
                &[&now, &key],
            )?;
            let receipt = read_receipt(column(&row, 0)?)?;
            let amount = signed(receipt.amount.get())?;
            books::book(link, &receipt, [("owed", -amount), ("delivered", amount)], now)
        })
    }

    fn renew(&self, leases: &[Lease], until: Millis) -> Result<(), StoreError> {
        let keys: Vec<String> = leases.iter().map(|lease| lease.key.to_string()).collect();
        let turns: Vec<i64> = leases.iter().map(|lease| lease.turn).collect();
        let runs: Vec<Uuid> = leases.iter().map(|lease| uuid(lease.run.as_bytes())).collect();
        self.write_soon(|link| {
            link.execute(
                "UPDATE payment SET lease_until = $1
                 FROM unnest($2::text[], $3::bigint[], $4::uuid[]) AS mine (key, turn, run)
                 WHERE payment.key = mine.key AND payment.turn = mine.turn AND payment.run = mine.run
                   AND payment.lease_until > 0",
                &[&until, &keys, &turns, &runs],
            )?;
            Ok(())
        })
    }

    fn free_abandoned(&self, now: Millis) -> Result<u64, StoreError> {
        let some = self.read(|link| {
            link.first(
                "SELECT 1 FROM payment
                 WHERE state IN ('claimed', 'verified', 'running') AND lease_until <= $1 LIMIT 1",
                &[&now],
            )
        })?;
        if some.is_none() {
            return Ok(0);
        }
        // A row that is locked is in somebody's hands.
        self.write_soon(|link| {
            link.execute(
                "WITH gone AS MATERIALIZED (
                     SELECT key FROM payment
                     WHERE state IN ('claimed', 'verified', 'running') AND lease_until <= $1
                     FOR UPDATE SKIP LOCKED)
                 UPDATE payment SET state = 'freed', lease_until = 0, turn = turn + 1, changed_at = $1
                 FROM gone WHERE payment.key = gone.key",
                &[&now],
            )
        })
    }

    fn take_due(&self, now: Millis, lease_until: Millis, most: u32) -> Result<Vec<Unsettled>, StoreError> {
        let some = self.read(|link| {
            link.first(
                "SELECT 1 FROM payment
                 WHERE state IN ('held', 'settling', 'pending') AND lease_until <= $1 AND next_try <= $1 LIMIT 1",
                &[&now],
            )
        })?;
        if some.is_none() {
            return Ok(Vec::new());
        }
        self.write_soon(|link| {
            let rows = link.all(
                "WITH due AS MATERIALIZED (
                     SELECT key FROM payment
                     WHERE state IN ('held', 'settling', 'pending') AND lease_until <= $1 AND next_try <= $1
                     ORDER BY next_try LIMIT $2 FOR UPDATE SKIP LOCKED)
                 UPDATE payment SET turn = turn + 1, lease_until = $3,
                        state = CASE state WHEN 'settling' THEN 'pending' ELSE state END
                 FROM due WHERE payment.key = due.key
                 RETURNING payment.key, run, turn, state, held, hash, tries, resource",
                &[&now, &i64::from(most), &lease_until],
            )?;
            rows.iter().map(read_unsettled).collect()
        })
    }

    fn expire(&self, before: Millis, sold_before: Millis) -> Result<Expired, StoreError> {
        self.write_soon(|link| {
            // The payment goes first: once it is gone nobody can take it up again and miss its result.
            let gone = link.all(
                "DELETE FROM payment
                 WHERE (state IN ('freed', 'refused', 'proven') AND expires < $1 AND lease_until < $1)
                    OR (state IN ('settled', 'delivered') AND expires < $2)
                 RETURNING CASE WHEN state = 'refused' THEN run END",
                &[&before, &sold_before],
            )?;
            let refused: Vec<Option<Uuid>> =
                gone.iter().map(|row| column(row, 0)).collect::<Result<_, _>>()?;
            let refused: Vec<Uuid> = refused.into_iter().flatten().collect();
            let results = link.execute(
                "DELETE FROM scan WHERE NOT released AND id = ANY ($1)",
                &[&refused],
            )?;
            // Asking again is of no use any more, nor is the signature. Whether the money moved only the chain can tell.
            link.execute(
                "UPDATE payment SET held = '', next_try = 9223372036854775807
                 WHERE state = 'pending' AND expires < $1 AND lease_until < $1 AND octet_length(held) > 0",
                &[&before],
            )?;
            Ok(Expired {
                payments: gone.len() as u64,
                results,
            })
        })
    }

    fn receipts(
        &self,
        payer: &Wallet,
        cursor: Option<ReceiptId>,
        limit: u16,
    ) -> Result<Receipts, StoreError> {
        let (payer, cursor) = (payer.to_string(), cursor.map(|id| uuid(id.as_bytes())));
        // A cursor of somebody else's receipt leads nowhere.
        let rows = self.read(|link| {
            link.all(
                "SELECT document FROM receipt
                 WHERE payer = $1 AND ($2::uuid IS NULL
                       OR position < (SELECT position FROM receipt WHERE id = $2 AND payer = $1))
                 ORDER BY position DESC LIMIT $3",
                &[&payer, &cursor, &(i64::from(limit) + 1)],
            )
        })?;
        let mut receipts: Vec<Receipt> = rows
            .iter()
            .map(|row| read_receipt(column(row, 0)?))
            .collect::<Result<_, _>>()?;
        let more = receipts.len() > usize::from(limit);
        receipts.truncate(limit.into());
        let next = receipts.last().filter(|_| more).map(|receipt| receipt.id);
        Ok(Receipts { receipts, next })
    }

    fn receipt_of(&self, key: &PaymentKey) -> Result<Option<Receipt>, StoreError> {
        let key = key.to_string();
        let found = self.read(|link| link.first("SELECT document FROM receipt WHERE key = $1", &[&key]))?;
        found.map(|row| read_receipt(column(&row, 0)?)).transpose()
    }

    fn books(&self) -> Result<Books, StoreError> {
        self.look(books::read)
    }
}
