//! Carries out claimed steps, for every engine.

use super::port::{RunSteps, StepCtx, StepError};
use crate::clock::{millis, now_ms};
use ibid_store::{ClaimedStep, Db, HeldStep, RunStep, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The pause before the next attempt at a step, unless the step names one.
const PAUSE: Duration = Duration::from_secs(5);
/// Code for runs with a step that always ended its process.
const POISON: &str = "worker_lost";

/// Carries out steps that a worker holds, and writes their ends.
#[derive(Clone)]
pub struct StepRunner {
    pub db: Db,
    pub steps: Arc<dyn RunSteps>,
    /// Lost attempts at a step without a stored call; after one more its run ends.
    pub attempts: u32,
    /// Set when the process stops.
    pub stop: CancellationToken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepEnd {
    Done,
    /// The step is given back, to be done after this pause.
    GivenBack(Duration),
    /// Another worker has the step.
    Lost,
}

impl StepRunner {
    /// Carries out a claimed step.
    pub async fn run(&self, claimed: ClaimedStep, ctx: &StepCtx) -> StepEnd {
        let held = claimed.held;
        // Of a shard only lost attempts count.
        let counted = !matches!(held.step, RunStep::Shard(_));
        let last = counted && claimed.attempts > self.attempts;
        match self.end(claimed, ctx).await {
            Ok(end) => end,
            Err(StepError::Lost) => {
                tracing::warn!(run.id = %held.run, step = ?held.step, "run.step.lost");
                StepEnd::Lost
            }
            Err(StepError::Retry { code, after }) => {
                tracing::warn!(run.id = %held.run, step = ?held.step, code, "run.step.retry");
                let pause = after.unwrap_or(PAUSE);
                // A cancelled run ends with its answers.
                if last && !ctx.cancelled && self.steps.fail(code, ctx.clone()).await.is_ok() {
                    tracing::error!(run.id = %held.run, step = ?held.step, code, "run.step.failed");
                    return StepEnd::Done;
                }
                self.give_back(held, pause, counted).await;
                StepEnd::GivenBack(pause)
            }
            // `end` has handled it.
            Err(StepError::Fatal { .. }) => StepEnd::Done,
        }
    }

    /// Does a step and writes its end.
    async fn end(&self, claimed: ClaimedStep, ctx: &StepCtx) -> Result<StepEnd, StepError> {
        let held = claimed.held;
        // The attempt after the last one that counts is done alone.
        let poison = claimed.attempts > self.attempts.saturating_add(1);
        if poison {
            tracing::error!(run.id = %held.run, step = ?held.step, attempts = claimed.attempts, "run.step.poison");
        }
        let fail = async |code| {
            tracing::error!(run.id = %held.run, step = ?held.step, code, "run.step.failed");
            self.steps.fail(code, ctx.clone()).await
        };
        match held.step {
            RunStep::Plan if poison => fail(POISON).await?,
            RunStep::Plan => match self.shards(ctx).await {
                Ok(shards) => self.db.call(move |store| store.finish_plan(held, shards)).await?,
                Err(StepError::Fatal { code }) => fail(code).await?,
                Err(error) => return Err(error),
            },
            RunStep::Shard(number) => {
                // A shard that fails for good leaves its calls without an outcome.
                // The aggregate counts them as failed.
                if poison && !ctx.cancelled {
                    fail(POISON).await?;
                    return Ok(StepEnd::Done);
                }
                let done = if ctx.cancelled {
                    Ok(())
                } else {
                    match self.steps.shard(number, ctx.clone()).await {
                        Err(StepError::Fatal { code }) => {
                            tracing::error!(run.id = %held.run, step = ?held.step, code, "run.step.failed");
                            Ok(())
                        }
                        done => done,
                    }
                };
                if self.stop.is_cancelled() && done.is_ok() {
                    // The step may have ended early.
                    // The next worker finds out from the stored calls.
                    self.give_back(held, Duration::ZERO, false).await;
                    return Ok(StepEnd::GivenBack(Duration::ZERO));
                }
                done?;
                self.db.call(move |store| store.finish_shard(held)).await?;
            }
            RunStep::Aggregate if poison => fail(POISON).await?,
            RunStep::Aggregate => match self.steps.aggregate(ctx.clone()).await {
                Err(StepError::Fatal { code }) => fail(code).await?,
                done => done?,
            },
        }
        Ok(StepEnd::Done)
    }

    async fn shards(&self, ctx: &StepCtx) -> Result<u32, StepError> {
        if ctx.cancelled {
            return Ok(0);
        }
        self.steps.plan(ctx.clone()).await
    }

    /// Gives a step back, and repeats this while the database takes no writes.
    /// The worker that holds the step does not get it again.
    async fn give_back(&self, held: HeldStep, pause: Duration, counted: bool) {
        loop {
            let db = &self.db;
            let given = db.call(move |store| store.return_step(held, after(pause), counted));
            match given.await {
                Ok(()) | Err(StoreError::Lost) => return,
                Err(error) => {
                    tracing::warn!(run.id = %held.run, step = ?held.step, %error, "run.step.not_returned");
                }
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                // Its lease ends by itself.
                () = self.stop.cancelled() => return,
            }
        }
    }
}

/// The time after a pause, in the unit of the store: milliseconds since 1970.
pub fn after(pause: Duration) -> i64 {
    now_ms().saturating_add(millis(pause))
}
