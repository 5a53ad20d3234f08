//! The background round that fires due schedules and judges their scans.

use super::next_due;
use super::start::ScanStarter;
use super::view::{recurrence_of, time};
use crate::error::Error;
use crate::planner::Planner;
use crate::project_mentions;
use crate::project_numbers;
use crate::runs::Runs;
use crate::stored_scans::StoredScans;
use ibid_store::{ScheduleRecord, ScheduleStart, ScheduleStarted};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Duration;

/// Time between two rounds.
const PERIOD: Duration = Duration::from_secs(60);
/// The time in which a process queues the scan of a run that it has begun.
/// Then another process does it.
pub(super) const PATIENCE: SignedDuration = SignedDuration::from_mins(3);
/// Schedules and runs read from the store at a time.
pub(super) const A_PAGE: u32 = 100;

/// Fires schedules and judges their scans.
pub(crate) struct ScheduleKeeper {
    pub(super) runs: Arc<Runs>,
    pub(super) planner: Arc<Planner>,
    pub(crate) stored_scans: Arc<StoredScans>,
    pub(super) starter: ScanStarter,
    /// Days after which answers of projects are deleted; 0 keeps them.
    project_answers_days: u32,
}

impl ScheduleKeeper {
    /// Starts the rounds of this process.
    pub(crate) fn start(
        runs: Arc<Runs>,
        planner: Arc<Planner>,
        stored_scans: Arc<StoredScans>,
        starter: ScanStarter,
        project_answers_days: u32,
    ) -> Arc<Self> {
        let keeper = Arc::new(Self {
            runs: Arc::clone(&runs),
            planner,
            stored_scans,
            starter,
            project_answers_days,
        });
        runs.repeat(&keeper, PERIOD, |keeper| async move {
            if let Err(error) = keeper.round(Timestamp::now()).await {
                tracing::warn!(error = crate::failure::chain(&error), "schedule.round.failed");
            }
        });
        keeper
    }

    /// Deletes answers of projects that were kept long enough, once their numbers are counted.
    async fn forget_answers(&self, now: Timestamp) -> Result<(), Error> {
        if self.project_answers_days == 0 {
            return Ok(());
        }
        let kept = SignedDuration::from_hours(24 * i64::from(self.project_answers_days));
        let before = now.as_millisecond() - i64::try_from(kept.as_millis()).unwrap_or(i64::MAX);
        let forgotten = self
            .runs
            .db
            .call(move |store| store.forget_project_answers(before, A_PAGE))
            .await?;
        if forgotten > 0 {
            tracing::info!(runs = forgotten, "project.answers.deleted");
        }
        Ok(())
    }

    /// One round: judges ended scans, fires due schedules, and queues scans left by another process.
    ///
    /// # Errors
    /// [`Error::Store`]. The next round goes on.
    pub(crate) async fn round(&self, now: Timestamp) -> Result<(), Error> {
        self.judge_ended(now).await?;
        self.runs.db.call(project_numbers::judge_waiting).await?;
        // A database from an older version may have many: its schedules do not wait for all.
        for _ in 0..10 {
            if !project_mentions::read_waiting(&self.stored_scans.evidence).await {
                break;
            }
        }
        self.forget_answers(now).await?;
        loop {
            if self.runs.is_draining() {
                return Ok(());
            }
            let due = self
                .runs
                .db
                .call(move |store| store.due_schedules(now.as_millisecond(), A_PAGE))
                .await?;
            if due.is_empty() {
                break;
            }
            for schedule in due {
                self.fire(&schedule, now).await?;
            }
        }
        let taken = self.runs.db.call(move |store| {
            let retry_at = (now + PATIENCE).as_millisecond();
            store.take_over_firings(now.as_millisecond(), retry_at, A_PAGE)
        });
        for firing in taken.await? {
            self.begin(firing, now).await?;
        }
        Ok(())
    }

    /// Fires a due schedule.
    /// After a downtime it fires once, and its next time is in the future.
    async fn fire(&self, schedule: &ScheduleRecord, now: Timestamp) -> Result<(), Error> {
        let Some(due) = schedule.next_due else {
            return Ok(());
        };
        let firing = ScheduleStart {
            schedule: schedule.id,
            due,
        };
        let next = next_due(&recurrence_of(schedule)?, schedule.id, now.max(time(due)));
        let fired = self.runs.db.call(move |store| {
            let (next, retry_at) = (next.map(Timestamp::as_millisecond), now + PATIENCE);
            store.fire_schedule(firing, next, retry_at.as_millisecond(), now.as_millisecond())
        });
        match fired.await? {
            ScheduleStarted::Begun => {
                self.begin(firing, now).await?;
                self.begin_markets(firing, now).await
            }
            ScheduleStarted::StillRunning => {
                tracing::warn!(schedule = %schedule.id, "schedule.still_running");
                Ok(())
            }
            ScheduleStarted::Lost => Ok(()),
        }
    }
}

impl std::fmt::Debug for ScheduleKeeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ScheduleKeeper(..)")
    }
}
