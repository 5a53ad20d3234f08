//! A worker process: an engine whose parent process answers its calls.

use super::{CALLS, Engine, SLOW};
use crate::runs::engine::{RunFuture, RunSteps, StepCtx, StepError};
use ibid_model::{RunState, ScanId};
use ibid_store::{Db, DurableRunView};
use std::collections::HashMap;
use std::io::{BufRead as _, Write as _};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

/// The number of the call that the aggregate of a slow run waits for.
pub(super) const LAST: u32 = u32::MAX;

type Asked = Arc<Mutex<HashMap<(ScanId, u32), oneshot::Sender<()>>>>;

struct Steps {
    db: Db,
    asked: Asked,
}

fn say(name: &str, (run, call): (ScanId, u32)) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{name} {call} {run}").unwrap();
    out.flush().unwrap();
}

impl Steps {
    fn ask(&self, name: &str, call: (ScanId, u32)) -> oneshot::Receiver<()> {
        let (answer, answered) = oneshot::channel();
        self.asked.lock().unwrap().insert(call, answer);
        say(name, call);
        answered
    }

    async fn run(&self, id: ScanId) -> Result<DurableRunView, StepError> {
        let run = self.db.call(move |store| store.durable_run(id)).await?;
        Ok(run.unwrap())
    }
}

impl RunSteps for Steps {
    fn plan(&self, ctx: StepCtx) -> RunFuture<'_, Result<u32, StepError>> {
        Box::pin(async move { Ok(self.run(ctx.run()).await?.calls.div_ceil(CALLS)) })
    }

    fn shard(&self, number: u32, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move {
            let (from, to) = (number * CALLS, (number + 1) * CALLS);
            let run = ctx.run();
            let document = self.run(run).await?.document;
            let stored = self.db.call(move |store| store.calls(run, from, to)).await?;
            self.db.call(move |store| store.begin_calls(ctx.held)).await?;
            for call in (from..to).filter(|call| stored.iter().all(|stored| stored.call != *call)) {
                let answered = self.ask("asked", (run, call));
                tokio::select! {
                    () = ctx.stop.cancelled() => {
                        say("stopped", (run, call));
                        return Ok(());
                    }
                    answer = answered => answer.unwrap(),
                }
                let outcome = document.clone();
                let put = self
                    .db
                    .call(move |store| store.put_call(ctx.held, call, &outcome))
                    .await;
                say(if put.is_ok() { "stored" } else { "refused" }, (run, call));
                if put? {
                    return Ok(());
                }
            }
            Ok(())
        })
    }

    fn aggregate(&self, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move {
            if self.run(ctx.run()).await?.document == SLOW {
                self.ask("aggregating", (ctx.run(), LAST)).await.unwrap();
            }
            let ended = self.db.call(move |store| {
                let run = store.durable_run(ctx.run())?.unwrap();
                let state = match (ctx.cancelled, run.stored == run.calls) {
                    (true, _) => RunState::Cancelled,
                    (false, true) => RunState::Complete,
                    (false, false) => RunState::Partial,
                };
                // The error carries the number of stored calls to the test.
                let stored = run.stored.to_string();
                store.end_durable_run(ctx.held, (state, Some(&stored)), None, &[], 1)
            });
            Ok(ended.await?)
        })
    }

    fn fail(&self, code: &'static str, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move {
            let end = (RunState::Failed, Some(code));
            let ended = self
                .db
                .call(move |store| store.end_durable_run(ctx.held, end, None, &[], 1));
            Ok(ended.await?)
        })
    }
}

/// Works until standard input ends, then stops gracefully.
pub(super) fn main(engine: &Engine, address: &str) {
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(std::io::stderr)
        .init();
    let store = Arc::new(ibid_store::Store::open(&address.parse().unwrap()).unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (db, asked) = (Db::new(store), Asked::default());
    let steps = Steps {
        db: db.clone(),
        asked: Arc::clone(&asked),
    };
    let engine = (engine.start)(db, Arc::new(steps), runtime.handle());
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut words = line.split(' ');
        let mut word = || words.next().unwrap();
        let (order, call, run) = (word(), word().parse().unwrap(), word().parse().unwrap());
        match order {
            "start" => {
                runtime.block_on(engine.start(run)).unwrap();
                say("started", (run, call));
            }
            order => {
                assert_eq!(order, "answer");
                if let Some(answer) = asked.lock().unwrap().remove(&(run, call)) {
                    // The step may have been stopped meanwhile.
                    let _ = answer.send(());
                }
            }
        }
    }
    runtime.block_on(engine.stop());
}
