//! Durable runs. A transaction that changes several steps locks the row of the run first.

use super::callers::count_orders;
use super::deliveries::insert_deliveries;
use super::idempotency::{free_key, fulfil_key};
use super::payments::is_settled;
use super::runs::{end_without_result, finish, insert_audit};
use super::scans::insert_scan;
use super::{Backend, Durability, Executor, Lock, Query, Value, found_runs, values};
use crate::durable_run::{
    BegunStep, CallOutcome, CancelOutcome, ClaimedStep, CountedRuns, DurableRunView, HeldStep, NewDurableRun,
    OpenRun, OpenedRuns, RunFilter, RunResult, RunStep, RunSubject, SealedSecret, StepRoom, WorkerId,
};
use crate::purchase::Millis;
use crate::{KeyedRequest, NewDelivery, OrderCount, Origin, Store, StoreError};
use ibid_model::{BatchId, RunState, ScanId};
use serde::Deserialize;

/// One level of priority counts as much as this age in milliseconds.
const PRIORITY: i64 = 60_000;
/// Numbers the plan step.
const PLAN: i64 = -1;
/// Numbers the aggregate step.
const AGGREGATE: i64 = -2;

/// Steps of a cancelled run are due from this time on, before all others.
const CANCELLED: i64 = 0;

/// Counts claims that failed in a row, such as one that began and stored nothing.
macro_rules! failed {
    () => {
        "CASE WHEN stored > stored_before THEN 0 WHEN begun THEN attempts + 1 ELSE attempts END"
    };
}

/// Steps to claim, best first: shards up to the rank `?2`, and all others.
/// A tenant's second step ranks as if its first were claimed, so that claimers at the same moment do not all try the
/// same row.
/// A plan has its turn behind the shards of older runs, so that a tenant with many runs does not fill the table.
/// Aggregates and cancelled runs have turns of their own, because they make no call.
const CANDIDATES: &str = concat!(
    "WITH waiting AS (SELECT run_step.*, ",
    failed!(),
    " AS failed FROM run_step)
    SELECT head.run, head.step, head.epoch, head.ends = 0 AND head.step >= 0 AS asks,
           head.place + COALESCE(busy.claimed, 0) AS turn, head.failed FROM (
        SELECT run, step, epoch, tenant, due, failed, 0 AS ends,
               ROW_NUMBER() OVER (PARTITION BY tenant ORDER BY due, run, step) AS place
        FROM waiting WHERE failed < ?3 AND step > -2 AND due > 0 AND not_before <= ?1 AND (lease_until IS NULL OR lease_until <= ?1)
        UNION ALL
        SELECT run, step, epoch, tenant, due, failed, 1,
               ROW_NUMBER() OVER (PARTITION BY tenant ORDER BY due, run, step)
        FROM waiting WHERE failed < ?3 AND (step = -2 OR due <= 0) AND not_before <= ?1 AND (lease_until IS NULL OR lease_until <= ?1)
    ) AS head
    LEFT JOIN (
        SELECT tenant, COUNT(*) AS claimed FROM run_step WHERE lease_until > ?1 AND step >= 0 GROUP BY tenant
    ) AS busy ON busy.tenant = head.tenant AND head.ends = 0
    WHERE head.place <= 16 AND (head.ends = 1 OR head.step < 0 OR head.place + COALESCE(busy.claimed, 0) <= ?2)
    ORDER BY head.place + COALESCE(busy.claimed, 0), head.due, head.run, head.step LIMIT 16"
);

impl Store {
    /// Stores a run with its plan and its sealed key. No step exists until [`Self::start_run`].
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken.
    pub fn open_run(&self, run: &NewDurableRun<'_>) -> Result<(), StoreError> {
        self.open_runs(std::slice::from_ref(run), None, run.created_at)
            .map(drop)
    }

    /// Stores all these runs with their plans and sealed keys, unless the idempotency key of the request was used before.
    /// The request's `scan` is the id of the run or the batch.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when an id is taken; otherwise the fault of the database.
    /// On an error no run is stored.
    pub fn open_runs(
        &self,
        runs: &[NewDurableRun<'_>],
        once: Option<&KeyedRequest<'_>>,
        now: Millis,
    ) -> Result<OpenedRuns, StoreError> {
        self.write(Durability::Disk, |db| {
            if let Some(request) = once
                && let Some(other) = fulfil_key(db, request, now)?
            {
                return Ok(other);
            }
            for run in runs {
                insert_run(db, run)?;
            }
            Ok(OpenedRuns::Opened)
        })
    }

    /// As [`Self::open_runs`], for runs that count against the limit of their caller.
    /// Stores the first of them, as many as the limit allows.
    /// If it allows no run, the idempotency key stays free.
    pub fn open_counted_runs(
        &self,
        runs: &[NewDurableRun<'_>],
        once: Option<&KeyedRequest<'_>>,
        count: &OrderCount<'_>,
        now: Millis,
    ) -> Result<CountedRuns, StoreError> {
        self.write(Durability::Disk, |db| {
            if let Some(request) = once {
                match fulfil_key(db, request, now)? {
                    None | Some(OpenedRuns::Opened) => {}
                    Some(OpenedRuns::Before(scan)) => return Ok(CountedRuns::Before(scan)),
                    Some(OpenedRuns::Conflict) => return Ok(CountedRuns::Conflict),
                }
            }
            let orders = u32::try_from(runs.len()).unwrap_or(u32::MAX);
            let counted = count_orders(db, count, orders, now)?;
            if let (0, Some(request)) = (counted.taken, once) {
                free_key(db, request)?;
            }
            for run in runs.iter().take(counted.taken as usize) {
                insert_run(db, run)?;
            }
            Ok(CountedRuns::Opened(counted))
        })
    }

    /// Queues the plan step of a run, and returns whether it did.
    /// A run that has begun or ended is left as it is.
    pub fn start_run(&self, run: ScanId) -> Result<bool, StoreError> {
        self.write(Durability::Process, |db| {
            if !lock_open_run(db, run)? {
                return Ok(false);
            }
            let sql = "SELECT step FROM run_step WHERE run = ?1 LIMIT 1";
            if db.has(sql, values![run])? {
                return Ok(false);
            }
            queue(db, run, PLAN)?;
            Ok(true)
        })
    }

    /// Returns open runs without a step, created before `before`: their process ended before it started them.
    pub fn unstarted_runs(&self, before: Millis, most: u32) -> Result<Vec<ScanId>, StoreError> {
        self.list(
            "SELECT id FROM durable_run WHERE ended_at IS NULL AND created_at < ?1 AND pinned_until IS NULL
             AND NOT EXISTS (SELECT 1 FROM run_step WHERE run_step.run = durable_run.id)
             ORDER BY created_at LIMIT ?2",
            values![before, most],
        )
    }

    /// Claims as many steps as there is `room` for, and never more than 16, for `worker` until `lease_until`.
    /// The tenant with the fewest claimed shards is served first, and within a tenant the oldest run.
    /// Each level of priority is worth a minute. Aggregates and cancelled steps wait for no shard.
    /// One of several claimers may get no step although work exists.
    /// A worker does not get a step that it holds, even if the lease has ended: its clock may have been set, or the
    /// database took no renewal.
    /// A suspect step makes a proven worker claim no further step until it is idle.
    ///
    /// # Errors
    /// The fault of the database. Steps that were claimed before it are returned instead.
    pub fn claim_steps(
        &self,
        worker: WorkerId,
        lease_until: Millis,
        now: Millis,
        room: StepRoom,
    ) -> Result<Vec<ClaimedStep>, StoreError> {
        if room.steps == 0 {
            return Ok(Vec::new());
        }
        let most = if room.proven {
            i64::MAX
        } else {
            room.suspect.into()
        };
        // An idle worker does not write.
        let candidates = self.list::<Candidate>(CANDIDATES, values![now, room.last_rank(), most])?;
        let (mut left, mut claimed) = (room, Vec::new());
        let holder = Holder { worker, lease_until };
        for candidate in candidates {
            if left.steps == 0 {
                break;
            }
            if candidate.asks && candidate.turn > left.last_rank() {
                continue;
            }
            if candidate.failed >= room.suspect {
                if room.idle && claimed.is_empty() {
                    claimed.extend(claim(self, &candidate, holder, now)?);
                }
                // It waits until the steps under way have ended, and no other one is claimed with it.
                break;
            }
            // Each claim is a transaction of its own, so that other claimers wait for one step at most.
            match claim(self, &candidate, holder, now) {
                Ok(None) => {}
                Ok(Some(step)) => {
                    left.steps -= 1;
                    left.shards -= usize::from(candidate.asks);
                    claimed.push(step);
                }
                Err(error) if claimed.is_empty() => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, "run.claim.failed");
                    break;
                }
            }
        }
        Ok(claimed)
    }

    /// Claims one step of a run for `worker` until `lease_until`, unless its lease lasts longer than `now`.
    /// The worker that holds it may be the one that asks.
    pub fn begin_step(
        &self,
        worker: WorkerId,
        run: ScanId,
        step: RunStep,
        lease_until: Millis,
        now: Millis,
    ) -> Result<BegunStep, StoreError> {
        let step = number_of(step);
        self.write(Durability::Process, |db| {
            let sql = concat!(
                "SELECT epoch, lease_until, ",
                failed!(),
                " FROM run_step WHERE run = ?1 AND step = ?2"
            );
            let found = db.locked_one::<(i64, Option<Millis>, u32)>(sql, values![run, step])?;
            let Some((epoch, leased, failed)) = found else {
                return Ok(BegunStep::Done);
            };
            if let Some(until) = leased.filter(|until| *until > now) {
                return Ok(BegunStep::Held(until));
            }
            take_step(db, run, step, epoch, failed, Holder { worker, lease_until }).map(BegunStep::Claimed)
        })
    }

    /// Ends all leases, for a process that is known to be the only one. Their claims stay counted.
    /// Returns the number of leases.
    pub fn free_steps(&self) -> Result<u64, StoreError> {
        self.execute(
            Durability::Process,
            "UPDATE run_step SET worker = NULL, lease_until = NULL WHERE worker IS NOT NULL",
            values![],
        )
    }

    /// Returns the shards of a run that are not done.
    pub fn open_shards(&self, run: ScanId) -> Result<Vec<u32>, StoreError> {
        self.list(
            "SELECT step FROM run_step WHERE run = ?1 AND step >= 0 ORDER BY step",
            values![run],
        )
    }

    /// Returns runs that were started and have not ended, the oldest first.
    pub fn runs_under_way(&self, most: u32) -> Result<Vec<OpenRun>, StoreError> {
        self.list(
            "SELECT id, tenant, priority FROM durable_run WHERE ended_at IS NULL
             AND EXISTS (SELECT 1 FROM run_step WHERE run_step.run = durable_run.id)
             ORDER BY created_at LIMIT ?1",
            values![most],
        )
    }

    /// Renews the leases of steps, and returns those that are still held, with whether their run is cancelled.
    pub fn renew_steps(&self, held: &[HeldStep], until: Millis) -> Result<Vec<(HeldStep, bool)>, StoreError> {
        if held.is_empty() {
            return Ok(Vec::new());
        }
        self.write(Durability::Relaxed, |db| {
            let mut kept = Vec::with_capacity(held.len());
            for step in held {
                let renewed = db.execute(
                    "UPDATE run_step SET lease_until = ?4
                     WHERE run = ?1 AND step = ?2 AND epoch = ?3 AND worker IS NOT NULL",
                    values![step.run, number_of(step.step), epoch_of(*step)?, until],
                )?;
                if renewed == 1 {
                    let sql = "SELECT cancelled FROM durable_run WHERE id = ?1";
                    kept.push((*step, db.only(sql, values![step.run])?));
                }
            }
            Ok(kept)
        })
    }

    /// Notes that a shard begins its calls. If its claim is lost from now on, it counts as an attempt.
    pub fn begin_calls(&self, held: HeldStep) -> Result<(), StoreError> {
        self.write(Durability::Process, |db| {
            check_held(db, held)?;
            db.run(
                "UPDATE run_step SET begun = ?3 WHERE run = ?1 AND step = ?2",
                values![held.run, number_of(held.step), true],
            )
        })
    }

    /// Stores the outcome of a call, and returns whether the run is cancelled.
    /// An outcome that is stored already stays.
    ///
    /// # Errors
    /// [`StoreError::Lost`] when the step is held under a later claim; otherwise the fault of the database.
    pub fn put_call(&self, held: HeldStep, call: u32, outcome: &[u8]) -> Result<bool, StoreError> {
        self.write(Durability::Process, |db| {
            let cancelled = check_held(db, held)?;
            let inserted = db.execute(
                "INSERT INTO run_call (run, call, outcome) VALUES (?1, ?2, ?3) ON CONFLICT (run, call) DO NOTHING",
                values![held.run, call, outcome],
            )?;
            if inserted == 1 {
                db.execute(
                    "UPDATE run_step SET stored = stored + 1 WHERE run = ?1 AND step = ?2",
                    values![held.run, number_of(held.step)],
                )?;
            }
            Ok(cancelled)
        })
    }

    /// Returns the stored calls of a run with numbers from `from` to below `to`, in order.
    pub fn calls(&self, run: ScanId, from: u32, to: u32) -> Result<Vec<CallOutcome>, StoreError> {
        self.list(
            "SELECT call, outcome FROM run_call WHERE run = ?1 AND call >= ?2 AND call < ?3 ORDER BY call",
            values![run, from, to],
        )
    }

    /// Returns the plan of an open run. `None` if it was opened without a plan, and for an ended run.
    pub fn run_plan(&self, run: ScanId) -> Result<Option<Vec<u8>>, StoreError> {
        let plan = self.one("SELECT plan FROM durable_run WHERE id = ?1", values![run])?;
        Ok(plan.flatten())
    }

    /// Stores a plan and how many calls it has, for a run without one. A stored plan stays.
    pub fn keep_run_plan(&self, held: HeldStep, plan: &[u8], calls: u32) -> Result<(), StoreError> {
        self.write(Durability::Process, |db| {
            if !lock_open_run(db, held.run)? {
                return Err(StoreError::Lost);
            }
            check_held(db, held)?;
            db.run(
                "UPDATE durable_run SET plan = ?2, calls = ?3 WHERE id = ?1 AND plan IS NULL",
                values![held.run, plan, calls],
            )
        })
    }

    /// Ends the plan step and queues the shards; without shards, the aggregate step.
    pub fn finish_plan(&self, held: HeldStep, shards: u32) -> Result<(), StoreError> {
        self.write(Durability::Process, |db| {
            end_step(db, held)?;
            for shard in 0..shards {
                queue(db, held.run, shard.into())?;
            }
            if shards == 0 {
                queue(db, held.run, AGGREGATE)?;
            }
            Ok(())
        })
    }

    /// Ends a shard. The last shard of a run queues the aggregate step.
    pub fn finish_shard(&self, held: HeldStep) -> Result<(), StoreError> {
        self.write(Durability::Process, |db| {
            end_step(db, held)?;
            let sql = "SELECT step FROM run_step WHERE run = ?1 LIMIT 1";
            if !db.has(sql, values![held.run])? {
                queue(db, held.run, AGGREGATE)?;
            }
            Ok(())
        })
    }

    /// Gives a step back, to be claimed from `not_before` on.
    /// With `counted` false the claim is no attempt.
    pub fn return_step(&self, held: HeldStep, not_before: Millis, counted: bool) -> Result<(), StoreError> {
        self.write(Durability::Process, |db| {
            check_held(db, held)?;
            db.run(
                "UPDATE run_step SET worker = NULL, lease_until = NULL, not_before = ?3, attempts = attempts + ?4,
                 begun = ?5
                 WHERE run = ?1 AND step = ?2",
                values![
                    held.run,
                    number_of(held.step),
                    not_before,
                    i64::from(counted),
                    false
                ],
            )
        })
    }

    /// Ends a run: stores its result, if it has one, and its events for webhooks,
    /// and erases its plan, steps, calls and sealed key.
    /// Without a result the credit for the scan of an account returns.
    /// `end` is the state and the code of a failure.
    ///
    /// # Errors
    /// As [`Self::put_call`], or [`StoreError::Exists`] when the id of the result is taken.
    pub fn end_durable_run(
        &self,
        held: HeldStep,
        end: (RunState, Option<&str>),
        result: Option<RunResult<'_>>,
        notices: &[NewDelivery<'_>],
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            end_step(db, held)?;
            match result {
                // A sold result is hidden until its settlement.
                Some(RunResult::Scan(scan)) => {
                    let released = !matches!(scan.origin, Origin::Paid(_)) || is_settled(db, scan.id)?;
                    insert_scan(db, scan, released)?
                }
                Some(RunResult::OfAccount(scan, finished)) => finish(db, scan, finished)?,
                Some(RunResult::Audit(scan, audit)) => match insert_audit(db, scan, audit, now) {
                    // The account was deleted meanwhile.
                    Ok(()) | Err(StoreError::Lost) => {}
                    Err(error) => return Err(error),
                },
                None => {}
            }
            insert_deliveries(db, notices, now)?;
            close(db, held.run, end.0, end.1, now)?;
            if result.is_none() {
                end_without_result(db, held.run, false, now)?;
            }
            Ok(())
        })
    }

    /// Ends a run as cancelled that no worker has taken up: stores its events for webhooks,
    /// and erases its plan, its step and its sealed key. The credit for the scan of an account returns.
    /// `code` is the reason why it has no result.
    /// Returns whether it did.
    pub fn end_queued_run(
        &self,
        run: ScanId,
        code: &str,
        notices: &[NewDelivery<'_>],
        now: Millis,
    ) -> Result<bool, StoreError> {
        end_at_once(self, run, &[RunState::Queued], code, notices, now)
    }

    /// As [`Self::end_queued_run`], for any open run. Its workers lose their steps.
    /// The credit returns only if no call has a stored outcome.
    pub fn end_open_run(
        &self,
        run: ScanId,
        code: &str,
        notices: &[NewDelivery<'_>],
        now: Millis,
    ) -> Result<bool, StoreError> {
        let open = [RunState::Queued, RunState::Running];
        end_at_once(self, run, &open, code, notices, now)
    }

    /// Marks a run as cancelled. Its steps become due, before all others of the tenant.
    pub fn cancel_run(&self, run: ScanId) -> Result<CancelOutcome, StoreError> {
        self.write(Durability::Process, |db| {
            if lock_open_run(db, run)? {
                db.execute(
                    "UPDATE durable_run SET cancelled = ?2 WHERE id = ?1",
                    values![run, true],
                )?;
                db.execute(
                    "UPDATE run_step SET not_before = 0, due = ?2 WHERE run = ?1",
                    values![run, CANCELLED],
                )?;
                return Ok(CancelOutcome::Cancelled);
            }
            let known = db.first("SELECT id FROM durable_run WHERE id = ?1", values![run])?;
            Ok(known.map_or(CancelOutcome::Unknown, |_| CancelOutcome::Ended))
        })
    }

    pub fn durable_run(&self, run: ScanId) -> Result<Option<DurableRunView>, StoreError> {
        found_runs::one(self, run)
    }

    /// Returns at most `most` runs of a tenant, the latest first, after the run `after`.
    /// Another tenant's run as `after` gives an empty list.
    pub fn durable_runs(
        &self,
        tenant: &str,
        filter: &RunFilter<'_>,
        after: Option<ScanId>,
        most: u32,
    ) -> Result<Vec<DurableRunView>, StoreError> {
        found_runs::list(self, tenant, filter, after, most)
    }

    /// Returns at most `most` runs that have not ended, the oldest first: a tenant's, or everybody's.
    /// Documents are empty.
    pub fn open_durable_runs(
        &self,
        tenant: Option<&str>,
        most: u32,
    ) -> Result<Vec<DurableRunView>, StoreError> {
        found_runs::open(self, tenant, most)
    }

    /// Counts a tenant's runs that have not ended.
    pub fn open_runs_of(&self, tenant: &str) -> Result<u32, StoreError> {
        let sql = "SELECT COUNT(*) FROM durable_run WHERE tenant = ?1 AND ended_at IS NULL";
        self.only(sql, values![tenant])
    }

    /// Returns a batch's runs as the request ordered them.
    pub fn batch_runs(&self, batch: BatchId) -> Result<Vec<ScanId>, StoreError> {
        let sql = "SELECT id FROM durable_run WHERE batch = ?1 ORDER BY position";
        self.list(sql, values![batch])
    }

    /// Returns the sealed key of a run, unless it has expired.
    pub fn run_secret(&self, run: ScanId, now: Millis) -> Result<Option<SealedSecret>, StoreError> {
        self.one(
            "SELECT kek, ciphertext, expires FROM run_secret WHERE run = ?1 AND expires > ?2",
            values![run, now],
        )
    }

    /// Erases keys that have expired: sealed keys of providers, and idempotency keys.
    pub fn expire_keys(&self, now: Millis) -> Result<(), StoreError> {
        self.write(Durability::Process, |db| {
            db.run("DELETE FROM run_secret WHERE expires <= ?1", values![now])?;
            db.run("DELETE FROM idempotency WHERE expires <= ?1", values![now])
        })
    }
}

pub(super) fn insert_run(db: &mut dyn Executor, run: &NewDurableRun<'_>) -> Result<(), StoreError> {
    let RunSubject {
        domain,
        keyword,
        place,
        tag,
        schedule,
        batch,
    } = run.subject;
    db.execute(
        "INSERT INTO durable_run (id, tenant, priority, document, plan, calls, state, cancelled, created_at, domain, keyword,
                                  place, find_keyword, find_place, tag, schedule, batch, position)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'queued', ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        values![
            run.id,
            run.tenant,
            i64::from(run.priority),
            run.document,
            run.plan,
            run.calls,
            false,
            run.created_at,
            domain.as_ref(),
            keyword.as_ref(),
            place.as_deref(),
            keyword.to_lowercase(),
            place.as_ref().map(|place| place.to_lowercase()),
            tag.as_deref(),
            *schedule,
            batch.map(|(batch, _)| batch),
            batch.map_or(0, |(_, position)| position),
        ],
    )?;
    if let Some(secret) = run.secret {
        db.execute(
            "INSERT INTO run_secret (run, kek, ciphertext, expires) VALUES (?1, ?2, ?3, ?4)",
            values![
                run.id,
                secret.kek.as_str(),
                secret.ciphertext.as_slice(),
                secret.expires
            ],
        )?;
    }
    Ok(())
}

/// Ends a run as cancelled that is in one of these states, and an account's scan with it. Returns whether it did.
fn end_at_once(
    backend: &impl Backend,
    run: ScanId,
    states: &[RunState],
    code: &str,
    notices: &[NewDelivery<'_>],
    now: Millis,
) -> Result<bool, StoreError> {
    backend.write(Durability::Disk, |db| {
        let sql = "SELECT state FROM durable_run WHERE id = ?1";
        let found = db.locked_one(sql, values![run])?;
        if !found.is_some_and(|state| states.contains(&state)) {
            return Ok(false);
        }
        insert_deliveries(db, notices, now)?;
        db.execute(
            "UPDATE durable_run SET cancelled = ?2 WHERE id = ?1",
            values![run, true],
        )?;
        close(db, run, RunState::Cancelled, Some(code), now)?;
        end_without_result(db, run, true, now)?;
        Ok(true)
    })
}

/// Ends a locked run, and erases its plan, steps, calls and sealed key.
pub(super) fn close(
    db: &mut dyn Executor,
    run: ScanId,
    state: RunState,
    error: Option<&str>,
    now: Millis,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE durable_run SET state = ?2, error = ?3, ended_at = ?4, plan = NULL,
             stored = (SELECT COUNT(*) FROM run_call WHERE run = ?1) WHERE id = ?1",
        values![run, state.as_str(), error, now],
    )?;
    for erase in [
        "DELETE FROM run_step WHERE run = ?1",
        "DELETE FROM run_call WHERE run = ?1",
        "DELETE FROM run_secret WHERE run = ?1",
    ] {
        db.execute(erase, values![run])?;
    }
    Ok(())
}

/// Locks the row of a run, and returns whether the run is open.
fn lock_open_run(db: &mut dyn Executor, run: ScanId) -> Result<bool, StoreError> {
    let sql = "SELECT id FROM durable_run WHERE id = ?1 AND ended_at IS NULL";
    db.lock(sql, values![run])
}

impl StepRoom {
    /// The last rank at which a shard is claimed. A tenant without a claimed shard has the first.
    fn last_rank(self) -> i64 {
        match self.shards {
            0 => 0,
            shards if shards <= self.kept => 1,
            _ => i64::MAX,
        }
    }
}

/// Who claims a step, and until when.
#[derive(Clone, Copy)]
struct Holder {
    worker: WorkerId,
    lease_until: Millis,
}

/// A step that a worker may claim.
#[derive(Deserialize)]
struct Candidate {
    run: ScanId,
    step: i64,
    epoch: i64,
    /// Whether it makes calls, so that its turn counts.
    asks: bool,
    turn: i64,
    failed: u32,
}

/// Claims a candidate, unless another worker was faster.
fn claim(
    backend: &impl Backend,
    candidate: &Candidate,
    holder: Holder,
    now: Millis,
) -> Result<Option<ClaimedStep>, StoreError> {
    let Candidate { run, step, epoch, .. } = *candidate;
    backend.write(Durability::Process, |db| {
        let free = db.locked(
            concat!(
                "SELECT ",
                failed!(),
                " FROM run_step WHERE run = ?1 AND step = ?2 AND epoch = ?3
                    AND not_before <= ?4 AND (lease_until IS NULL OR lease_until <= ?4 AND worker <> ?5)"
            ),
            Lock::SkipLocked,
            values![run, step, epoch, now, Value::Id(holder.worker.bytes())],
        )?;
        let free = free.first();
        free.map(|failed| take_step(db, run, step, epoch, *failed, holder))
            .transpose()
    })
}

/// Claims a locked step. A plan and an aggregate begin their writes at once.
fn take_step(
    db: &mut dyn Executor,
    run: ScanId,
    step: i64,
    epoch: i64,
    failed: u32,
    holder: Holder,
) -> Result<ClaimedStep, StoreError> {
    db.execute(
        "UPDATE run_step SET worker = ?3, lease_until = ?4, epoch = epoch + 1, attempts = ?5,
         begun = ?6, stored_before = stored WHERE run = ?1 AND step = ?2",
        values![
            run,
            step,
            Value::Id(holder.worker.bytes()),
            holder.lease_until,
            failed,
            step < 0
        ],
    )?;
    if step == PLAN {
        db.execute(
            "UPDATE durable_run SET state = 'running' WHERE id = ?1 AND state = 'queued'",
            values![run],
        )?;
    }

    Ok(ClaimedStep {
        held: HeldStep {
            run,
            step: step_of(step)?,
            epoch: u64::try_from(epoch + 1).map_err(|_| StoreError::Damaged("epoch"))?,
        },
        attempts: failed + 1,
        cancelled: db.only("SELECT cancelled FROM durable_run WHERE id = ?1", values![run])?,
    })
}

/// Locks a step, if it is held under this claim, and returns whether its run is cancelled.
fn check_held(db: &mut dyn Executor, held: HeldStep) -> Result<bool, StoreError> {
    let found = db.locked_one(
        "SELECT (SELECT cancelled FROM durable_run WHERE id = run_step.run) FROM run_step
         WHERE run = ?1 AND step = ?2 AND epoch = ?3 AND worker IS NOT NULL",
        values![held.run, number_of(held.step), epoch_of(held)?],
    )?;
    found.ok_or(StoreError::Lost)
}

/// Locks the run and deletes the row of a step, if it is held under this claim.
fn end_step(db: &mut dyn Executor, held: HeldStep) -> Result<(), StoreError> {
    if !lock_open_run(db, held.run)? {
        return Err(StoreError::Lost);
    }
    check_held(db, held)?;
    db.run(
        "DELETE FROM run_step WHERE run = ?1 AND step = ?2",
        values![held.run, number_of(held.step)],
    )
}

fn queue(db: &mut dyn Executor, run: ScanId, step: i64) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO run_step (run, step, tenant, due, not_before, epoch, attempts, stored, stored_before)
         SELECT id, CAST(?2 AS BIGINT), tenant, CASE WHEN cancelled THEN CAST(?4 AS BIGINT) ELSE created_at + priority * ?3 END,
                0, 0, 0, 0, 0 FROM durable_run WHERE id = ?1",
        values![run, step, PRIORITY, CANCELLED],
    )
}

const fn number_of(step: RunStep) -> i64 {
    match step {
        RunStep::Plan => PLAN,
        RunStep::Aggregate => AGGREGATE,
        RunStep::Shard(shard) => shard as i64,
    }
}

fn step_of(number: i64) -> Result<RunStep, StoreError> {
    match number {
        PLAN => Ok(RunStep::Plan),
        AGGREGATE => Ok(RunStep::Aggregate),
        shard => u32::try_from(shard)
            .map(RunStep::Shard)
            .map_err(|_| StoreError::Damaged("step")),
    }
}

fn epoch_of(held: HeldStep) -> Result<i64, StoreError> {
    i64::try_from(held.epoch).map_err(|_| StoreError::Lost)
}
