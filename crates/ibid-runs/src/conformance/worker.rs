//! A worker process: an engine whose calls are answered by the process that started it.

use super::{CALLS, Engine};
use crate::{RunFuture, RunSteps, StepCtx, StepError};
use ibid_store::{Db, DurableRunState};
use std::collections::HashMap;
use std::io::{BufRead as _, Write as _};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

struct Steps {
    db: Db,
    asked: Arc<Mutex<HashMap<u32, oneshot::Sender<()>>>>,
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

impl RunSteps for Steps {
    fn plan(&self, ctx: StepCtx) -> RunFuture<'_, Result<u32, StepError>> {
        Box::pin(async move {
            let run = self.db.call(move |store| store.durable_run(ctx.run())).await?;
            Ok(run.unwrap().calls.div_ceil(CALLS))
        })
    }

    fn shard(&self, number: u32, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move {
            let (from, to) = (number * CALLS, (number + 1) * CALLS);
            let run = ctx.run();
            let stored = self.db.call(move |store| store.calls(run, from, to)).await?;
            for call in (from..to).filter(|call| stored.iter().all(|stored| stored.call != *call)) {
                let (answer, answered) = oneshot::channel();
                self.asked.lock().unwrap().insert(call, answer);
                say(&format!("asked {call}"));
                tokio::select! {
                    () = ctx.stop.cancelled() => {
                        say(&format!("stopped {call}"));
                        return Ok(());
                    }
                    answer = answered => answer.unwrap(),
                }
                let put = self
                    .db
                    .call(move |store| store.put_call(ctx.held, call, b"answer"))
                    .await;
                say(&format!(
                    "{} {call}",
                    if put.is_ok() { "stored" } else { "refused" }
                ));
                put?;
            }
            Ok(())
        })
    }

    fn aggregate(&self, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move {
            let ended = self.db.call(move |store| {
                let run = store.durable_run(ctx.run())?.unwrap();
                let state = match (ctx.cancelled, run.stored == run.calls) {
                    (true, _) => DurableRunState::Cancelled,
                    (false, true) => DurableRunState::Complete,
                    (false, false) => DurableRunState::Partial,
                };
                // The error tells the test how many calls were there.
                let stored = run.stored.to_string();
                store.end_durable_run(ctx.held, (state, Some(&stored)), None, &[], 1)
            });
            Ok(ended.await?)
        })
    }

    fn fail(&self, code: &'static str, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move {
            let end = (DurableRunState::Failed, Some(code));
            let ended = self
                .db
                .call(move |store| store.end_durable_run(ctx.held, end, None, &[], 1));
            Ok(ended.await?)
        })
    }
}

/// Works until standard input ends, then stops gracefully.
pub(super) fn main(engine: &Engine, address: &str) {
    let store = ibid_store::open(&address.parse().unwrap()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (db, asked) = (Db::new(store), Arc::default());
    let steps = Steps {
        db: db.clone(),
        asked: Arc::clone(&asked),
    };
    let engine = (engine.start)(db, Arc::new(steps), runtime.handle());
    for line in std::io::stdin().lock().lines() {
        let call: u32 = line.unwrap().parse().unwrap();
        if let Some(answer) = asked.lock().unwrap().remove(&call) {
            // The step may have been stopped meanwhile.
            let _ = answer.send(());
        }
    }
    runtime.block_on(engine.stop());
}
