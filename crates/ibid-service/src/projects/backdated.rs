//! Projects and runs stored with a time in the past.
//! The sandbox fills the organisation of its account with them.

use super::actions::ActionDraft;
use super::conversions::{account_of, id_of};
use super::handle::Projects;
use crate::credit::calls_of;
use crate::error::Error;
use crate::job::CallerId;
use crate::planner::PlanBounds;
use crate::runs::output::StoreStep;
use crate::schedules::{ScheduleOwner, next_due};
use crate::workspace::finished_run;
use ibid_engine::Engine;
use ibid_model::{ProjectId, ScanDraft, ScanId};
use ibid_provider::Sandbox;
use ibid_store::{
    NewDurableRun, Origin, PastResult, PastRun, ProjectReader, ProjectRunEnd, ProjectScope, ScheduleStart,
    StoreError,
};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};
use std::sync::Arc;

/// How long a run with a result seems to have taken.
const DURATION: SignedDuration = SignedDuration::from_secs(40);
/// Runs among which an equal one is looked for.
const MOST_RUNS: u32 = 200;

/// What came of a run in the past.
#[derive(Clone, Debug)]
pub enum PastOutcome {
    /// This invented world answered. No real answer gets another time.
    Answered(Sandbox),
    Failed,
    /// The budget held it back.
    OverBudget,
}

impl Projects {
    /// Returns the id for a past project by its number: the same in all processes, so that it is stored once.
    pub fn past_id(organisation: &[u8; 16], number: u32) -> ProjectId {
        ProjectId::from_bytes(id_of(&[
            b"ibid past project",
            organisation,
            &number.to_le_bytes(),
        ]))
    }

    /// Makes a project that was made at a time in the past. Its next run is in the future.
    /// Returns whether it was made: not if there is, or was, a project of this id.
    pub async fn add_past(
        &self,
        reader: ProjectReader,
        id: ProjectId,
        created_at: Timestamp,
        body: &Map<String, Value>,
    ) -> Result<bool, Error> {
        let (organisation, actor) = self.own_organisation(reader).await?;
        let draft = self.drafted(id, account_of(reader), body, None).await?;
        self.in_store(move |store| {
            if store.is_project_deleted(id)? {
                return Ok(false);
            }
            match draft.store(store, organisation, &actor, created_at, Timestamp::now()) {
                Err(StoreError::Exists) => Ok(false),
                added => added,
            }
        })
        .await
    }

    /// Adds an action that was agreed at a time in the past, and done on a day since.
    pub async fn add_past_action(
        &self,
        scope: &ProjectScope,
        body: &Map<String, Value>,
        agreed_at: Timestamp,
        done_on: Option<Date>,
    ) -> Result<(), Error> {
        let draft = ActionDraft::read(body)?;
        let added = self.add_action(scope, draft, agreed_at).await?;
        if done_on.is_some() {
            let id = added.record.id.to_string();
            self.edit_action(scope, &id, ActionDraft::done(done_on)).await?;
        }
        Ok(())
    }

    /// Stores a run of a project, counted from 0 for the first one after its creation. Returns whether it was stored:
    /// not if the project has it already.
    ///
    /// # Errors
    /// [`Error::WorkspaceDisabled`] without the operator's key; [`Error::NoAnswers`]; [`Error::Store`].
    pub async fn store_past_run(
        &self,
        scope: &ProjectScope,
        number: u32,
        outcome: PastOutcome,
    ) -> Result<bool, Error> {
        let project = scope.project();
        let view = self.get(scope).await?;
        let Some(schedule) = view.schedule else {
            return Err(Error::ProjectNotFound);
        };
        let created_at = Timestamp::from_millisecond(view.record.created_at).unwrap_or_default();
        let slots = std::iter::successors(Some(created_at), |at| {
            next_due(&schedule.recurrence, scope.schedule(), *at)
        });
        let due = slots.skip(1).nth(number as usize).ok_or(Error::Ended)?;
        let firing = ScheduleStart {
            schedule: scope.schedule(),
            due: due.as_millisecond(),
        };
        let stored = self.in_store(move |store| store.scheduled_runs(firing.schedule, MOST_RUNS));
        if stored.await?.iter().any(|run| run.firing == firing) {
            return Ok(false);
        }
        let word = match outcome {
            PastOutcome::Answered(sandbox) => {
                let stored = self.ask_past(&schedule.record, firing, number, sandbox).await;
                return stored_once(stored);
            }
            PastOutcome::Failed => "failed",
            PastOutcome::OverBudget => "over_budget",
        };
        let stored = self.in_store(move |store| {
            let run = PastRun {
                firing,
                outcome: word,
                ended_at: firing.due,
                result: None,
            };
            store.put_past_project_run(project, &run)
        });
        stored_once(stored.await)
    }

    /// Asks the sandbox, and stores the result as that of a run.
    async fn ask_past(
        &self,
        schedule: &ibid_store::ScheduleRecord,
        firing: ScheduleStart,
        number: u32,
        sandbox: Sandbox,
    ) -> Result<(), Error> {
        let project = ProjectId::from_bytes(*firing.schedule.as_bytes());
        let id = id_of(&[b"ibid past run", project.as_bytes(), &number.to_le_bytes()]);
        let id = ScanId::from_bytes(id);
        let body: Map<String, Value> = serde_json::from_str(&schedule.document)?;
        let form = ScheduleOwner::Project(project).form();
        let planner = &self.schedules.planner;
        let plan = planner
            .plan_within(ScanDraft(&body), form, PlanBounds::Run(number))
            .await?;
        let plan = self.schedules.keeper.with_kept(schedule, firing, plan).await?;
        let key = self.key.as_ref().ok_or(Error::WorkspaceDisabled)?;
        let (calls, tenant) = (calls_of(&plan), CallerId::of_project(project));
        let engine = Engine::new(Arc::new(sandbox), self.runs.width);
        let asked = engine.ask(id, plan, key, |_| {}).await?;
        let began_at = Timestamp::from_millisecond(firing.due).unwrap_or_default();
        let ended_at = began_at.checked_add(DURATION).unwrap_or(began_at);
        let output = self.runs.score_past(id, asked, began_at, ended_at).await?;
        let result = output.scan_result().ok_or(Error::Ended)?;
        let finished = finished_run(result);
        let set = result.method.question_set.as_ref();
        let set = set.map(|set| format!("{}@{}", set.id, set.version));
        let origin = Origin::V2(tenant.as_str().to_owned());
        let step: StoreStep = Box::new(move |store, scan| {
            let text = |name: &str| body.get(name).and_then(Value::as_str);
            let ended_at = ended_at.as_millisecond();
            let run = NewDurableRun::past(id, tenant.as_str(), calls, firing.due);
            let end = ProjectRunEnd {
                scan: id,
                ended_at,
                subject: (text("keyword").unwrap_or_default(), text("location")),
                market: None,
                summary: finished.summary,
                cost: finished.cost,
                question_set: set.as_deref(),
            };
            let run = PastRun {
                firing,
                outcome: "complete",
                ended_at,
                result: Some(PastResult {
                    scan,
                    run: &run,
                    end: &end,
                }),
            };
            store.put_past_project_run(project, &run)
        });
        output.store_once(&self.runs, id, origin, step).await
    }
}

/// Whether a run was stored; another process may have stored it.
fn stored_once(stored: Result<(), Error>) -> Result<bool, Error> {
    match stored {
        Ok(()) => Ok(true),
        Err(Error::Store(StoreError::Exists)) => Ok(false),
        Err(error) => Err(error),
    }
}
