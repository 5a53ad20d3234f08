//! Fires due schedules. Their scans are judged in `judge.rs`.

use super::next_due;
use super::start::ScanStarter;
use super::view::{recurrence_of, time};
use crate::error::Error;
use crate::planner::Planner;
use crate::runs::Runs;
use crate::stored_scans::StoredScans;
use ibid_store::{ScheduleRecord, ScheduleStart, ScheduleStarted, Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// The time in which a process queues the scan of a run that it has begun.
/// Then another process does it.
pub(super) const PATIENCE: SignedDuration = SignedDuration::from_mins(3);
/// Schedules and runs read from the store at a time.
pub(crate) const A_PAGE: u32 = 100;

/// Fires schedules and judges their scans.
pub(crate) struct ScheduleKeeper {
    pub(crate) runs: Arc<Runs>,
    pub(crate) planner: Arc<Planner>,
    pub(crate) stored_scans: Arc<StoredScans>,
    pub(crate) starter: ScanStarter,
}

impl ScheduleKeeper {
    pub(super) async fn in_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Error> {
        self.runs.in_store(work).await
    }

    /// Fires due schedules, and queues scans left by another process.
    ///
    /// # Errors
    /// [`Error::Store`]. The next round goes on.
    pub(crate) async fn fire_due(&self, now: Timestamp) -> Result<(), Error> {
        loop {
            if self.runs.is_draining() {
                return Ok(());
            }
            let due = self
                .in_store(move |store| store.due_schedules(now.as_millisecond(), A_PAGE))
                .await?;
            if due.is_empty() {
                break;
            }
            for schedule in due {
                self.fire(&schedule, now).await?;
            }
        }
        let taken = self.in_store(move |store| {
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
        let fired = self.in_store(move |store| {
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
