//! Operations of owners on their schedules.

use super::draft::MOST_SCHEDULES;
use super::keeper::PATIENCE;
use super::view::recurrence_of;
use super::{ScheduleDraft, ScheduleOwner, ScheduleView, next_due};
use crate::error::Error;
use crate::planner::PlanBounds;
use crate::schedules::Schedules;
use ibid_engine::plan::Plan;
use ibid_model::{AlertId, FaultCode, Faults, ScanDraft, ScheduleId};
use ibid_provider::ProviderKey;
use ibid_store::{
    AlertRecord, ProjectScope, ScheduleRecord, ScheduleStart, ScheduleStarted, ScheduledRun, SealedSecret,
};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// With this member, an edit accepts the questions as this program words them.
const NEW_QUESTIONS: &str = "newQuestions";
/// Most alerts in a list.
const MOST_ALERTS: u32 = 100;

impl Schedules {
    /// Makes a schedule. The order is planned, so a budget below its estimate is a fault. The key of an API caller is
    /// sealed.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault, also for a schedule too many; as [`Planner::plan`](crate::Planner::plan); an error of sealing;
    /// [`Error::Store`].
    pub async fn add(
        &self,
        owner: &ScheduleOwner,
        body: &Map<String, Value>,
        key: Option<&ProviderKey>,
    ) -> Result<ScheduleView, Error> {
        let now = Timestamp::now();
        let (draft, plan) = self.planned(owner, body, now).await?;
        let draft = draft.asking(&plan)?;
        let id = ScheduleId::random();
        let secret = self.sealed(id, key)?;
        let stored = (owner.clone(), draft);
        let added = self.in_store(move |store| {
            let (owner, draft) = stored;
            draft.add(store, (id, &owner), secret.as_ref(), now)
        });
        if !added.await? {
            let message = format!("an owner has at most {MOST_SCHEDULES} schedules: delete one first");
            return Err(Error::fault("", FaultCode::OutOfRange, message));
        }
        self.get(owner, id).await
    }

    /// Changes a schedule.
    /// Members missing from the body stay as they are, and so does the key without another one.
    /// The questions stay, too, unless the order changes or `newQuestions` is true.
    pub async fn edit(
        &self,
        (owner, id): (&ScheduleOwner, ScheduleId),
        body: &Map<String, Value>,
        key: Option<&ProviderKey>,
    ) -> Result<ScheduleView, Error> {
        let now = Timestamp::now();
        let before = self.get(owner, id).await?;
        let mut whole = before.body();
        whole.extend(body.clone());
        let is_new = is_set(body, NEW_QUESTIONS);
        let (draft, plan) = match self.planned(owner, &whole, now).await {
            Err(Error::Invalid(mut faults)) => {
                faults.append(is_new.err().unwrap_or_default());
                return Err(faults.into());
            }
            drafted => drafted?,
        };
        let is_new = is_new?;
        let draft = match is_new || (body.contains_key("order") && draft.order != before.order) {
            true => draft.asking(&plan)?,
            false => draft,
        };
        let secret = self.sealed(id, key)?;
        let replaced = self.in_store(move |store| draft.replace(store, id, secret.as_ref(), now));
        replaced.await?;
        self.get(owner, id).await
    }

    /// Checks the body of a schedule and plans its order.
    pub async fn check(&self, owner: &ScheduleOwner, body: &Map<String, Value>) -> Result<(), Error> {
        self.planned(owner, body, Timestamp::now()).await.map(drop)
    }

    /// Returns an owner's schedules, the oldest first.
    pub async fn all(&self, owner: &ScheduleOwner) -> Result<Vec<ScheduleView>, Error> {
        let owner = owner.name();
        self.in_store(move |store| {
            let records = store.schedules(Some(&owner))?.into_iter();
            let now = Timestamp::now();
            records
                .map(|record| ScheduleView::of(store, record, now))
                .collect()
        })
        .await
    }

    pub async fn get(&self, owner: &ScheduleOwner, id: ScheduleId) -> Result<ScheduleView, Error> {
        let record = self.own_schedule(owner, id).await?;
        self.in_store(move |store| ScheduleView::of(store, record, Timestamp::now()))
            .await
    }

    pub async fn pause(&self, owner: &ScheduleOwner, id: ScheduleId) -> Result<ScheduleView, Error> {
        self.own_schedule(owner, id).await?;
        let now = Timestamp::now().as_millisecond();
        self.in_store(move |store| store.pause_schedule(id, now)).await?;
        self.get(owner, id).await
    }

    /// Ends a pause. The next run is in the future.
    pub async fn resume(&self, owner: &ScheduleOwner, id: ScheduleId) -> Result<ScheduleView, Error> {
        let record = self.own_schedule(owner, id).await?;
        let next = next_due(&recurrence_of(&record)?, id, Timestamp::now());
        let resumed =
            self.in_store(move |store| store.resume_schedule(id, next.map(Timestamp::as_millisecond)));
        resumed.await?;
        self.get(owner, id).await
    }

    /// Deletes a schedule with its alerts. Its scans stay.
    pub async fn delete(&self, owner: &ScheduleOwner, id: ScheduleId) -> Result<(), Error> {
        self.own_schedule(owner, id).await?;
        self.in_store(move |store| store.delete_schedule(id)).await?;
        Ok(())
    }

    /// Runs a schedule now, paused or not. With a `scope`, the log of its project says who started it.
    /// Returns the run, with a scan or the reason for its absence.
    pub async fn run_now(
        &self,
        owner: &ScheduleOwner,
        id: ScheduleId,
        scope: Option<ProjectScope>,
    ) -> Result<ScheduledRun, Error> {
        self.own_schedule(owner, id).await?;
        let now = Timestamp::now();
        let due = now.as_millisecond();
        let retry_at = (now + PATIENCE).as_millisecond();
        let fired = self.in_store(move |store| store.fire_schedule_now(id, scope.as_ref(), retry_at, due));
        match fired.await? {
            ScheduleStarted::Begun => {}
            ScheduleStarted::StillRunning => return Err(Error::ScheduleRunning),
            ScheduleStarted::Lost => return Err(Error::ScheduleNotFound),
        }
        let firing = ScheduleStart { schedule: id, due };
        self.keeper.begin(firing, now).await?;
        self.keeper.begin_markets(firing, now).await?;
        let runs = self.in_store(move |store| store.scheduled_runs(id, 50)).await?;
        let run = runs.into_iter().find(|run| run.firing == firing);
        run.ok_or(Error::ScheduleNotFound)
    }

    /// Returns an owner's alerts, the latest first; with a schedule only those that it raised.
    pub async fn alerts(
        &self,
        owner: &ScheduleOwner,
        schedule: Option<ScheduleId>,
    ) -> Result<Vec<AlertRecord>, Error> {
        if let Some(id) = schedule {
            self.own_schedule(owner, id).await?;
        }
        let owner = owner.name();
        self.in_store(move |store| store.alerts(&owner, schedule, MOST_ALERTS))
            .await
    }

    /// Notes that an owner has seen an alert, or all of them.
    pub async fn see_alerts(&self, owner: &ScheduleOwner, alert: Option<AlertId>) -> Result<(), Error> {
        let (owner, now) = (owner.name(), Timestamp::now().as_millisecond());
        self.in_store(move |store| store.see_alerts(&owner, alert, now))
            .await?;
        Ok(())
    }

    /// Judges ended scans, counts them in their projects and fires due schedules, as the background does every minute.
    pub async fn round(&self, now: Timestamp) -> Result<(), Error> {
        self.rounds.round(now).await
    }

    async fn own_schedule(&self, owner: &ScheduleOwner, id: ScheduleId) -> Result<ScheduleRecord, Error> {
        let found = self.in_store(move |store| store.schedule(id)).await?;
        let name = owner.name();
        found
            .filter(|schedule| schedule.owner == name)
            .ok_or(Error::ScheduleNotFound)
    }

    /// Reads a schedule, and plans a run of it.
    pub(crate) async fn planned(
        &self,
        owner: &ScheduleOwner,
        body: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<(ScheduleDraft, Plan), Error> {
        let draft = ScheduleDraft::read(body, owner, &self.planner.catalog(), now)?;
        let order = ScanDraft(&draft.order);
        let plan = self
            .planner
            .plan_within(order, owner.form(), PlanBounds::Run(0))
            .await?;
        let estimate = plan.estimate();
        if draft.budget.is_some_and(|budget| estimate > budget) {
            let message = format!("one run costs about {estimate}: the monthly budget has to hold one");
            return Err(Error::fault("/monthlyBudgetUsd", FaultCode::OutOfRange, message));
        }
        Ok((draft, plan))
    }

    fn sealed(&self, id: ScheduleId, key: Option<&ProviderKey>) -> Result<Option<SealedSecret>, Error> {
        key.map(|key| self.keeper.starter.seal(id, key)).transpose()
    }
}

/// A member that is true or false; false without it.
fn is_set(body: &Map<String, Value>, name: &str) -> Result<bool, Faults> {
    match body.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(is_set)) => Ok(*is_set),
        Some(_) => Err(Faults::one(
            format!("/{name}"),
            FaultCode::WrongType,
            format!("{name} must be true or false"),
        )),
    }
}
