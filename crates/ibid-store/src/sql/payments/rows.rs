//! Rows of payments.

use crate::StoreError;

use crate::purchase::{
    ClaimDecision, ClaimOutcome, HeldPayment, Lease, Millis, OwedWork, PaymentClaim, PaymentState,
    PaymentView, SoldResult, UnsettledPayment,
};
use crate::sql::{Executor, Lock, Query, Value, values};
use ibid_model::{PaymentKey, ScanId, Skill};

/// A stored payment, compared with the request that presents it.
pub(super) struct Found {
    pub(super) view: PaymentView,
    /// What its last claim ran.
    pub(super) run: ScanId,
    /// Whether it is void, and its money may have moved.
    pub(super) spent: bool,
}

pub(super) fn find(
    db: &mut dyn Executor,
    claim: &PaymentClaim<'_>,
    lock: Lock,
) -> Result<Option<Found>, StoreError> {
    let sql = "SELECT state, lease_until, fingerprint, request, run, next_try FROM payment WHERE key = ?1";
    type Row = (PaymentState, Millis, [u8; 32], [u8; 32], ScanId, Millis);
    let found = db.locked::<Row>(sql, lock, values![claim.key])?.pop();
    Ok(found.map(
        |(state, lease_until, fingerprint, request, run, next_try)| Found {
            view: PaymentView {
                state,
                leased: lease_until > claim.now,
                same: fingerprint == *claim.fingerprint && request == *claim.request,
            },
            run,
            spent: state == PaymentState::Void && next_try == Millis::MAX,
        },
    ))
}

/// Returns the durable run of an interrupted claim, if the same request may go on with it.
pub(super) fn continued(db: &mut dyn Executor, found: &Found) -> Result<Option<ScanId>, StoreError> {
    if !found.view.same {
        return Ok(None);
    }
    db.one(
        "SELECT id FROM durable_run
         WHERE id = ?1 AND NOT cancelled AND state IN ('queued', 'running', 'complete', 'partial')",
        values![found.run],
    )
}

/// Cancels the durable run of an earlier claim, and erases its hidden result.
pub(super) fn abandon_run(db: &mut dyn Executor, run: ScanId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE durable_run SET cancelled = ?2 WHERE id = ?1 AND ended_at IS NULL",
        values![run, true],
    )?;
    db.run("DELETE FROM scan WHERE NOT released AND id = ?1", values![run])
}

/// Whether a sold run was settled before its work.
pub(in crate::sql) fn is_settled(db: &mut dyn Executor, run: ScanId) -> Result<bool, StoreError> {
    let sql = "SELECT run FROM payment WHERE run = ?1 AND state IN ('settled', 'delivered')";
    Ok(db.first(sql, values![run])?.is_some())
}

/// Inserts a first claim. Returns `None` if another transaction has just inserted one.
pub(super) fn insert_claim(
    db: &mut dyn Executor,
    claim: &PaymentClaim<'_>,
) -> Result<Option<Lease>, StoreError> {
    let inserted = db.execute(
        "INSERT INTO payment (key, fingerprint, request, skill, resource, run, state, turn, lease_until, next_try, tries,
                              expires, changed_at, identifier, caller)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'claimed', 1, ?7, 0, 0, ?8, ?9, ?10, ?11)
         ON CONFLICT DO NOTHING",
        &values_of(claim),
    )?;
    Ok((inserted == 1).then_some(Lease {
        key: *claim.key,
        run: claim.run,
        turn: 1,
    }))
}

/// The parameters `?1` to `?11` of a claim.
fn values_of<'a>(claim: &PaymentClaim<'a>) -> [Value<'a>; 11] {
    [
        claim.key.into(),
        claim.fingerprint.into(),
        claim.request.into(),
        claim.skill.to_string().into(),
        claim.resource.into(),
        claim.run.into(),
        claim.lease_until.into(),
        claim.expires.into(),
        claim.now.into(),
        claim
            .identifier
            .map(|identifier| owned_identifier(claim.key, identifier))
            .into(),
        claim.caller.as_slice().into(),
    ]
}

/// The identifier as the table has it: no wallet can take the identifier of another.
fn owned_identifier(key: &PaymentKey, identifier: &str) -> String {
    format!("{}/{identifier}", key.payer)
}

/// Finds another payment's order with the identifier of this claim.
/// A freed, abandoned, refused or void order loses its identifier.
pub(super) fn identified(
    db: &mut dyn Executor,
    claim: &PaymentClaim<'_>,
) -> Result<Option<ClaimOutcome>, StoreError> {
    let Some(identifier) = claim.identifier else {
        return Ok(None);
    };
    let found = db.locked_one::<(PaymentKey, _, Millis, _, [u8; 32])>(
        "SELECT key, state, lease_until, fingerprint, request FROM payment WHERE identifier = ?1 AND key <> ?2",
        values![owned_identifier(claim.key, identifier), claim.key],
    )?;
    let Some((key, state, lease_until, fingerprint, request)) = found else {
        return Ok(None);
    };
    let view = PaymentView {
        state,
        leased: lease_until > claim.now,
        same: true,
    };
    match view.decision() {
        ClaimDecision::Start | ClaimDecision::Retry | ClaimDecision::Used => {
            db.execute(
                "UPDATE payment SET identifier = NULL WHERE key = ?1",
                values![&key],
            )?;
            Ok(None)
        }
        // A claimed payment is unverified and may be a forgery, so it decides no conflict yet.
        ClaimDecision::Wait | ClaimDecision::Settle | ClaimDecision::Sold
            if request != *claim.request && view.state != PaymentState::Claimed =>
        {
            Ok(Some(ClaimOutcome::IdentifierUsed))
        }
        ClaimDecision::Wait | ClaimDecision::Settle | ClaimDecision::Sold => {
            Ok(Some(ClaimOutcome::Identified { key, fingerprint }))
        }
    }
}

/// Claims a payment whose earlier claim ended without a sale.
pub(super) fn claim_again(db: &mut dyn Executor, claim: &PaymentClaim<'_>) -> Result<Lease, StoreError> {
    let turn = db.only(
        "UPDATE payment SET fingerprint = ?2, request = ?3, skill = ?4, resource = ?5, run = ?6, state = 'claimed',
                turn = turn + 1, lease_until = ?7, next_try = 0, tries = 0, expires = ?8, held = NULL, hash = NULL, expected = NULL,
                changed_at = ?9, identifier = ?10, caller = ?11
         WHERE key = ?1 RETURNING turn",
        &values_of(claim),
    )?;
    Ok(Lease {
        key: *claim.key,
        run: claim.run,
        turn,
    })
}

/// Starts a new turn, which invalidates the lease of the last one.
/// A settlement request that may have been sent counts as unknown, so that it may be sent again.
pub(super) fn take_over(
    db: &mut dyn Executor,
    key: &PaymentKey,
    lease_until: Millis,
) -> Result<UnsettledPayment, StoreError> {
    db.only(
        "UPDATE payment SET turn = turn + 1, lease_until = ?2,
                state = CASE state WHEN 'settling' THEN 'pending' ELSE state END
         WHERE key = ?1
         RETURNING key, run, turn, state, COALESCE(held, ?3) AS held, expected, expires,
                   CASE state WHEN 'held' THEN 0 ELSE 1 END AS sent, hash AS \"transaction\", tries, resource",
        values![key, lease_until, [].as_slice()],
    )
}

/// Returns the state of the payment if the lease is still valid, and locks its row.
///
/// # Errors
/// [`StoreError::Lost`] when the payment was taken over; otherwise the fault of the database.
pub(super) fn current(db: &mut dyn Executor, lease: &Lease) -> Result<PaymentState, StoreError> {
    let sql = "SELECT state FROM payment WHERE key = ?1 AND turn = ?2 AND run = ?3";
    let found = db.locked_one(sql, values![&lease.key, lease.turn, lease.run])?;
    found.ok_or(StoreError::Lost)
}

/// Returns the state while the payment belongs to the run that the lease names, in any turn, and locks its row.
///
/// # Errors
/// [`StoreError::Lost`] when the payment belongs to another run; otherwise the fault of the database.
pub(super) fn of_run(db: &mut dyn Executor, lease: &Lease) -> Result<PaymentState, StoreError> {
    let sql = "SELECT state FROM payment WHERE key = ?1 AND run = ?2";
    let found = db.locked_one(sql, values![&lease.key, lease.run])?;
    found.ok_or(StoreError::Lost)
}

/// An order that may cost something without being paid.
pub(super) struct OpenOrder {
    pub(super) skill: Skill,
    /// Whether no settled money covers it.
    pub(super) untrusted: bool,
}

/// Returns the other open orders of a payer: the work is under way, or it is done and the authorization has not ended.
/// Two transactions that ask for one payer run one after the other, because they lock the same rows.
pub(super) fn open_orders(
    db: &mut dyn Executor,
    key: &PaymentKey,
    now: Millis,
) -> Result<Vec<OpenOrder>, StoreError> {
    let text = key.to_string();
    let Some((payer, _)) = text.rsplit_once('/') else {
        return Err(StoreError::Damaged("payment key"));
    };
    // `0` is the character behind `/`.
    let rows = db.locked::<(String, PaymentState, Millis, Millis, Skill, bool)>(
        "SELECT key, state, expires, lease_until, skill, untrusted FROM payment
         WHERE key >= ?1 AND key < ?2 AND state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'refused')
         ORDER BY key",
        Lock::Row,
        values![format!("{payer}/"), format!("{payer}0")],
    )?;
    let mut open = Vec::new();
    for (key, state, expires, lease_until, skill, untrusted) in rows {
        // Work ends with the lease of its process, and a result can be paid for until the authorization ends.
        let ends = if state.is_before_result() {
            lease_until
        } else {
            expires
        };
        if state.is_open() && ends > now && key != text {
            open.push(OpenOrder { skill, untrusted });
        }
    }
    Ok(open)
}

pub(super) fn set_held(
    db: &mut dyn Executor,
    lease: &Lease,
    state: PaymentState,
    held: HeldPayment<'_>,
    now: Millis,
) -> Result<(), StoreError> {
    db.run(
        "UPDATE payment SET state = ?1, held = ?2, expected = ?5, hash = NULL, next_try = 0, changed_at = ?3
         WHERE key = ?4",
        values![state.as_str(), held.payload, now, &lease.key, held.expected],
    )
}

/// Returns the result and the receipt of a settled payment, or `None` while the work is owed.
pub(super) fn sold(db: &mut dyn Executor, key: &PaymentKey) -> Result<Option<SoldResult>, StoreError> {
    let row = db.first(
        "SELECT payment.run, scan.reply, receipt.document FROM payment
         JOIN scan ON scan.id = payment.run JOIN receipt ON receipt.key = payment.key WHERE payment.key = ?1",
        values![key],
    )?;
    row.map(|mut row| {
        Ok(SoldResult {
            run: row.take(0)?,
            reply: row.bytes(1)?,
            receipt: row.take(2)?,
        })
    })
    .transpose()
}

/// Returns what a settled payment has bought. Work that was settled before it and has failed is forgotten, so that it
/// can be done again under the same id.
pub(super) fn sold_or_owed(db: &mut dyn Executor, key: &PaymentKey) -> Result<ClaimOutcome, StoreError> {
    if let Some(sold) = sold(db, key)? {
        return Ok(ClaimOutcome::Sold(sold));
    }
    let owed: OwedWork = db.only(
        "SELECT payment.key, payment.run, payment.turn, receipt.document AS receipt FROM payment
         JOIN receipt ON receipt.key = payment.key WHERE payment.key = ?1",
        values![key],
    )?;
    db.execute(
        "DELETE FROM durable_run WHERE id = ?1 AND ended_at IS NOT NULL",
        values![owed.lease.run],
    )?;
    Ok(ClaimOutcome::Owed(owed))
}
