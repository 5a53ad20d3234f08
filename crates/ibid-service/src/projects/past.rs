//! Runs of projects stored with a time in the past. The sandbox fills its projects with them.

use super::handle::Projects;
use crate::clock::now_ms;
use crate::error::Error;
use crate::job::CallerId;
use crate::project_numbers;
use crate::runs::output::StoreStep;
use ibid_engine::Engine;
use ibid_engine::plan::Plan;
use ibid_model::{ProjectId, ScanId, ScheduleId, UsdMicros};
use ibid_provider::Sandbox;
use ibid_store::{
    Origin, ProjectRunEnd, RunSummary, ScheduleStart, ScheduleStarted, ScheduledEnd, StoreError,
};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The stored duration of such a run.
const DURATION: SignedDuration = SignedDuration::from_secs(40);

/// A run of a project that ended at a time in the past.
/// Only the sandbox answers it: no real answer gets another time.
#[derive(Debug)]
pub struct PastRun {
    /// The project.
    pub project: ProjectId,
    /// Its number among the past runs of the project.
    pub number: u32,
    /// The questions and models.
    pub plan: Plan,
    /// The invented world, on the day of the run.
    pub sandbox: Sandbox,
    /// The time at which it ended.
    pub ended_at: Timestamp,
}

impl PastRun {
    /// The id of a project's past run with this number. It is the same in all processes, so a run is stored once.
    fn id(&self) -> ScanId {
        let mut hash = Sha256::new();
        hash.update(b"ibid past run");
        hash.update(self.project.as_bytes());
        hash.update(self.number.to_le_bytes());
        let mut bytes = [0; 16];
        for (byte, hashed) in bytes.iter_mut().zip(hash.finalize()) {
            *byte = hashed;
        }
        ScanId::from_bytes(bytes)
    }
}

impl Projects {
    /// Asks the sandbox and stores the result as a run of a project with its time. Returns whether it was stored: not if the
    /// project has a run with this number.
    ///
    /// # Errors
    /// [`Error::WorkspaceDisabled`]; [`Error::NoAnswers`]; [`Error::Store`].
    pub async fn store_past_run(&self, past: PastRun) -> Result<bool, Error> {
        let (id, project, ended_at) = (past.id(), past.project, past.ended_at);
        let order = past.plan.order();
        let keyword = order.keyword().to_string();
        let place = order.location().map(|place| place.as_str().to_owned());
        let key = self.key.as_ref().ok_or(Error::WorkspaceDisabled)?;
        let engine = Engine::new(Arc::new(past.sandbox), self.runs.width());
        let asked = engine.ask(id, past.plan, key, |_| {}).await?;
        let began_at = ended_at.checked_sub(DURATION).unwrap_or(ended_at);
        let output = self.runs.score_past(id, asked, (began_at, ended_at)).await?;
        let result = output.scan_result().ok_or(Error::Ended)?;
        let summary = RunSummary {
            score: result.overall_score,
            interval: result.interval,
        };
        let usage = &result.usage;
        let cost = usage
            .cost_usd
            .or(usage.estimated_cost_usd)
            .unwrap_or(UsdMicros::ZERO);
        let step: StoreStep = Box::new(move |store, scan| {
            store.put_scan(scan)?;
            let end = ProjectRunEnd {
                scan: id,
                ended_at: ended_at.as_millisecond(),
                subject: (&keyword, place.as_deref()),
                summary,
                cost: cost.get(),
            };
            store.put_project_run(project, &end)
        });
        let origin = Origin::V2(CallerId::of_project(project).as_str().to_owned());
        match output.store_once(&self.runs, (id, origin), step).await {
            Ok(()) => Ok(true),
            Err(Error::Store(StoreError::Exists)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Stores a run without a result that ends now, with its outcome and the number of failures in a row after it.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn store_past_outcome(
        &self,
        project: ProjectId,
        outcome: &'static str,
        failures: Option<u32>,
    ) -> Result<(), Error> {
        let schedule = ScheduleId::from_bytes(*project.as_bytes());
        let stored = self.db().call(move |store| {
            let due = now_ms();
            if store.fire_schedule_now(schedule, due, due)? != ScheduleStarted::Begun {
                return Ok(());
            }
            let end = ScheduledEnd {
                outcome,
                cost: 0,
                credits: 0,
                failures,
                alert: None,
            };
            let firing = ScheduleStart { schedule, due };
            store.end_scheduled_run(firing, &end, &[], due).map(drop)
        });
        Ok(stored.await?)
    }

    /// Judges the projects whose numbers wait, as the background round does every minute.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn judge_waiting(&self) -> Result<(), Error> {
        Ok(self.db().call(project_numbers::judge_waiting).await?)
    }
}
