//! The steps of a queued scan, which any process may do.

use super::document::{OrderDocument, packed, stored_plan};
use super::ends::notice;
use super::follow::too_few;
use super::keys::RunKeys;
use super::owner::RunOwner;
use super::planless::PlanlessOrder;
use super::queue::shards;
use super::view::QueuedAnswer;
use crate::clock::now_ms;
use crate::page::with_names;
use crate::planner::Planner;
use crate::runs::output::{RunIdentity, StoreStep};
use crate::runs::work::Terms;
use crate::runs::{Runs, share_of, share_of_buyer};
use crate::service_keys::may_go_on;
use crate::webhooks::EventMessage;
use crate::workspace::{finished_run, reason};
use crate::{Error, chain};
use ibid_engine::plan::Plan;
use ibid_engine::{EndedCall, Engine, Rest};
use ibid_model::Product;
use ibid_provider::{ProviderError, ProviderKey};
use ibid_runs::{RunFuture, RunSteps, StepCtx, StepError};
use ibid_store::{
    DurableRunState, DurableRunView, EndedRun, HeldStep, Origin, RunEnd, RunStep, ScanEnd, StoreError,
};
use jiff::Timestamp;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Most calls of a shard.
pub(super) const SHARD: usize = 50;
/// The time in which calls under way have to end once their run is cancelled or the process stops.
const GRACE: Duration = Duration::from_secs(10);

/// The pause between two attempts to store an outcome.
const AGAIN: Duration = Duration::from_millis(500);

/// The end of a run whose order or plan cannot be read.
const UNREADABLE: StepError = StepError::Fatal {
    code: "order_unreadable",
};

/// The steps.
pub(super) struct Steps {
    pub(super) runs: Arc<Runs>,
    pub(super) planner: Arc<Planner>,
    pub(super) keys: Option<Arc<RunKeys>>,
    /// The operator's key.
    pub(super) operator: Option<ProviderKey>,
    /// The operator's key for sold scans.
    pub(super) sold_key: Option<ProviderKey>,
}

/// An order with its plan.
struct Order {
    run: DurableRunView,
    document: OrderDocument,
    plan: Plan,
}

impl Order {
    /// The calls of a shard.
    fn calls(&self, shard: u32) -> Range<u32> {
        let all = u32::try_from(self.plan.len()).unwrap_or(u32::MAX);
        if self.document.max_cost.is_some() {
            return 0..all;
        }
        let size = u32::try_from(SHARD).unwrap_or(u32::MAX);
        let from = shard.saturating_mul(size);
        from..from.saturating_add(size).min(all)
    }

    /// The time until its deadline; `None` without one.
    fn time_left(&self) -> Option<Duration> {
        let left = self.document.deadline?.duration_since(Timestamp::now());
        Some(left.try_into().unwrap_or(Duration::ZERO))
    }
}

impl Steps {
    async fn order(&self, ctx: &StepCtx) -> Result<Order, StepError> {
        let id = ctx.run();
        let run = self.runs.db.call(move |store| store.durable_run(id)).await?;
        let run = run.filter(|run| run.ended_at.is_none()).ok_or(StepError::Lost)?;
        let document: OrderDocument = serde_json::from_slice(&run.document).map_err(|_| UNREADABLE)?;
        let plan = match stored_plan(&self.runs.db, id).await {
            Ok(Some(plan)) => plan,
            Ok(None) => self.plan_of_planless(&run, ctx.held).await?,
            Err(Error::Store(error)) => return Err(error.into()),
            Err(_) => return Err(UNREADABLE),
        };
        Ok(Order { run, document, plan })
    }

    /// Plans an order without a plan, and stores the plan.
    /// Calls have their numbers in the former plan, so that only an equal one is taken once the shards are queued.
    async fn plan_of_planless(&self, run: &DurableRunView, held: HeldStep) -> Result<Plan, StepError> {
        let order: PlanlessOrder = serde_json::from_slice(&run.document).map_err(|_| UNREADABLE)?;
        let plan = match order.planned(&self.planner).await {
            Ok(plan) if held.step == RunStep::Plan || order.is_of(&plan) => plan,
            Err(Error::Overloaded { retry_after }) => {
                return Err(StepError::Retry {
                    code: "planner_busy",
                    after: Some(retry_after),
                });
            }
            Ok(_) | Err(_) => return Err(UNREADABLE),
        };
        let packed = packed(&plan).map_err(|_| UNREADABLE)?;
        let calls = u32::try_from(plan.len()).unwrap_or(u32::MAX);
        let kept = self
            .runs
            .db
            .call(move |store| store.keep_run_plan(held, packed.as_bytes(), calls));
        kept.await?;
        Ok(plan)
    }

    /// Checks that a caller's key is valid: it may be revoked while the scan is queued.
    async fn check_owner(&self, order: &Order) -> Result<(), StepError> {
        let RunOwner::Api(caller) = &order.document.owner else {
            return Ok(());
        };
        let caller = caller.clone();
        if self.runs.db.call(move |store| may_go_on(store, &caller)).await? {
            return Ok(());
        }
        Err(StepError::Fatal { code: "key_revoked" })
    }

    async fn key(&self, order: &Order, ctx: &StepCtx) -> Result<ProviderKey, StepError> {
        let id = ctx.run();
        if order.document.operator_pays {
            let key = match &order.document.owner {
                RunOwner::Api(_) | RunOwner::Account(_) => &self.operator,
                RunOwner::Sold { .. } => &self.sold_key,
            };
            return key.clone().ok_or(StepError::Fatal {
                code: "operator_key_unavailable",
            });
        }
        let sealed = self
            .runs
            .db
            .call(move |store| store.run_secret(id, now_ms()))
            .await?;
        let opened = self
            .keys
            .as_ref()
            .zip(sealed)
            .and_then(|(keys, sealed)| keys.open(id, &sealed));
        opened.ok_or(StepError::Fatal {
            code: "key_unavailable",
        })
    }

    async fn ended(&self, ctx: &StepCtx) -> Result<Vec<EndedCall>, StepError> {
        let id = ctx.run();
        let kept = self
            .runs
            .db
            .call(move |store| store.calls(id, 0, u32::MAX))
            .await?;
        let calls = kept.iter().map(|kept| serde_json::from_slice(&kept.outcome));
        calls.collect::<Result<_, _>>().map_err(|_| StepError::Fatal {
            code: "calls_unreadable",
        })
    }

    fn engine(&self, order: &Order, ctx: &StepCtx) -> Engine {
        let terms = Terms {
            reads_answers: !order.document.owner.is_buyer(),
            cost_cap: order.document.max_cost,
            share: match &order.document.owner {
                RunOwner::Sold { payer, .. } => share_of_buyer(payer, ctx.run()),
                owner => share_of(&owner.tenant(), ctx.run()),
            },
        };
        self.runs.engine(&order.plan, terms)
    }

    async fn ask(&self, number: u32, ctx: &StepCtx) -> Result<(), StepError> {
        let order = self.order(ctx).await?;
        let (key, ended) = (self.key(&order, ctx).await?, self.ended(ctx).await?);
        let limit = order.plan.time_limit();
        let limit = order.time_left().map_or(limit, |left| left.min(limit));
        // While the database takes no outcome, no call begins. Those under way are paid for, so they are kept here
        // and stored later.
        let (stop, unstored) = (ctx.stop.child_token(), Mutex::new(Vec::new()));
        let rest = Rest {
            calls: order.calls(number),
            ended: &ended,
            deadline: Instant::now() + limit,
            stop: &stop,
        };
        let (held, plan) = (ctx.held, &order.plan);
        let feed = self.runs.feeds.of(held.run);
        feed.set_plan(plan);
        let show = |ended: &EndedCall| {
            if let Some(answer) = QueuedAnswer::of(plan, ended) {
                feed.add(answer.progress(plan.len()));
            }
        };
        ended.iter().for_each(show);
        let late = (&stop, &unstored);
        let keep = |ended: EndedCall| async move {
            self.runs.counts.asked(ended.answer.is_ok());
            if ended.answer.is_ok() {
                ctx.answered.notify_one();
            }
            let outcome = serde_json::to_vec(&ended).map_err(|_| StoreError::Damaged("call"))?;
            let outcome: Arc<[u8]> = outcome.into();
            match self.put(held, ended.call, &outcome).await {
                // Another process may have cancelled the run.
                Ok(true) => ctx.stop.cancel(),
                Ok(false) => {}
                Err(StoreError::Lost) => return Err(StoreError::Lost),
                Err(error) => {
                    tracing::warn!(scan.id = %held.run, error = chain(&error), "run.call.not_stored");
                    late.0.cancel();
                    let mut unstored = late.1.lock().unwrap_or_else(PoisonError::into_inner);
                    unstored.push((ended.call, outcome));
                }
            }
            show(&ended);
            Ok::<_, StoreError>(())
        };
        self.runs.db.call(move |store| store.begin_calls(held)).await?;
        let engine = self.engine(&order, ctx);
        let asked = engine.ask_rest(&order.plan, &key, &rest, keep);
        let too_late = async {
            ctx.stop.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            asked = asked => asked?,
            () = too_late => {}
        }
        let unstored = unstored.into_inner().unwrap_or_else(PoisonError::into_inner);
        if unstored.is_empty() {
            return Ok(());
        }
        for (call, outcome) in unstored {
            self.put_late(held, call, &outcome).await?;
        }
        self.runs.feeds.notify(held.run);
        // The calls that did not begin are left.
        Err(StepError::Retry {
            code: "store",
            after: Some(Duration::ZERO),
        })
    }

    /// Stores the outcome of a call, and returns whether the run is cancelled.
    async fn put(&self, held: HeldStep, call: u32, outcome: &Arc<[u8]>) -> Result<bool, StoreError> {
        let (db, outcome) = (&self.runs.db, Arc::clone(outcome));
        db.call(move |store| store.put_call(held, call, &outcome)).await
    }

    /// Stores the outcome of a call, and retries for as long as the database takes no writes.
    async fn put_late(&self, held: HeldStep, call: u32, outcome: &Arc<[u8]>) -> Result<(), StoreError> {
        loop {
            match self.put(held, call, outcome).await {
                Ok(_) => return Ok(()),
                Err(StoreError::Lost) => return Err(StoreError::Lost),
                Err(_) => tokio::time::sleep(AGAIN).await,
            }
        }
    }

    async fn score(&self, ctx: &StepCtx) -> Result<(), StepError> {
        let order = self.order(ctx).await?;
        let ended = self.ended(ctx).await?;
        let answered = ended.iter().filter(|call| call.answer.is_ok()).count();
        let state = match (ctx.cancelled, answered == order.plan.len()) {
            (true, _) => DurableRunState::Cancelled,
            (false, true) => DurableRunState::Complete,
            (false, false) => DurableRunState::Partial,
        };
        let missing = if ctx.cancelled {
            ProviderError::Stopped
        } else {
            ProviderError::Timeout
        };
        let begun = Timestamp::from_millisecond(order.run.created_at).unwrap_or_else(|_| Timestamp::now());
        let engine = self.engine(&order, ctx);
        let plan = with_names(self.runs.pages(), order.plan.clone()).await;
        let asked = match engine.gather(ctx.run(), plan, ended, (&missing, begun)) {
            Ok(asked) => asked,
            Err(none) => {
                self.runs.counts.ended(order.document.owner.product(), false);
                let state = if ctx.cancelled {
                    state
                } else {
                    DurableRunState::Failed
                };
                let code = none.cause.code();
                let reason = reason(&Error::from(none).of_the_operator());
                return self.end(ctx, &order.run, (state, code), &reason).await;
            }
        };
        let output = self.runs.score(ctx.run(), asked, None).await.map_err(|error| {
            tracing::warn!(error = chain(&error), "run.not_scored");
            StepError::Retry {
                code: "not_scored",
                after: None,
            }
        })?;
        let usage = output.scan_result().map(|scan| scan.usage.answered);
        if order.document.owner.is_buyer() && (ctx.cancelled || !output.has_enough_answers()) {
            self.runs.counts.ended(order.document.owner.product(), false);
            let state = if ctx.cancelled {
                DurableRunState::Cancelled
            } else {
                DurableRunState::Failed
            };
            let code = too_few(usage.unwrap_or_default());
            return self.end(ctx, &order.run, (state, &code), &code).await;
        }
        let identity = RunIdentity {
            id: ctx.run(),
            product: order.document.owner.product(),
            origin: match &order.document.owner {
                RunOwner::Api(caller) => Origin::V2(caller.as_str().to_owned()),
                RunOwner::Account(account) => Origin::Workspace(*account),
                RunOwner::Sold { payer, .. } => Origin::Paid(payer.clone()),
            },
        };
        let message = EventMessage::run_ended(&notice(&order.run, (state, None), output.scan_result()));
        let (held, tenant, only) = (ctx.held, order.run.tenant, order.document.webhook);
        let of_account = match &order.document.owner {
            RunOwner::Api(_) | RunOwner::Sold { .. } => None,
            RunOwner::Account(_) => output.scan_result().map(finished_run),
        };
        let step: StoreStep = Box::new(move |store, scan| {
            let notices: Vec<_> = message.iter().map(|message| message.to(&tenant, only)).collect();
            let (end, now) = ((state, None), now_ms());
            match &of_account {
                None => store.end_durable_run(held, end, Some(scan), &notices, now),
                Some(finished) => {
                    let scan = ScanEnd::Finished(scan, finished);
                    store.end_account_run(held, end, scan, &notices, now)
                }
            }
        });
        match output.store_for_sale(&self.runs, identity, step).await {
            Ok(_) => {}
            Err(Error::Store(error)) => return Err(error.into()),
            Err(_) => {
                return Err(StepError::Retry {
                    code: "not_stored",
                    after: None,
                });
            }
        }
        self.runs.feeds.end(ctx.run());
        Ok(())
    }

    /// Ends a run without a result.
    async fn end(
        &self,
        ctx: &StepCtx,
        run: &DurableRunView,
        (state, code): (DurableRunState, &str),
        reason: &str,
    ) -> Result<(), StepError> {
        let message = EventMessage::run_ended(&notice(run, (state, Some(code)), None));
        let document: Option<OrderDocument> = serde_json::from_slice(&run.document).ok();
        let is_of_account = document
            .as_ref()
            .is_some_and(|document| matches!(document.owner, RunOwner::Account(_)));
        let only = document.and_then(|document| document.webhook);
        let (held, tenant) = (ctx.held, run.tenant.clone());
        let (done, reason, code) = (run.stored, reason.to_owned(), code.to_owned());
        let ended = self.runs.db.call(move |store| {
            let notices: Vec<_> = message.iter().map(|message| message.to(&tenant, only)).collect();
            let (end, now) = ((state, Some(code.as_str())), now_ms());
            if !is_of_account {
                return store.end_durable_run(held, end, None, &notices, now);
            }
            let scan = EndedRun {
                end: match state {
                    DurableRunState::Cancelled => RunEnd::Cancelled,
                    _ => RunEnd::Failed(&reason),
                },
                done,
                give_back: true,
            };
            store.end_account_run(held, end, ScanEnd::Ended(&scan), &notices, now)
        });
        ended.await?;
        self.runs.feeds.end(ctx.run());
        Ok(())
    }
}

impl RunSteps for Steps {
    fn plan(&self, ctx: StepCtx) -> RunFuture<'_, Result<u32, StepError>> {
        Box::pin(async move {
            let order = self.order(&ctx).await?;
            self.check_owner(&order).await?;
            self.key(&order, &ctx).await?;
            self.runs.counts.started(order.document.owner.product());
            self.runs.feeds.notify(ctx.run());
            Ok(shards(order.plan.len(), order.document.max_cost.is_some()))
        })
    }

    fn shard(&self, number: u32, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move { self.ask(number, &ctx).await })
    }

    fn aggregate(&self, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move { self.score(&ctx).await })
    }

    fn fail(&self, code: &'static str, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move {
            let id = ctx.run();
            let run = self.runs.db.call(move |store| store.durable_run(id)).await?;
            let run = run.ok_or(StepError::Lost)?;
            let document: Option<OrderDocument> = serde_json::from_slice(&run.document).ok();
            let product = document.map_or(Product::Scan, |document| document.owner.product());
            self.runs.counts.ended(product, false);
            // A revoked key is gone at once, and a step that misses it may have begun before the cancellation.
            let state = if ctx.cancelled || run.cancelled {
                DurableRunState::Cancelled
            } else {
                DurableRunState::Failed
            };
            self.end(&ctx, &run, (state, code), &reason(&Error::Ended)).await
        })
    }
}
