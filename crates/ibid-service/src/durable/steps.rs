//! What a queued scan takes step by step. Any process may do each.

use super::document::{OrderDocument, RunOwner, message_of, on_end, packed, stored_job};
use super::follow::{page_failed, too_few};
use super::keys;
use super::planless::PlanlessOrder;
use super::view::QueuedAnswer;
use crate::clock::now_ms;
use crate::error::Error;
use crate::failure::chain;
use crate::job::Job;
use crate::page::{PageOrder, with_names};
use crate::planner::Planner;
use crate::runs::engine::{RunFuture, RunSteps, StepCtx, StepError};
use crate::runs::output::{JobOutput, RunIdentity, StoreStep};
use crate::runs::work::Terms;
use crate::runs::{Runs, share_of, share_of_buyer};
use crate::service_keys::may_continue;
use crate::workspace::{AuditedPage, finished_run};
use ibid_audit::fetch::{FetchError, FetchFailure};
use ibid_engine::plan::Plan;
use ibid_engine::{Asked, EndedCall, Engine, NoAnswers, Rest};
use ibid_model::result::AuditReport;
use ibid_model::{Product, RunState, ScanId};
use ibid_provider::{ProviderError, ProviderKey};
use ibid_store::{DurableRunView, FinishedRun, HeldStep, Origin, RunKeys, RunResult, RunStep, StoreError};
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

/// Ends a run whose order or plan cannot be read.
const UNREADABLE: StepError = StepError::Fatal {
    code: "order_unreadable",
};

pub(super) struct Steps {
    pub(super) runs: Arc<Runs>,
    pub(super) planner: Arc<Planner>,
    pub(super) keys: Option<Arc<RunKeys>>,
    /// The operator's key.
    pub(super) operator: Option<ProviderKey>,
    /// The operator's key for sold scans.
    pub(super) sold_key: Option<ProviderKey>,
}

/// An order with its job.
struct Order {
    run: DurableRunView,
    document: OrderDocument,
    job: Job,
}

/// With what an account's run ends.
enum AccountEnd {
    Scan(FinishedRun),
    Audit(AuditedPage),
}

impl Order {
    /// Counts all calls that it plans. The audit of its page is stored behind them.
    fn all_calls(&self) -> u32 {
        u32::try_from(self.job.questions()).unwrap_or(u32::MAX)
    }

    /// Whether its calls share a shard: under one cap, because only there is the money under way known;
    /// with a page, because none begins before its audit; in batches, because each waits for the one before.
    fn has_one_shard(&self) -> bool {
        self.document.max_cost.is_some() || self.job.page().is_some() || self.is_batched()
    }

    /// Whether it asks until its range is narrow enough or its money is spent.
    fn is_batched(&self) -> bool {
        self.job.plan().is_some_and(|plan| plan.order().stop().is_some())
    }

    fn shards(&self) -> u32 {
        if self.has_one_shard() {
            return 1;
        }
        u32::try_from(self.job.questions().div_ceil(SHARD)).unwrap_or(u32::MAX)
    }

    fn calls(&self, shard: u32) -> Range<u32> {
        let all = self.all_calls();
        if self.has_one_shard() {
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
        let product = document.product();
        let job = match stored_job(&self.runs.db, id, product).await {
            Ok(Some(job)) => job,
            Ok(None) => Job::Scan(product, Box::new(self.plan_of_planless(&run, ctx.held).await?)),
            Err(Error::Store(error)) => return Err(error.into()),
            Err(_) => return Err(UNREADABLE),
        };
        Ok(Order { run, document, job })
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
        let db = &self.runs.db;
        db.call(move |store| store.keep_run_plan(held, packed.as_bytes(), calls))
            .await?;
        Ok(plan)
    }

    /// Checks that a caller's key is valid: it may be revoked while the scan is queued.
    async fn check_owner(&self, order: &Order) -> Result<(), StepError> {
        let RunOwner::Api(caller) = &order.document.owner else {
            return Ok(());
        };
        let caller = caller.clone();
        match self
            .runs
            .db
            .call(move |store| may_continue(store, &caller))
            .await?
        {
            true => Ok(()),
            false => Err(StepError::Fatal { code: "key_revoked" }),
        }
    }

    async fn key(&self, order: &Order, ctx: &StepCtx) -> Result<ProviderKey, StepError> {
        let id = ctx.run();
        if order.document.operator_pays {
            let key = match &order.document.owner {
                RunOwner::Api(_) | RunOwner::Account(_) | RunOwner::Project(_) => &self.operator,
                RunOwner::Sold { .. } => &self.sold_key,
            };
            return key.clone().ok_or(StepError::Fatal {
                code: "operator_key_unavailable",
            });
        }
        let sealed = self.runs.db.call(move |store| store.run_secret(id, now_ms()));
        let opened = self.keys.as_ref().zip(sealed.await?);
        let opened = opened.and_then(|(keys, sealed)| keys::open(keys, id, &sealed));
        opened.ok_or(StepError::Fatal {
            code: "key_unavailable",
        })
    }

    async fn ended(&self, order: &Order) -> Result<Vec<EndedCall>, StepError> {
        let (id, all) = (order.run.id, order.all_calls());
        let kept = self.runs.db.call(move |store| store.calls(id, 0, all)).await?;
        let calls = kept.iter().map(|kept| serde_json::from_slice(&kept.outcome));
        calls.collect::<Result<_, _>>().map_err(|_| StepError::Fatal {
            code: "calls_unreadable",
        })
    }

    /// Reads whether the page was audited, and what came of it.
    async fn audited(&self, order: &Order) -> Result<Option<Result<AuditReport, FetchError>>, StepError> {
        let (db, id, number) = (&self.runs.db, order.run.id, order.all_calls());
        let kept = db.call(move |store| store.calls(id, number, number.saturating_add(1)));
        let kept = kept.await?;
        let outcome = kept.first().map(|kept| serde_json::from_slice(&kept.outcome));
        outcome.transpose().map_err(|_| StepError::Fatal {
            code: "calls_unreadable",
        })
    }

    /// Audits the page of an order, unless the outcome is stored, and returns whether there is a report.
    async fn audit(&self, order: &Order, page: &PageOrder, ctx: &StepCtx) -> Result<bool, StepError> {
        if let Some(outcome) = self.audited(order).await? {
            return Ok(outcome.is_ok());
        }
        let held = ctx.held;
        self.runs.db.call(move |store| store.begin_calls(held)).await?;
        let left = order.time_left().unwrap_or(order.job.time_limit());
        let audited = tokio::select! {
            audited = tokio::time::timeout(left, self.runs.audit(page)) => audited,
            () = ctx.stop.cancelled() => return Ok(false),
        };
        let outcome = match audited {
            Ok(Ok(report)) => Ok(report),
            Ok(Err(Error::Page(error))) => Err(error),
            Ok(Err(_)) => {
                return Err(StepError::Fatal {
                    code: "audits_disabled",
                });
            }
            Err(_) => Err(FetchError::Failed(FetchFailure::Timeout)),
        };
        let stored = serde_json::to_vec(&outcome).map_err(|_| StoreError::Damaged("audit"))?;
        self.put(held, order.all_calls(), &stored.into()).await?;
        Ok(outcome.is_ok())
    }

    fn engine(&self, order: &Order, plan: &Plan, ctx: &StepCtx) -> Engine {
        let terms = Terms {
            reads_answers: !order.document.owner.is_buyer(),
            cost_cap: order.document.max_cost,
            share: match &order.document.owner {
                RunOwner::Sold { payer, .. } => share_of_buyer(payer, ctx.run()),
                owner => share_of(&owner.tenant(), ctx.run()),
            },
        };
        self.runs.engine(plan, terms)
    }

    async fn ask(&self, number: u32, ctx: &StepCtx) -> Result<(), StepError> {
        let order = self.order(ctx).await?;
        // Without a report the result cannot be sold, and the models cost money.
        if let Some(page) = order.job.page()
            && !self.audit(&order, page, ctx).await?
        {
            return Ok(());
        }
        let Some(plan) = order.job.plan() else {
            return Ok(());
        };
        let (key, mut ended) = (self.key(&order, ctx).await?, self.ended(&order).await?);
        let limit = plan.time_limit();
        let limit = order.time_left().map_or(limit, |left| left.min(limit));
        // While the database takes no outcome, no call begins. Those under way are paid for, so they are kept here
        // and stored later.
        let (stop, unstored) = (ctx.stop.child_token(), Mutex::new(Vec::new()));
        let deadline = Instant::now() + limit;
        let held = ctx.held;
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
        let engine = self.engine(&order, plan, ctx);
        let mut last = None;
        loop {
            let calls = match order.is_batched() {
                true => self.next_calls(&engine, held.run, plan, &ended).await?,
                false => Some(order.calls(number)),
            };
            let Some(calls) = calls.filter(|calls| last.as_ref() != Some(calls)) else {
                break;
            };
            let rest = Rest {
                calls: calls.clone(),
                ended: &ended,
                deadline,
                stop: &stop,
            };
            let asked = engine.ask_rest(plan, &key, &rest, &keep);
            let too_late = async {
                ctx.stop.cancelled().await;
                tokio::time::sleep(GRACE).await;
            };
            tokio::select! {
                asked = asked => asked?,
                () = too_late => {}
            }
            if !order.is_batched() || stop.is_cancelled() || Instant::now() >= deadline {
                break;
            }
            (last, ended) = (Some(calls), self.ended(&order).await?);
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

    /// Returns which calls the next batch has, by the answers so far.
    async fn next_calls(
        &self,
        engine: &Engine,
        run: ScanId,
        plan: &Plan,
        ended: &[EndedCall],
    ) -> Result<Option<Range<u32>>, StepError> {
        let (engine, plan, ended) = (engine.clone(), plan.clone(), ended.to_vec());
        let next = move || Ok(engine.next_calls(run, &plan, &ended));
        self.runs.on_scoring(next).await.map_err(|_| StepError::Retry {
            code: "not_scored",
            after: None,
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

    /// Turns what is stored into a result, and ends the run.
    async fn score(&self, ctx: &StepCtx) -> Result<(), StepError> {
        let order = self.order(ctx).await?;
        let product = order.document.product();
        let end = async |code: &str| {
            self.runs.counts.ended(product, false);
            let state = match ctx.cancelled {
                true => RunState::Cancelled,
                false => RunState::Failed,
            };
            self.end(ctx, &order.run, state, code).await
        };
        let report = match order.job.page() {
            None => None,
            Some(_) => match self.audited(&order).await? {
                Some(Ok(report)) if !ctx.cancelled => Some(report),
                Some(Err(error)) => return end(&page_failed(&error)).await,
                // The run was cancelled, or its worker audits no pages.
                Some(Ok(_)) | None => return end(ProviderError::Stopped.code()).await,
            },
        };
        let (state, output) = match (order.job.plan(), report) {
            (None, None) => return Err(UNREADABLE),
            (None, Some(report)) => {
                let output = JobOutput::audit(ctx.run(), report, self.runs.is_sandbox());
                (RunState::Complete, output)
            }
            (Some(plan), report) => {
                let ended = self.ended(&order).await?;
                match self.gather(&order, plan, ended, ctx).await {
                    Ok(asked) => {
                        let state = match (ctx.cancelled, asked.is_complete()) {
                            (true, _) => RunState::Cancelled,
                            (false, true) => RunState::Complete,
                            (false, false) => RunState::Partial,
                        };
                        (state, self.runs.score(ctx.run(), asked, report).await)
                    }
                    Err(none) => return end(none.cause.code()).await,
                }
            }
        };
        let output = output.map_err(|error| {
            tracing::warn!(error = chain(&error), "run.not_scored");
            StepError::Retry {
                code: "not_scored",
                after: None,
            }
        })?;
        if order.document.owner.is_buyer() && (ctx.cancelled || !output.has_enough_answers()) {
            let answered = output.scan_result().map(|scan| scan.usage.answered);
            return end(&too_few(answered.unwrap_or_default())).await;
        }
        self.store(ctx, order, state, output).await
    }

    /// Joins the stored calls of a plan to its answers.
    async fn gather(
        &self,
        order: &Order,
        plan: &Plan,
        ended: Vec<EndedCall>,
        ctx: &StepCtx,
    ) -> Result<Asked, NoAnswers> {
        let missing = match ctx.cancelled {
            true => ProviderError::Stopped,
            false => ProviderError::Timeout,
        };
        let begun = Timestamp::from_millisecond(order.run.created_at).unwrap_or_else(|_| Timestamp::now());
        let engine = self.engine(order, plan, ctx);
        let plan = with_names(self.runs.pages(), plan.clone()).await;
        engine.gather(ctx.run(), plan, ended, (&missing, begun))
    }

    /// Stores the result of a run, and ends it.
    async fn store(
        &self,
        ctx: &StepCtx,
        order: Order,
        state: RunState,
        output: JobOutput,
    ) -> Result<(), StepError> {
        let document = order.document;
        let identity = RunIdentity {
            id: ctx.run(),
            product: document.product(),
            origin: match &document.owner {
                RunOwner::Api(caller) => Origin::V2(caller.as_str().to_owned()),
                RunOwner::Account(account) => Origin::Workspace(*account),
                owner @ RunOwner::Project(_) => Origin::V2(owner.tenant().as_str().to_owned()),
                RunOwner::Sold { payer, .. } => Origin::Paid(payer.clone()),
            },
        };
        let message = message_of(&order.run, Some(&document), state, None, output.scan_result());
        let (held, tenant, only) = (ctx.held, order.run.tenant, document.webhook);
        let of_account = match document.owner {
            RunOwner::Api(_) | RunOwner::Project(_) | RunOwner::Sold { .. } => None,
            RunOwner::Account(account) => match (output.scan_result(), output.audit_report()) {
                (Some(scan), _) => Some(AccountEnd::Scan(finished_run(scan))),
                (None, report) => report.map(|report| AccountEnd::Audit(AuditedPage::of(account, report))),
            },
        };
        let step: StoreStep = Box::new(move |store, scan| {
            let notices: Vec<_> = message.iter().map(|message| message.to(&tenant, only)).collect();
            let (end, now) = ((state, None), now_ms());
            let row;
            let result = match &of_account {
                None => RunResult::Scan(scan),
                Some(AccountEnd::Scan(finished)) => RunResult::OfAccount(scan, finished),
                Some(AccountEnd::Audit(page)) => {
                    row = page.row();
                    RunResult::Audit(scan, &row)
                }
            };
            store.end_durable_run(held, end, Some(result), &notices, now)
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
        state: RunState,
        code: &str,
    ) -> Result<(), StepError> {
        let (held, run, code) = (ctx.held, run.clone(), code.to_owned());
        let ended = self.runs.db.call(move |store| {
            on_end(&run, state, &code, |notices| {
                store.end_durable_run(held, (state, Some(code.as_str())), None, notices, now_ms())
            })
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
            if order.job.plan().is_some() {
                self.key(&order, &ctx).await?;
            }
            self.runs.counts.started(order.document.product());
            self.runs.feeds.notify(ctx.run());
            Ok(order.shards())
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
            let product = document.map_or(Product::Scan, |document| document.product());
            self.runs.counts.ended(product, false);
            // A revoked key is gone at once, and a step that misses it may have begun before the cancellation.
            let state = match ctx.cancelled || run.cancelled {
                true => RunState::Cancelled,
                false => RunState::Failed,
            };
            self.end(&ctx, &run, state, code).await
        })
    }
}
