//! Schedules, their runs and alerts. A transaction that fires a schedule changes its row first.

use super::deliveries::insert_deliveries;
use super::projects::note_in;
use super::{Backend, Durability, Executor, Lock, Query, Value, values};
use crate::columns::signed;
use crate::durable_run::SealedSecret;
use crate::pack::PackedAnswers;
use crate::project::{ProjectChange, ProjectScope};
use crate::purchase::Millis;
use crate::schedule::{
    AlertRecord, EndedScan, NewAlert, NewSchedule, ScheduleQuestions, ScheduleRecord, ScheduleStart,
    ScheduleStarted, ScheduleTerms, ScheduleUse, ScheduledEnd, ScheduledRun,
};
use crate::webhook::NewDelivery;
use crate::{Store, StoreError};
use ibid_model::{AlertId, ScanId, ScheduleId};

/// Selects a [`ScheduleRecord`].
macro_rules! select_schedules {
    ($rest:expr) => {
        concat!(
            "SELECT id, owner,
                    CASE WHEN owner LIKE 'project %'
                         THEN COALESCE((SELECT project.name FROM project WHERE project.id = schedule.project), schedule.name)
                         ELSE schedule.name END AS name,
                    document, recurrence, next_due, paused_at, budget, credits, failures, created_at,
                    project, templates
             FROM schedule ",
            $rest
        )
    };
}

impl Store {
    /// Stores a schedule, and returns whether it did: an owner has at most `most`,
    /// or one more after two calls at the same moment.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken; otherwise the fault of the database.
    pub fn add_schedule(
        &self,
        schedule: &NewSchedule<'_>,
        most: u32,
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "SELECT COUNT(*) FROM schedule WHERE owner = ?1";
            if db.only::<u32>(sql, values![schedule.owner])? >= most {
                return Ok(false);
            }
            insert_schedule(db, schedule, now)?;
            Ok(true)
        })
    }

    /// Returns an owner's schedules, or everybody's, the oldest first.
    pub fn schedules(&self, owner: Option<&str>) -> Result<Vec<ScheduleRecord>, StoreError> {
        let sql = select_schedules!("WHERE owner = ?1 OR ?1 IS NULL ORDER BY created_at, id");
        self.list(sql, values![owner])
    }

    pub fn schedule(&self, id: ScheduleId) -> Result<Option<ScheduleRecord>, StoreError> {
        self.one(select_schedules!("WHERE id = ?1"), values![id])
    }

    pub fn schedule_secret(&self, id: ScheduleId) -> Result<Option<SealedSecret>, StoreError> {
        let sql = "SELECT kek, ciphertext, CAST(?2 AS BIGINT) AS expires FROM schedule
                   WHERE id = ?1 AND kek IS NOT NULL";
        self.one(sql, values![id, Millis::MAX])
    }

    /// Returns the questions of a schedule; `None` if it has not kept any yet.
    pub fn schedule_questions(&self, id: ScheduleId) -> Result<Option<PackedAnswers>, StoreError> {
        let sql = "SELECT questions FROM schedule WHERE id = ?1 AND questions IS NOT NULL";
        self.one(sql, values![id])
    }

    /// Keeps questions for a schedule that has none.
    pub fn keep_questions(&self, id: ScheduleId, kept: ScheduleQuestions<'_>) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            db.run(
                "UPDATE schedule SET questions = ?2, templates = ?3 WHERE id = ?1 AND questions IS NULL",
                values![id, kept.questions.as_bytes(), kept.templates],
            )
        })
    }

    /// Replaces the parts that the owner writes, and the key if one is given.
    /// Returns whether there is such a schedule.
    pub fn set_schedule(
        &self,
        id: ScheduleId,
        terms: &ScheduleTerms<'_>,
        secret: Option<&SealedSecret>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let changed = change_schedule(db, id, terms)?;
            if let Some(secret) = secret {
                db.execute(
                    "UPDATE schedule SET kek = ?2, ciphertext = ?3 WHERE id = ?1",
                    values![id, secret.kek.as_str(), secret.ciphertext.as_slice()],
                )?;
            }
            Ok(changed)
        })
    }

    /// Pauses a schedule. Returns whether there is such a schedule.
    pub fn pause_schedule(&self, id: ScheduleId, now: Millis) -> Result<bool, StoreError> {
        let paused = self.execute(
            Durability::Disk,
            "UPDATE schedule SET paused_at = COALESCE(paused_at, ?2) WHERE id = ?1",
            values![id, now],
        )?;
        Ok(paused == 1)
    }

    /// Ends a pause. Returns whether there is such a schedule.
    pub fn resume_schedule(&self, id: ScheduleId, next_due: Option<Millis>) -> Result<bool, StoreError> {
        let resumed = self.execute(
            Durability::Disk,
            "UPDATE schedule SET paused_at = NULL, next_due = ?2, failures = 0 WHERE id = ?1",
            values![id, next_due],
        )?;
        Ok(resumed == 1)
    }

    /// Deletes a schedule with its key, runs and alerts. Its scans stay.
    /// Returns whether there was such a schedule.
    pub fn delete_schedule(&self, id: ScheduleId) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            db.execute("DELETE FROM alert WHERE schedule = ?1", values![id])?;
            db.execute("DELETE FROM schedule_run WHERE schedule = ?1", values![id])?;
            let deleted = db.execute("DELETE FROM schedule WHERE id = ?1", values![id])?;
            Ok(deleted == 1)
        })
    }

    /// Returns schedules that are due, the longest due first.
    pub fn due_schedules(&self, now: Millis, most: u32) -> Result<Vec<ScheduleRecord>, StoreError> {
        let sql =
            select_schedules!("WHERE paused_at IS NULL AND next_due <= ?1 ORDER BY next_due, id LIMIT ?2");
        self.list(sql, values![now, most])
    }

    /// Fires a schedule that is due at `firing.due`, and moves it on to `next_due`.
    /// The scan has to be queued before `retry_at`; afterwards another process does it.
    pub fn fire_schedule(
        &self,
        firing: ScheduleStart,
        next_due: Option<Millis>,
        retry_at: Millis,
        now: Millis,
    ) -> Result<ScheduleStarted, StoreError> {
        self.write(Durability::Disk, |db| {
            let moved = db.execute(
                "UPDATE schedule SET next_due = ?3 WHERE id = ?1 AND next_due = ?2 AND paused_at IS NULL",
                values![firing.schedule, firing.due, next_due],
            )?;
            if moved == 0 {
                return Ok(ScheduleStarted::Lost);
            }
            begin_run(db, firing, retry_at, now)
        })
    }

    /// Fires a schedule now, paused or not, and leaves its next time as it is.
    /// The scan has to be queued before `retry_at`; afterwards another process does it.
    /// With a `scope` the log of its project says who started it.
    pub fn fire_schedule_now(
        &self,
        id: ScheduleId,
        scope: Option<&ProjectScope>,
        retry_at: Millis,
        now: Millis,
    ) -> Result<ScheduleStarted, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "SELECT id FROM schedule WHERE id = ?1";
            if !db.lock(sql, values![id])? {
                return Ok(ScheduleStarted::Lost);
            }
            if is_running(db, id)? {
                return Ok(ScheduleStarted::StillRunning);
            }
            if let Some(scope) = scope {
                let started = ProjectChange {
                    action: "run_started",
                    members: "{}",
                    at: now,
                };
                note_in(db, scope, started)?;
            }
            begin_run(
                db,
                ScheduleStart {
                    schedule: id,
                    due: now,
                },
                retry_at,
                now,
            )
        })
    }

    /// Takes over runs whose scan was not queued in time, until `retry_at`.
    pub fn take_over_firings(
        &self,
        now: Millis,
        retry_at: Millis,
        most: u32,
    ) -> Result<Vec<ScheduleStart>, StoreError> {
        // Most calls find no schedule. A read does not wait for other writers.
        let sql = "SELECT 1 FROM schedule_run WHERE state = 'firing' AND retry_at <= ?1 LIMIT 1";
        if !self.has(sql, values![now])? {
            return Ok(Vec::new());
        }
        self.write(Durability::Disk, |db| {
            let taken = db.locked::<ScheduleStart>(
                "SELECT schedule, due FROM schedule_run WHERE state = 'firing' AND retry_at <= ?1
                 ORDER BY retry_at, schedule, due LIMIT ?2",
                Lock::SkipLocked,
                values![now, most],
            )?;
            for firing in &taken {
                db.execute(
                    "UPDATE schedule_run SET retry_at = ?3 WHERE schedule = ?1 AND due = ?2",
                    values![firing.schedule, firing.due, retry_at],
                )?;
            }
            Ok(taken)
        })
    }

    /// Notes the scan of a run, and stores events about it.
    /// Returns whether the run was waiting for its scan.
    pub fn put_scheduled_scan(
        &self,
        firing: ScheduleStart,
        scan: ScanId,
        notices: &[NewDelivery<'_>],
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let noted = db.execute(
                "UPDATE schedule_run SET state = 'queued', scan = ?3
                 WHERE schedule = ?1 AND due = ?2 AND state = 'firing'",
                values![firing.schedule, firing.due, scan],
            )?;
            if noted == 0 {
                return Ok(false);
            }
            insert_deliveries(db, notices, now)?;
            Ok(true)
        })
    }

    /// Returns open runs whose scan has ended.
    pub fn ended_scheduled_scans(&self, most: u32) -> Result<Vec<EndedScan>, StoreError> {
        self.list(
            "SELECT schedule_run.schedule, schedule_run.due, schedule_run.scan, durable_run.state,
                    durable_run.error
             FROM schedule_run LEFT JOIN durable_run ON durable_run.id = schedule_run.scan
             WHERE schedule_run.state = 'queued' AND (durable_run.id IS NULL OR durable_run.ended_at IS NOT NULL)
             ORDER BY schedule_run.due, schedule_run.schedule LIMIT ?1",
            values![most],
)
    }

    /// Ends an open run, and stores the alert and events about it. Returns whether this call did.
    pub fn end_scheduled_run(
        &self,
        firing: ScheduleStart,
        end: &ScheduledEnd<'_>,
        notices: &[NewDelivery<'_>],
        now: Millis,
    ) -> Result<bool, StoreError> {
        let cost = signed(end.cost)?;
        self.write(Durability::Disk, |db| {
            let ended = db.execute(
                "UPDATE schedule_run SET state = 'ended', outcome = ?3, cost = ?4, credits = ?5, ended_at = ?6
                 WHERE schedule = ?1 AND due = ?2 AND state <> 'ended'",
                values![firing.schedule, firing.due, end.outcome, cost, end.credits, now],
            )?;
            if ended == 0 {
                return Ok(false);
            }
            if let Some(failures) = end.failures {
                db.execute(
                    "UPDATE schedule SET failures = ?2 WHERE id = ?1",
                    values![firing.schedule, failures],
                )?;
            }
            if let Some(alert) = &end.alert {
                put_alert(db, firing, alert, now)?;
            }
            insert_deliveries(db, notices, now)?;
            Ok(true)
        })
    }

    /// Returns the latest runs of a schedule, the latest first.
    pub fn scheduled_runs(&self, id: ScheduleId, most: u32) -> Result<Vec<ScheduledRun>, StoreError> {
        self.list(
            "SELECT schedule, due, scan, outcome, cost, began_at, ended_at FROM schedule_run
             WHERE schedule = ?1 AND COALESCE(outcome, '') <> 'captures'
             ORDER BY due DESC LIMIT ?2",
            values![id, most],
        )
    }

    /// Returns a schedule's scans before `before` that ended in one of two ways, the oldest first.
    pub fn scheduled_scans_before(
        &self,
        before: ScheduleStart,
        [first, second]: [&str; 2],
    ) -> Result<Vec<ScanId>, StoreError> {
        self.list(
            "SELECT scan FROM schedule_run
             WHERE schedule = ?1 AND due < ?2 AND scan IS NOT NULL AND outcome IN (?3, ?4)
             ORDER BY due",
            values![before.schedule, before.due, first, second],
        )
    }

    /// Returns how much a schedule's runs have used since a time.
    pub fn schedule_use(&self, id: ScheduleId, from: Millis) -> Result<ScheduleUse, StoreError> {
        self.only(
            "SELECT CAST(COALESCE(SUM(cost), 0) AS BIGINT) AS cost,
                    CAST(COALESCE(SUM(credits), 0) AS BIGINT) AS credits
             FROM schedule_run WHERE schedule = ?1 AND began_at >= ?2",
            values![id, from],
        )
    }

    /// Returns alerts of an owner, the latest first; with a schedule only those about it.
    pub fn alerts(
        &self,
        owner: &str,
        schedule: Option<ScheduleId>,
        most: u32,
    ) -> Result<Vec<AlertRecord>, StoreError> {
        self.list(
            "SELECT alert.id, alert.schedule, alert.due, schedule.name, alert.kind, alert.scan, alert.previous,
                    alert.summary, alert.created_at AS at, alert.seen_at
             FROM alert JOIN schedule ON schedule.id = alert.schedule
             WHERE alert.owner = ?1 AND (alert.schedule = ?2 OR ?2 IS NULL)
             ORDER BY alert.created_at DESC, alert.id LIMIT ?3",
            values![owner, schedule, most],
)
    }

    /// Records that the owner has seen an alert, or all. Returns how many were not seen before.
    pub fn see_alerts(&self, owner: &str, alert: Option<AlertId>, now: Millis) -> Result<u64, StoreError> {
        self.execute(
            Durability::Process,
            "UPDATE alert SET seen_at = ?3 WHERE owner = ?1 AND seen_at IS NULL AND (id = ?2 OR ?2 IS NULL)",
            values![owner, alert, now],
        )
    }
}

pub(super) fn delete_schedules(db: &mut dyn Executor, owner: &str) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM alert WHERE owner = ?1",
        "DELETE FROM schedule_run WHERE schedule IN (SELECT id FROM schedule WHERE owner = ?1)",
        "DELETE FROM schedule WHERE owner = ?1",
    ] {
        db.execute(sql, values![owner])?;
    }
    Ok(())
}

/// Writes a schedule.
pub(super) fn insert_schedule(
    db: &mut dyn Executor,
    schedule: &NewSchedule<'_>,
    now: Millis,
) -> Result<(), StoreError> {
    let terms = schedule.terms;
    let budget = terms.budget.map(signed).transpose()?;
    db.run(
        "INSERT INTO schedule (id, owner, name, document, recurrence, next_due, budget, credits, failures, kek,
                               ciphertext, created_at, project, questions, templates)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9, ?10, ?11, ?12, ?13, ?14)",
        values![
            schedule.id,
            schedule.owner,
            terms.name,
            terms.document,
            terms.recurrence,
            terms.next_due,
            budget,
            terms.credits,
            schedule.secret.map(|secret| secret.kek.as_str()),
            schedule.secret.map(|secret| secret.ciphertext.as_slice()),
            now,
            schedule.project,
            terms.questions.map(|kept| kept.questions.as_bytes()),
            terms.questions.map(|kept| kept.templates),
        ],
    )
}

/// Changes what an owner writes of a schedule. Returns whether there is one.
pub(super) fn change_schedule(
    db: &mut dyn Executor,
    id: ScheduleId,
    terms: &ScheduleTerms<'_>,
) -> Result<bool, StoreError> {
    let budget = terms.budget.map(signed).transpose()?;
    let changed = db.execute(
        "UPDATE schedule SET name = ?2, document = ?3, recurrence = ?4, next_due = ?5, budget = ?6, credits = ?7,
                questions = COALESCE(?8, questions), templates = COALESCE(?9, templates)
         WHERE id = ?1",
        values![
            id,
            terms.name,
            terms.document,
            terms.recurrence,
            terms.next_due,
            budget,
            terms.credits,
            terms.questions.map(|kept| kept.questions.as_bytes()),
            terms.questions.map(|kept| kept.templates),
        ],
    )?;
    Ok(changed == 1)
}

/// Whether a schedule has an open run.
fn is_running(db: &mut dyn Executor, id: ScheduleId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM schedule_run WHERE schedule = ?1 AND state <> 'ended' LIMIT 1";
    db.has(sql, values![id])
}

/// Writes a run of a schedule whose row this transaction has locked.
fn begin_run(
    db: &mut dyn Executor,
    firing: ScheduleStart,
    retry_at: Millis,
    now: Millis,
) -> Result<ScheduleStarted, StoreError> {
    let running = is_running(db, firing.schedule)?;
    let (state, outcome, ended_at) = if running {
        ("ended", Value::from("still_running"), Value::from(now))
    } else {
        ("firing", Value::Null, Value::Null)
    };
    db.execute(
        "INSERT INTO schedule_run (schedule, due, state, outcome, cost, credits, retry_at, began_at, ended_at)
         VALUES (?1, ?2, ?3, ?4, 0, 0, ?5, ?6, ?7)",
        &[
            firing.schedule.into(),
            firing.due.into(),
            state.into(),
            outcome,
            retry_at.into(),
            now.into(),
            ended_at,
        ],
    )?;
    if running {
        return Ok(ScheduleStarted::StillRunning);
    }
    // Markets run with their project, except those whose run before is open.
    db.execute(
        "INSERT INTO schedule_run (schedule, due, state, cost, credits, retry_at, began_at)
         SELECT project_market.schedule, CAST(?2 AS BIGINT), 'firing', 0, 0, CAST(?3 AS BIGINT), CAST(?4 AS BIGINT)
         FROM project_market
         WHERE project_market.project = ?1
           AND NOT EXISTS (SELECT 1 FROM schedule_run
                           WHERE schedule_run.schedule = project_market.schedule AND schedule_run.state <> 'ended')",
        values![firing.schedule, firing.due, retry_at, now],
    )?;
    Ok(ScheduleStarted::Begun)
}

/// Stores the alert about a run.
fn put_alert(
    db: &mut dyn Executor,
    firing: ScheduleStart,
    alert: &NewAlert<'_>,
    now: Millis,
) -> Result<(), StoreError> {
    let run = db.one::<(String, Option<ScanId>)>(
        "SELECT schedule.owner, schedule_run.scan
         FROM schedule_run JOIN schedule ON schedule.id = schedule_run.schedule
         WHERE schedule_run.schedule = ?1 AND schedule_run.due = ?2",
        values![firing.schedule, firing.due],
    )?;
    // The schedule was deleted meanwhile.
    let Some((owner, scan)) = run else {
        return Ok(());
    };
    db.run(
        "INSERT INTO alert (id, owner, schedule, due, kind, scan, previous, summary, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        values![
            alert.id,
            owner.as_str(),
            firing.schedule,
            firing.due,
            alert.kind,
            scan,
            alert.previous,
            alert.summary,
            now
        ],
    )
}
