//! Runs a plan, all shards and the aggregate.
//!
//! A change here breaks the replay of open runs.
//! It has to be gated by `patched` then.

use crate::activities::{ShardInput, StepActivities};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use temporalio_client::RetryPolicy;
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::workflows::join_all;
use temporalio_sdk::{ActivityOptions, WorkflowContext, WorkflowResult};

/// Longest time for one attempt at a step.
const STEP: Duration = Duration::from_secs(3_600);
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunInput {
    pub(crate) run: String,
    /// Milliseconds without a heartbeat after which another worker takes a step over.
    pub(crate) silence: u64,
}

fn options(silence: u64) -> ActivityOptions {
    let again = RetryPolicy::builder()
        .initial_interval(Duration::from_secs(1))
        .maximum_interval(Duration::from_secs(30))
        .build();
    ActivityOptions::with_start_to_close_timeout(STEP)
        .heartbeat_timeout(Duration::from_millis(silence))
        .retry_policy(again)
        .do_not_eagerly_execute(true)
        .build()
}

#[workflow]
#[derive(Default)]
pub(crate) struct RunWorkflow;

#[workflow_methods]
impl RunWorkflow {
    #[run]
    pub(crate) async fn run(ctx: &mut WorkflowContext<Self>, input: RunInput) -> WorkflowResult<()> {
        let RunInput { run, silence } = input;
        let shards = ctx
            .execute_activity(StepActivities::plan, run.clone(), options(silence))
            .await?;
        let asked = shards.into_iter().map(|shard| {
            let input = ShardInput {
                run: run.clone(),
                shard,
            };
            ctx.execute_activity(StepActivities::shard, input, options(silence))
        });
        for done in join_all(asked.collect::<Vec<_>>()).await {
            done?;
        }
        ctx.execute_activity(StepActivities::aggregate, run, options(silence))
            .await?;
        Ok(())
    }
}
