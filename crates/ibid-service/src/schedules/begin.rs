//! Queues the scan of a fired schedule, unless its budget or its owner forbid it.

use super::keeper::ScheduleKeeper;
use super::owner::WITH_RESULT;
use super::start::DueScan;
use super::view::{order_of, time};
use super::{ScheduleOwner, month_began};
use crate::error::Error;
use crate::job::CallerId;
use crate::planner::PlanBounds;
use crate::request_hash::RepeatableRequest;
use crate::request_hash::RequestHash;
use crate::service_keys::may_continue;
use crate::webhooks::EventMessage;
use ibid_model::{AccountId, ScanDraft, ScanId, ScheduleId, Skill, UsdMicros, WebhookEvent};
use ibid_provider::ProviderKey;
use ibid_store::{Reservation, ScheduleRecord, ScheduleStart, Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

/// The shortest time for a scan, however soon the next one is due.
const LEAST_TIME: SignedDuration = SignedDuration::from_hours(1);
/// The longest time that a scan gets.
const MOST_TIME: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The time after which a scan is given up if it cannot be queued.
const GIVE_UP: SignedDuration = SignedDuration::from_hours(1);

/// Why a run has no scan.
pub(super) enum NotBegun {
    /// Budget or owner do not allow the run, for example because the month is spent or the key was revoked.
    /// The word names the cause.
    Held(&'static str),
    /// The scan cannot be queued. The word names the cause.
    Failed(&'static str),
    /// The scan cannot be queued now.
    Later(Error),
}

impl ScheduleKeeper {
    /// Queues the scan of a run, or ends the run without one.
    pub(super) async fn begin(&self, firing: ScheduleStart, now: Timestamp) -> Result<(), Error> {
        let read = self.in_store(move |store| {
            let Some(schedule) = store.schedule(firing.schedule)? else {
                return Ok(None);
            };
            let used = store.schedule_use(schedule.id, month_began(now))?;
            let secret = store.schedule_secret(schedule.id)?;
            let number = store.scheduled_scans_before(firing, WITH_RESULT)?.len();
            Ok(Some((schedule, used, secret, number)))
        });
        // It was deleted meanwhile.
        let Some((schedule, used, secret, number)) = read.await? else {
            return Ok(());
        };
        // A project's run reserves its cost in its row instead.
        let budget = schedule
            .budget
            .filter(|_| ScheduleOwner::project_named(&schedule.owner).is_none());
        let left = budget.map(|budget| UsdMicros::new(budget.saturating_sub(used.cost)));
        let begun = if schedule.credits.is_some_and(|credits| used.credits >= credits) {
            Err(NotBegun::Held("over_credits"))
        } else {
            match secret.map(|secret| self.starter.open(schedule.id, &secret)) {
                Some(None) => Err(NotBegun::Failed("key_unreadable")),
                key => {
                    let number = u32::try_from(number).unwrap_or(u32::MAX);
                    self.queue_scan(&schedule, firing, number, left, key.flatten(), now)
                        .await
                }
            }
        };
        match begun {
            Ok(scan) => self.note_scan(&schedule, firing, scan, now).await,
            Err(NotBegun::Held(word)) => {
                self.hold_markets(firing, word, now).await?;
                self.end_without_scan(&schedule, firing, word, false, now).await
            }
            Err(NotBegun::Failed(word)) => self.end_without_scan(&schedule, firing, word, true, now).await,
            Err(NotBegun::Later(error)) if now.duration_since(time(firing.due)) < GIVE_UP => {
                // This process or another one takes the run over in a while.
                tracing::warn!(schedule = %schedule.id, error = crate::failure::chain(&error), "schedule.queue.failed");
                Ok(())
            }
            Err(NotBegun::Later(error)) => {
                tracing::error!(schedule = %schedule.id, error = crate::failure::chain(&error), "schedule.queue.given_up");
                let word = error.code().word();
                self.end_without_scan(&schedule, firing, word, true, now).await
            }
        }
    }

    async fn queue_scan(
        &self,
        schedule: &ScheduleRecord,
        firing: ScheduleStart,
        number: u32,
        left: Option<UsdMicros>,
        key: Option<ProviderKey>,
        now: Timestamp,
    ) -> Result<ScanId, NotBegun> {
        let owner = ScheduleOwner::named(&schedule.owner);
        let caller = match &owner {
            ScheduleOwner::Api(caller) => {
                self.check_caller(caller, schedule.id, now).await?;
                if key.is_none() {
                    return Err(NotBegun::Failed("provider_key_required"));
                }
                caller.clone()
            }
            ScheduleOwner::Account(account) => {
                self.check_account(*account).await?;
                CallerId::of(*account)
            }
            ScheduleOwner::Project(project) => CallerId::of_project(*project),
        };
        let body = order_of(schedule).map_err(|error| NotBegun::Later(error.into()))?;
        let bounds = PlanBounds::Run(number);
        let plan = self
            .planner
            .plan_within(ScanDraft(&body), owner.form(), bounds)
            .await;
        let plan = plan.map_err(NotBegun::of)?;
        let plan = self.with_kept(schedule, firing, plan).await;
        let plan = plan.map_err(NotBegun::Later)?;
        if left.is_some_and(|left| plan.estimate() > left) {
            return Err(NotBegun::Held("over_budget"));
        }
        let left = match owner {
            ScheduleOwner::Project(_) => {
                let with_markets = self.with_markets(firing, plan.estimate().get()).await?;
                Some(self.reserve(with_markets, now).await?)
            }
            ScheduleOwner::Api(_) | ScheduleOwner::Account(_) => left,
        };
        let next = schedule.next_due.map(time);
        let once = RepeatableRequest::new(
            caller,
            &format!("schedule {} {}", firing.schedule, firing.due),
            RequestHash::of(Skill::Scan, &body),
        );
        let scan = DueScan {
            plan,
            owner,
            key,
            deadline: next.unwrap_or(now).clamp(now + LEAST_TIME, now + MOST_TIME),
            max_cost: left,
            schedule: schedule.id,
        };
        self.starter.start(scan, &once).await.map_err(NotBegun::of)
    }

    /// Checks that a caller's service key is valid.
    /// A schedule with a revoked key is paused.
    async fn check_caller(
        &self,
        caller: &CallerId,
        schedule: ScheduleId,
        now: Timestamp,
    ) -> Result<(), NotBegun> {
        let caller = caller.clone();
        let checked = self.in_store(move |store| {
            let holds = may_continue(store, &caller)?;
            if !holds {
                store.pause_schedule(schedule, now.as_millisecond())?;
            }
            Ok(holds)
        });
        match checked.await {
            Ok(true) => Ok(()),
            Ok(false) => Err(NotBegun::Held("key_revoked")),
            Err(error) => Err(NotBegun::Later(error)),
        }
    }

    /// Checks that the account of a schedule may still scan.
    async fn check_account(&self, account: AccountId) -> Result<(), NotBegun> {
        let found = self.in_store(move |store| store.account_by_id(account)).await;
        match found.map_err(NotBegun::Later)? {
            Some(account) if account.disabled || !account.role.may_change() => {
                Err(NotBegun::Held("account_disabled"))
            }
            Some(_) => Ok(()),
            None => Err(NotBegun::Held("account_disabled")),
        }
    }

    /// Begins a project's run in its other markets.
    pub(super) async fn begin_markets(&self, firing: ScheduleStart, now: Timestamp) -> Result<(), Error> {
        let waiting = self.in_store(move |store| store.waiting_markets(firing));
        for (market, _) in waiting.await? {
            self.begin(market, now).await?;
        }
        Ok(())
    }

    /// Estimates a project's run with its other markets, unless their cost is reserved already.
    async fn with_markets(
        &self,
        firing: ScheduleStart,
        cost: u64,
    ) -> Result<Vec<(ScheduleStart, u64)>, NotBegun> {
        let read = self.in_store(move |store| {
            let runs = store.scheduled_runs(firing.schedule, 1)?;
            let is_reserved = runs.iter().any(|run| run.firing == firing && run.cost > 0);
            match is_reserved {
                true => Ok(Vec::new()),
                false => unreserved_markets(store, firing),
            }
        });
        let mut estimates = vec![(firing, cost)];
        for (market, schedule) in read.await.map_err(NotBegun::Later)? {
            let body = order_of(&schedule).map_err(|error| NotBegun::Later(error.into()))?;
            let form = ScheduleOwner::named(&schedule.owner).form();
            let plan = self
                .planner
                .plan_within(ScanDraft(&body), form, PlanBounds::Run(0))
                .await;
            // A market that cannot be planned ends on its own, and needs no money.
            if let Ok(plan) = plan {
                estimates.push((market, plan.estimate().get()));
            }
        }
        Ok(estimates)
    }

    /// Ends the other markets of a run that was held back, unless their cost is reserved.
    async fn hold_markets(
        &self,
        firing: ScheduleStart,
        word: &'static str,
        now: Timestamp,
    ) -> Result<(), Error> {
        let waiting = self.in_store(move |store| unreserved_markets(store, firing));
        for (market, schedule) in waiting.await? {
            self.end_without_scan(&schedule, market, word, false, now).await?;
        }
        Ok(())
    }

    /// Reserves what a project's run costs in all markets. Returns the most that its own may cost.
    async fn reserve(
        &self,
        firings: Vec<(ScheduleStart, u64)>,
        now: Timestamp,
    ) -> Result<UsdMicros, NotBegun> {
        let reserved = self.in_store(move |store| store.reserve_project_run(&firings, month_began(now)));
        match reserved.await {
            Ok(Reservation::Reserved(most)) => Ok(UsdMicros::new(most)),
            Ok(Reservation::OverBudget) => Err(NotBegun::Held("over_budget")),
            Ok(Reservation::OverOrganisationBudget) => Err(NotBegun::Held("over_organisation_budget")),
            Ok(Reservation::Closed) => Err(NotBegun::Held("project_archived")),
            Err(error) => Err(NotBegun::Later(error)),
        }
    }

    /// Notes the scan of a run, with the event for subscriptions.
    async fn note_scan(
        &self,
        schedule: &ScheduleRecord,
        firing: ScheduleStart,
        scan: ScanId,
        now: Timestamp,
    ) -> Result<(), Error> {
        let data = json!({
            "scheduleId": schedule.id,
            "name": schedule.name,
            "scanId": scan,
            "dueAt": ibid_model::time::text(time(firing.due)),
            "links": {"self": format!("/api/v2/schedules/{}", schedule.id), "scan": format!("/api/v2/scans/{scan}")},
        });
        let message = EventMessage::new(WebhookEvent::ScheduleFired, scan.to_string(), now, &data);
        let owner = schedule.owner.clone();
        let noted = self.in_store(move |store| {
            store.put_scheduled_scan(firing, scan, &[message.to(&owner, None)], now.as_millisecond())
        });
        noted.await?;
        tracing::info!(schedule = %schedule.id, %scan, "schedule.fired");
        Ok(())
    }
}

/// Returns markets that wait for their turn and have no cost reserved, with their schedules.
fn unreserved_markets(
    store: &Store,
    firing: ScheduleStart,
) -> Result<Vec<(ScheduleStart, ScheduleRecord)>, StoreError> {
    let mut markets = Vec::new();
    for (market, cost) in store.waiting_markets(firing)? {
        let schedule = store.schedule(market.schedule)?.filter(|_| cost == 0);
        markets.extend(schedule.map(|schedule| (market, schedule)));
    }
    Ok(markets)
}

impl NotBegun {
    fn of(error: Error) -> Self {
        match error {
            Error::BudgetExceeded { .. } => Self::Held("account_over_budget"),
            Error::Overloaded { .. } | Error::TooMany { .. } | Error::Store(_) => Self::Later(error),
            error => Self::Failed(error.code().word()),
        }
    }
}
