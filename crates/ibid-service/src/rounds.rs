//! Looks once a minute at schedules and their projects.

use crate::error::Error;
use crate::failure::chain;
use crate::project_mentions::read_waiting;
use crate::project_numbers::judge_waiting;
use crate::schedules::{A_PAGE, ScheduleKeeper};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(60);

pub(crate) struct Rounds {
    pub(crate) schedules: Arc<ScheduleKeeper>,
    /// Days after which answers of projects are deleted; 0 keeps them.
    pub(crate) project_answers_days: u32,
}

impl Rounds {
    /// Starts the rounds of this process.
    pub(crate) fn start(self) -> Arc<Self> {
        let rounds = Arc::new(self);
        let runs = &rounds.schedules.runs;
        runs.repeat(&rounds, PERIOD, |rounds| async move {
            if let Err(error) = rounds.round(Timestamp::now()).await {
                tracing::warn!(error = chain(&error), "schedule.round.failed");
            }
        });
        rounds
    }

    /// Judges ended scans, counts them in the numbers of their projects, and fires what is due.
    ///
    /// # Errors
    /// [`Error::Store`]. The next round goes on.
    pub(crate) async fn round(&self, now: Timestamp) -> Result<(), Error> {
        self.schedules.judge_ended(now).await?;
        self.schedules.runs.db.call(judge_waiting).await?;
        // A database from an older version may have many: its schedules do not wait for all.
        for _ in 0..10 {
            if !read_waiting(&self.schedules.stored_scans.evidence).await {
                break;
            }
        }
        self.forget_answers(now).await?;
        self.schedules.fire_due(now).await
    }

    /// Deletes answers of projects that were kept long enough, once their numbers are counted.
    async fn forget_answers(&self, now: Timestamp) -> Result<(), Error> {
        if self.project_answers_days == 0 {
            return Ok(());
        }
        let kept = SignedDuration::from_hours(24 * i64::from(self.project_answers_days));
        let before = now.as_millisecond() - i64::try_from(kept.as_millis()).unwrap_or(i64::MAX);
        let db = &self.schedules.runs.db;
        let forgotten = db.call(move |store| store.forget_project_answers(before, A_PAGE));
        let forgotten = forgotten.await?;
        if forgotten > 0 {
            tracing::info!(runs = forgotten, "project.answers.deleted");
        }
        Ok(())
    }
}
