//! Payments, from the first claim to the receipt.
//!
//! [`PaymentState::after`] and [`PaymentView::decision`] decide on each change,
//! inside the transaction that writes it and under the lock of the payment's row.
//!
//! A lease names the turn *and* the run it was given for.
//! The turn alone is not enough: a PostgreSQL server that takes over after a failover may have missed a claim,
//! and then the next claim counts from 1 again.

mod rows;
mod unpaid;

use super::ledger::{insert_entry, insert_refund, now, read_books, read_refunds};
use super::{Backend, Durability, Lock, Query, values};
use crate::columns::signed;
use crate::purchase::{
    Begun, Books, ClaimDecision, ClaimMode, ClaimOutcome, ExpiredPayments, ExposureLimit, HeldPayment, Lease,
    Millis, PaymentClaim, PaymentCount, PaymentState, PaymentStep, ReceiptList, RecordedSettlement, Refund,
    ReportedSettlement, SettledPayment, Unproven, UnsettledPayment,
};
use crate::{Store, StoreError};
use ibid_model::{PaymentKey, Receipt, ReceiptId, ScanId, Transaction, Wallet};
pub(super) use rows::is_settled;
use rows::{
    abandon_run, claim_again, continued, current, find, identified, insert_claim, of_run, open_orders,
    set_held, sold, sold_or_owed, take_over,
};
use unpaid::{count_unpaid, is_address_full, is_covered, is_shop_full};

/// Attempts to claim a payment that other transactions insert and delete meanwhile.
const CLAIM_ATTEMPTS: u32 = 3;

impl Store {
    /// Presents a payment.
    /// With [`ClaimMode::MayStart`] an unknown one is claimed, unless another payment of the same wallet has its
    /// identifier.
    /// A claim for another request cancels the durable run of the claim before it, and erases its hidden result.
    pub fn claim(&self, claim: &PaymentClaim<'_>, mode: ClaimMode) -> Result<ClaimOutcome, StoreError> {
        // Most requests after the first change no row, and need no lock.
        let looked = self.read(|db| {
            let found = find(db, claim, Lock::None)?;
            let spent = found.as_ref().is_some_and(|found| found.spent);
            match found.map_or(ClaimDecision::Start, |found| found.view.decision()) {
                ClaimDecision::Wait => Ok(Some(ClaimOutcome::Wait)),
                ClaimDecision::Used if spent => Ok(Some(ClaimOutcome::Spent)),
                ClaimDecision::Used => Ok(Some(ClaimOutcome::Used)),
                ClaimDecision::Sold => Ok(sold(db, claim.key)?.map(ClaimOutcome::Sold)),
                ClaimDecision::Start if mode == ClaimMode::OnlyReturn => Ok(Some(ClaimOutcome::Unknown)),
                ClaimDecision::Start | ClaimDecision::Settle | ClaimDecision::Retry => Ok(None),
            }
        })?;
        if let Some(outcome) = looked {
            return Ok(outcome);
        }
        self.write(Durability::Process, |db| {
            for _ in 0..CLAIM_ATTEMPTS {
                if let Some(other) = identified(db, claim)? {
                    return Ok(other);
                }
                let Some(found) = find(db, claim, Lock::Row)? else {
                    if mode != ClaimMode::MayStart {
                        return Ok(ClaimOutcome::Unknown);
                    }
                    // Of two concurrent first claims, the second waits here for the first and then inserts no row.
                    match insert_claim(db, claim)? {
                        Some(lease) => return Ok(ClaimOutcome::Start(lease)),
                        None => continue,
                    }
                };
                return match found.view.decision() {
                    ClaimDecision::Wait => Ok(ClaimOutcome::Wait),
                    ClaimDecision::Used if found.spent => Ok(ClaimOutcome::Spent),
                    ClaimDecision::Used => Ok(ClaimOutcome::Used),
                    ClaimDecision::Sold => sold_or_owed(db, claim.key),
                    ClaimDecision::Start if mode == ClaimMode::OnlyReturn => Ok(ClaimOutcome::Unknown),
                    ClaimDecision::Start => match (continued(db, &found)?, mode) {
                        (Some(run), _) => {
                            let claim = PaymentClaim { run, ..*claim };
                            claim_again(db, &claim).map(ClaimOutcome::Start)
                        }
                        (None, ClaimMode::MayStart) => {
                            abandon_run(db, found.run)?;
                            claim_again(db, claim).map(ClaimOutcome::Start)
                        }
                        (None, ClaimMode::MayContinue | ClaimMode::OnlyReturn) => Ok(ClaimOutcome::Unknown),
                    },
                    ClaimDecision::Settle => {
                        take_over(db, claim.key, claim.lease_until).map(ClaimOutcome::Settle)
                    }
                    ClaimDecision::Retry => {
                        take_over(db, claim.key, claim.lease_until).map(ClaimOutcome::Retry)
                    }
                };
            }
            Ok(ClaimOutcome::Wait)
        })
    }

    /// Applies steps without further data, in one transaction: verify, begin, settle, unsent, free, prove, void.
    /// A step that ends the turn ends the lease.
    /// A payment that is freed before it was ever verified is deleted.
    /// A void payment is a failed order, unless it was refused before.
    pub fn apply_steps(&self, lease: &Lease, steps: &[PaymentStep], now: Millis) -> Result<(), StoreError> {
        // The disk must have these before a request to settle leaves, and before the buyer hears that it is void.
        let durability = if steps
            .iter()
            .any(|step| matches!(step, PaymentStep::Settle | PaymentStep::Void))
        {
            Durability::Disk
        } else {
            Durability::Process
        };
        self.write(durability, |db| {
            let before = current(db, lease)?;
            let mut state = before;
            for step in steps {
                state = state.after(*step).ok_or(StoreError::Lost)?;
            }
            if steps == [PaymentStep::Free] && before == PaymentState::Claimed && lease.turn == 1 {
                // It was never verified, so there is no work to come back to.
                db.execute("DELETE FROM payment WHERE key = ?1", values![&lease.key])?;
                return Ok(());
            }
            let ends = matches!(
                state,
                PaymentState::Held
                    | PaymentState::Freed
                    | PaymentState::Refused
                    | PaymentState::Void
                    | PaymentState::Proven
            );
            db.execute(
                "UPDATE payment SET state = ?1, changed_at = ?2, held = CASE WHEN ?3 THEN held END,
                        lease_until = CASE WHEN ?4 THEN 0 ELSE lease_until END,
                        next_try = CASE WHEN ?6 THEN 0 ELSE next_try END
                 WHERE key = ?5",
                values![
                    state.as_str(),
                    now,
                    state.is_unsettled(),
                    ends,
                    &lease.key,
                    before == PaymentState::Refused,
                ],
            )?;
            if state == PaymentState::Void && before != PaymentState::Refused {
                count_unpaid(db, lease, now)?;
            }
            Ok(())
        })
    }

    /// Frees a payment whose work failed, and counts the failed order of its payer. Applies [`PaymentStep::Free`],
    /// unless it is settled: then the work is still owed.
    pub fn fail(&self, lease: &Lease, now: Millis) -> Result<(), StoreError> {
        self.write(Durability::Process, |db| {
            let state = match current(db, lease)? {
                paid @ (PaymentState::Settled | PaymentState::Delivered) => paid,
                other => other.after(PaymentStep::Free).ok_or(StoreError::Lost)?,
            };
            db.execute(
                "UPDATE payment SET state = ?1, lease_until = 0, changed_at = ?2 WHERE key = ?3",
                values![state.as_str(), now, &lease.key],
            )?;
            db.run(
                "INSERT INTO failed_order (at, payer) VALUES (?1, ?2)",
                values![now, lease.key.payer.to_string()],
            )
        })
    }

    /// Counts a payer's failed orders since a time in the last hour, and returns when the first one failed.
    pub fn failed_orders(&self, payer: &Wallet, since: Millis) -> Result<(u64, Option<Millis>), StoreError> {
        let sql = "SELECT count(*), min(at) FROM failed_order WHERE payer = ?1 AND at > ?2";
        self.only(sql, values![payer.to_string(), since])
    }

    /// Begins the work for a verified payment, unless too much is open or unpaid:
    /// applies [`PaymentStep::Verify`] and [`PaymentStep::Begin`].
    /// An order is open from here on until it is settled, and at the latest until its authorization has ended.
    pub fn begin(&self, lease: &Lease, limit: ExposureLimit, now: Millis) -> Result<Begun, StoreError> {
        self.write(Durability::Process, |db| {
            // Locks the payer's rows in their order, before the row of this order, because two orders by one payer that
            // begin at once wait for each other only in one direction.
            let open = open_orders(db, &lease.key, now)?;
            let state = current(db, lease)?
                .after(PaymentStep::Verify)
                .and_then(|state| state.after(PaymentStep::Begin))
                .ok_or(StoreError::Lost)?;
            let trusted = is_covered(db, &lease.key.payer, &open, &limit)?;
            if limit.trusted_only && !trusted {
                return Ok(Begun::Untrusted);
            }
            let uncovered = open.iter().filter(|order| order.untrusted).count();
            if open.len() >= limit.most as usize || !trusted && uncovered >= limit.first as usize {
                return Ok(Begun::TooManyOpen);
            }
            // Other payers are counted without locks: transactions at the same moment may exceed these bounds a little.
            let full = limit.asks_models
                && (is_address_full(db, &lease.key, &limit, now)? || is_shop_full(db, limit.unpaid, now)?);
            db.execute(
                "UPDATE payment SET state = ?1, changed_at = ?2, untrusted = ?4 WHERE key = ?3",
                values![state.as_str(), now, &lease.key, !trusted],
            )?;
            Ok(if full { Begun::Settled } else { Begun::Yes })
        })
    }

    /// Stores the settlement data of a payment, after its work or before it, and records the coming settlement request.
    /// Applies [`PaymentStep::Hold`] and [`PaymentStep::Settle`] in one transaction, and returns once it is on disk.
    ///
    /// # Errors
    /// [`StoreError::Lost`], or the fault of the database.
    pub fn hold_to_settle(
        &self,
        lease: &Lease,
        held: HeldPayment<'_>,
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            let state = current(db, lease)?
                .after(PaymentStep::Hold)
                .and_then(|state| state.after(PaymentStep::Settle))
                .ok_or(StoreError::Lost)?;
            set_held(db, lease, state, held, now)
        })
    }

    /// Ends a turn without a known outcome.
    /// Until `next_try` only a request of the buyer settles again. Applies [`PaymentStep::Pend`].
    pub fn pend(
        &self,
        lease: &Lease,
        transaction: Option<&Transaction>,
        next_try: Millis,
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            let state = current(db, lease)?
                .after(PaymentStep::Pend)
                .ok_or(StoreError::Lost)?;
            db.run(
                "UPDATE payment SET state = ?1, hash = coalesce(?2, hash), next_try = ?3, tries = tries + 1,
                        held = coalesce(held, ?6), lease_until = 0, changed_at = ?4 WHERE key = ?5",
                values![
                    state.as_str(),
                    transaction.map(Transaction::as_str),
                    next_try,
                    now,
                    &lease.key,
                    [].as_slice(),
                ],
            )
        })
    }

    /// Ends a turn with a refusal and erases the signed payload.
    /// At `next_look` the payment is due again, for a look at the chain.
    /// Counts the failed order, once. Applies [`PaymentStep::Refuse`].
    pub fn refuse(&self, lease: &Lease, next_look: Millis, now: Millis) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            let before = current(db, lease)?;
            let state = before.after(PaymentStep::Refuse).ok_or(StoreError::Lost)?;
            db.execute(
                "UPDATE payment SET state = ?1, held = NULL, next_try = ?2, lease_until = 0, changed_at = ?3
                 WHERE key = ?4",
                values![state.as_str(), next_look, now, &lease.key],
            )?;
            if before != PaymentState::Refused {
                count_unpaid(db, lease, now)?;
            }
            Ok(())
        })
    }

    /// Stores the receipt, releases the result, erases the signed payload, books the amount as settled and owed.
    /// The order is no longer a failed one. Applies [`PaymentStep::Succeed`].
    /// The lease may have ended: that money has moved is true in any turn of the run.
    ///
    /// # Errors
    /// [`StoreError::Lost`] if it is settled already, or void; otherwise the fault of the database.
    pub fn settle(&self, lease: &Lease, settled: &SettledPayment<'_>, now: Millis) -> Result<(), StoreError> {
        let SettledPayment {
            receipt,
            inferred,
            look_at,
        } = *settled;
        let document = serde_json::to_string(receipt).map_err(|_| StoreError::Damaged("receipt"))?;
        let amount = signed(receipt.amount.get())?;
        self.write(Durability::Disk, |db| {
            let state = of_run(db, lease)?
                .after(PaymentStep::Succeed)
                .ok_or(StoreError::Lost)?;
            db.execute(
                "UPDATE payment SET state = ?1, held = NULL, lease_until = 0, changed_at = ?2 WHERE key = ?3",
                values![state.as_str(), now, &lease.key],
            )?;
            db.execute(
                "UPDATE scan SET released = ?2 WHERE id = ?1",
                values![lease.run, true],
            )?;
            db.execute(
                "INSERT INTO receipt (id, key, payer, document, inferred, settled_at, look_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                values![
                    receipt.id,
                    &lease.key,
                    lease.key.payer.to_string(),
                    document.as_str(),
                    inferred,
                    now,
                    look_at,
                ],
            )?;
            insert_entry(db, receipt, "settled", amount, now)?;
            insert_entry(db, receipt, "owed", amount, now)?;
            db.run("DELETE FROM failed_order WHERE run = ?1", values![lease.run])
        })
    }

    /// Books the amount from owed to delivered, once. Applies [`PaymentStep::Deliver`].
    pub fn deliver(&self, key: &PaymentKey, now: Millis) -> Result<(), StoreError> {
        self.write_idempotent(|db| {
            let delivered = db.execute(
                "UPDATE payment SET state = 'delivered', changed_at = ?1 WHERE key = ?2 AND state = 'settled'",
                values![now, key],
            )?;
            if delivered == 0 {
                return Ok(());
            }
            let sql = "UPDATE receipt SET delivered_at = ?1 WHERE key = ?2 RETURNING document";
            let receipt: Receipt = db.only(sql, values![now, key])?;
            let amount = signed(receipt.amount.get())?;
            insert_entry(db, &receipt, "owed", -amount, now)?;
            insert_entry(db, &receipt, "delivered", amount, now)
        })
    }

    /// Extends leases. A lease that was lost is not changed.
    pub fn renew_leases(&self, leases: &[Lease], until: Millis) -> Result<(), StoreError> {
        self.write(Durability::Relaxed, |db| {
            for lease in leases {
                db.execute(
                    "UPDATE payment SET lease_until = ?1 WHERE key = ?2 AND turn = ?3 AND run = ?4 AND lease_until > 0",
                    values![until, &lease.key, lease.turn, lease.run],
                )?;
            }
            Ok(())
        })
    }

    /// Frees payments without a result after the end of their lease, and deletes those that were never verified.
    /// Returns their number.
    pub fn free_abandoned_payments(&self, now: Millis) -> Result<u64, StoreError> {
        // Most calls find no payment. A read does not wait for other writers.
        let sql =
            "SELECT key FROM payment WHERE state IN ('claimed', 'verified', 'running') AND lease_until <= ?1";
        if !self.has(sql, values![now])? {
            return Ok(0);
        }
        self.write(Durability::Relaxed, |db| {
            // A locked row is being changed by its holder.
            let mut freed = 0;
            for key in db.locked::<String>(sql, Lock::SkipLocked, values![now])? {
                freed += db.execute(
                    "DELETE FROM payment WHERE key = ?1 AND state = 'claimed' AND turn = 1",
                    values![key.as_str()],
                )?;
                freed += db.execute(
                    "UPDATE payment SET state = 'freed', lease_until = 0, turn = turn + 1, changed_at = ?1 WHERE key = ?2",
                    values![now, key],
                )?;
            }
            Ok(freed)
        })
    }

    /// Takes over at most `most` unsettled or refused payments without a valid lease that are due for another try.
    pub fn take_over_due(
        &self,
        now: Millis,
        lease_until: Millis,
        most: u32,
    ) -> Result<Vec<UnsettledPayment>, StoreError> {
        let sql = "SELECT key FROM payment
                   WHERE state IN ('held', 'settling', 'pending', 'refused') AND lease_until <= ?1 AND next_try <= ?1
                   ORDER BY next_try LIMIT ?2";
        if !self.has(sql, values![now, 1_i64])? {
            return Ok(Vec::new());
        }
        self.write(Durability::Relaxed, |db| {
            let due = db.locked(sql, Lock::SkipLocked, values![now, most])?;
            due.iter().map(|key| take_over(db, key, lease_until)).collect()
        })
    }

    /// Returns the payments whose settlement is pending or was refused: those that the chain can still decide.
    pub fn undecided_payments(&self) -> Result<Vec<PaymentKey>, StoreError> {
        self.list(
            "SELECT key FROM payment WHERE state IN ('settling', 'pending', 'refused') ORDER BY changed_at",
            &[],
        )
    }

    /// Takes over a pending or refused payment without a valid lease, due or not.
    pub fn take_over_undecided(
        &self,
        key: &PaymentKey,
        now: Millis,
        lease_until: Millis,
    ) -> Result<Option<UnsettledPayment>, StoreError> {
        self.write(Durability::Process, |db| {
            let sql = "SELECT key FROM payment
                       WHERE key = ?1 AND state IN ('settling', 'pending', 'refused') AND lease_until <= ?2";
            match db.lock(sql, values![key, now])? {
                true => take_over(db, key, lease_until).map(Some),
                false => Ok(None),
            }
        })
    }

    /// Deletes payments that bought no result and whose authorization ended before `before`: freed ones, proofs, and
    /// void ones with their results. Pending ones of that age lose the signed payload and stay.
    /// Refused ones are deleted with their results, and sold ones without their receipts and results, if their
    /// authorization ended before `sold_before`.
    pub fn expire_payments(
        &self,
        before: Millis,
        sold_before: Millis,
    ) -> Result<ExpiredPayments, StoreError> {
        let expired = self.write(Durability::Relaxed, |db| {
            // The payment is deleted first: after that no claim can take it over and miss its result.
            let deleted = db.list::<Option<ScanId>>(
                "DELETE FROM payment
                 WHERE (state IN ('freed', 'void', 'proven') AND expires < ?1 AND lease_until < ?1)
                    OR (state IN ('settled', 'delivered', 'refused') AND expires < ?2 AND lease_until < ?1)
                 RETURNING CASE WHEN state IN ('refused', 'void', 'freed') THEN run END",
                values![before, sold_before],
            )?;
            let (payments, mut results) = (deleted.len() as u64, 0);
            for unpaid in deleted.into_iter().flatten() {
                let sql = "DELETE FROM scan WHERE NOT released AND id = ?1";
                results += db.execute(sql, values![unpaid])?;
            }
            // The authorization has ended, so the signature is useless and the facilitator is not asked again.
            // Only the chain can show whether the money moved, so the payment stays due for checks of the chain.
            db.execute(
                "UPDATE payment SET held = ?2
                 WHERE state = 'pending' AND expires < ?1 AND lease_until < ?1 AND length(held) > 0",
                values![before, [].as_slice()],
            )?;
            db.execute(
                "DELETE FROM failed_order WHERE at < ?1 AND (run IS NULL OR at < ?2)",
                values![before, sold_before],
            )?;
            Ok(ExpiredPayments { payments, results })
        })?;
        self.empty_logs()?;
        Ok(expired)
    }

    /// Returns receipts of a wallet, latest first, after the receipt `cursor`.
    /// An unknown cursor gives an empty list.
    pub fn receipts(
        &self,
        payer: &Wallet,
        cursor: Option<ReceiptId>,
        limit: u16,
    ) -> Result<ReceiptList, StoreError> {
        // Another wallet's receipt as a cursor gives an empty page.
        let mut receipts: Vec<Receipt> = self.list(
            "SELECT document FROM receipt
             WHERE payer = ?1 AND (position < (SELECT position FROM receipt WHERE id = ?2 AND payer = ?1)
                                   OR ?2 IS NULL)
             ORDER BY position DESC LIMIT ?3",
            values![payer.to_string(), cursor, i64::from(limit) + 1],
        )?;

        let more = receipts.len() > usize::from(limit);
        receipts.truncate(limit.into());
        let next = receipts.last().filter(|_| more).map(|receipt| receipt.id);
        Ok(ReceiptList { receipts, next })
    }

    pub fn receipt_of(&self, key: &PaymentKey) -> Result<Option<Receipt>, StoreError> {
        self.one("SELECT document FROM receipt WHERE key = ?1", values![key])
    }

    /// Returns the settlements that were stored since a time, oldest first.
    pub fn recorded_since(&self, since: Millis) -> Result<Vec<RecordedSettlement>, StoreError> {
        self.list(
            "SELECT key, document AS receipt, inferred, settled_at AS at FROM receipt WHERE settled_at >= ?1
             ORDER BY position",
            values![since],
        )
    }

    /// Records a refund or a credit.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the transaction is recorded already; otherwise the fault of the database.
    pub fn record_refund(&self, refund: &Refund, now: Millis) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| insert_refund(db, refund, now))
    }

    /// Returns the recorded refunds and credits, oldest first.
    pub fn refunds(&self) -> Result<Vec<Refund>, StoreError> {
        self.read(read_refunds)
    }

    /// Returns the numbers of payments by state and skill.
    pub fn payment_counts(&self) -> Result<Vec<PaymentCount>, StoreError> {
        let sql =
            "SELECT state, skill, count(*) AS payments, count(CASE WHEN expires > ?1 THEN 1 END) AS valid
                   FROM payment
                   GROUP BY state, skill ORDER BY state, skill";
        self.list(sql, values![now()])
    }

    /// Takes at most `most` receipts that are due for a look at the chain, and puts their next look off to `again`.
    pub fn take_reported(
        &self,
        now: Millis,
        again: Millis,
        most: u32,
    ) -> Result<Vec<ReportedSettlement>, StoreError> {
        let sql = "SELECT id FROM receipt WHERE look_at <= ?1 ORDER BY look_at LIMIT ?2";
        // Most calls find no payment. A read does not wait for other writers.
        if !self.has(sql, values![now, 1_i64])? {
            return Ok(Vec::new());
        }
        self.write(Durability::Relaxed, |db| {
            let due = db.locked::<ReceiptId>(sql, Lock::SkipLocked, values![now, most])?;
            let reported = due.into_iter().map(|receipt| {
                db.only(
                    "UPDATE receipt SET look_at = ?2 WHERE id = ?1
                     RETURNING key, id AS receipt, settled_at AS at,
                               (SELECT expected FROM payment WHERE payment.key = receipt.key) AS expected",
                    values![receipt, again],
                )
            });
            reported.collect()
        })
    }

    /// Stores what a look at the chain found, and when the next one is due; without `next_look` it was the last.
    /// Returns whether `missing` is news.
    pub fn note_look(
        &self,
        receipt: ReceiptId,
        missing: bool,
        next_look: Option<Millis>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Process, |db| {
            let changed = db.execute(
                "UPDATE receipt SET missing = ?2 WHERE id = ?1 AND missing <> ?2",
                values![receipt, missing],
            )?;
            db.execute(
                "UPDATE receipt SET look_at = ?2 WHERE id = ?1",
                values![receipt, next_look],
            )?;
            Ok(changed == 1)
        })
    }

    /// Returns what is not proven about payments and receipts.
    pub fn unproven_payments(&self) -> Result<Unproven, StoreError> {
        self.only(
            "SELECT (SELECT min(changed_at) FROM payment WHERE state IN ('settling', 'pending')) AS unknown_since,
             (SELECT count(*) FROM receipt WHERE inferred) AS inferred,
             (SELECT count(*) FROM receipt WHERE missing) AS missing",
            &[],
        )
    }

    /// Returns the report on the ledger.
    pub fn books(&self) -> Result<Books, StoreError> {
        self.snapshot(read_books)
    }
}
