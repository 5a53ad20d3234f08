//! What an engine does for runs, and the steps that it calls.

use ibid_model::ScanId;
use ibid_store::{HeldStep, StoreError};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub type RunFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Assigns the steps of runs to workers, and repeats them.
pub trait RunEngine: Send + Sync {
    /// Starts a stored run.
    /// A begun or ended run is left as it is.
    fn start(&self, run: ScanId) -> RunFuture<'_, Result<(), EngineError>>;

    /// Cancels a run.
    /// An ended or cancelled run is left as it is.
    fn cancel(&self, run: ScanId) -> RunFuture<'_, Result<(), EngineError>>;

    /// Claims no further step.
    /// Waits until this process's steps have ended or are given back.
    fn stop(&self) -> RunFuture<'_, ()>;

    fn known(&self, run: ScanId) -> RunFuture<'_, Result<EngineView, EngineError>>;
}

/// An engine's view of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineView {
    /// The engine does not know the run.
    Unknown,
    /// The run has not ended.
    Open,
    /// The run has ended.
    Closed,
}

/// The engine cannot be reached. The call may be repeated.
#[derive(Debug, thiserror::Error)]
#[error("the run engine cannot be reached")]
pub struct EngineError(#[from] StoreError);

/// What runs do in each of their steps.
/// A step is called again if its process ended before the step did.
pub trait RunSteps: Send + Sync + 'static {
    /// Returns the number of shards; 0 for a run without calls.
    fn plan(&self, ctx: StepCtx) -> RunFuture<'_, Result<u32, StepError>>;

    /// Makes the unstored calls of a shard.
    /// Stores each under the claim of the context.
    fn shard(&self, number: u32, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>>;

    /// Ends the run with the stored answers.
    /// `ctx.cancelled` is true if the caller cancelled it.
    fn aggregate(&self, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>>;

    /// Ends the run as failed, with the code of the failed step.
    fn fail(&self, code: &'static str, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>>;
}

#[derive(Clone, Debug)]
pub struct StepCtx {
    /// The step and the claim that its writes name.
    pub held: HeldStep,
    /// Ends the step early.
    /// The run is cancelled, another worker has the step, or the process stops.
    pub stop: CancellationToken,
    /// Whether the caller had cancelled the run when the step was claimed.
    pub cancelled: bool,
    /// The step notifies this for each answer.
    /// An engine may take a slot back from a shard without a recent answer.
    pub answered: Arc<Notify>,
}

impl StepCtx {
    pub const fn run(&self) -> ScanId {
        self.held.run
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The step may succeed later.
    #[error("the step failed and is repeated: {code}")]
    Retry {
        /// A code for the log.
        code: &'static str,
        /// The pause before the next attempt; `None` for the engine's own.
        after: Option<Duration>,
    },
    /// The step will never succeed.
    #[error("the step failed for good: {code}")]
    Fatal {
        /// A code for the log and for the state of the run.
        code: &'static str,
    },
    /// Another worker has the step.
    /// This worker has no work left to do.
    #[error("another worker has the step")]
    Lost,
}

impl From<StoreError> for StepError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Lost => Self::Lost,
            _ => Self::Retry {
                code: "store",
                after: None,
            },
        }
    }
}
