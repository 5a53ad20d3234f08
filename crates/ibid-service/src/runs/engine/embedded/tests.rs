//! The engine with shards whose calls are never answered.

use super::super::port::{StepCtx, StepError};
use super::*;
use ibid_model::RunState;
use ibid_store::{CancelOutcome, NewDurableRun, RunSubject, Store};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The order of a run whose shards are answered at once.
const QUICK: &[u8] = b"quick";

/// An event of a run: a shard has begun, or the run has ended.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    Begun(ScanId, u32),
    Ended(ScanId, RunState),
}

/// Shards that wait for a permit each.
struct Silent {
    db: Db,
    answers: Arc<Semaphore>,
    events: UnboundedSender<Event>,
}

impl Silent {
    async fn end(&self, ctx: &StepCtx, state: RunState) -> Result<(), StepError> {
        let held = ctx.held;
        let end = (state, None);
        self.db
            .call(move |store| store.end_durable_run(held, end, None, &[], 1))
            .await?;
        self.events.send(Event::Ended(held.run, state)).unwrap();
        Ok(())
    }
}

impl RunSteps for Silent {
    fn plan(&self, ctx: StepCtx) -> RunFuture<'_, Result<u32, StepError>> {
        Box::pin(async move {
            let found = self.db.call(move |store| store.durable_run(ctx.run())).await?;
            Ok(found.unwrap().calls)
        })
    }

    fn shard(&self, number: u32, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move {
            let run = ctx.run();
            let found = self.db.call(move |store| store.durable_run(run)).await?;
            self.events.send(Event::Begun(run, number)).unwrap();
            if found.unwrap().document != QUICK {
                tokio::select! {
                    () = ctx.stop.cancelled() => {}
                    answer = self.answers.acquire() => answer.unwrap().forget(),
                }
            }
            Ok(())
        })
    }

    fn aggregate(&self, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move {
            let state = if ctx.cancelled {
                RunState::Cancelled
            } else {
                RunState::Complete
            };
            self.end(&ctx, state).await
        })
    }

    fn fail(&self, _: &'static str, ctx: StepCtx) -> RunFuture<'_, Result<(), StepError>> {
        Box::pin(async move { self.end(&ctx, RunState::Failed).await })
    }
}

struct Case {
    engine: EmbeddedEngine,
    store: Arc<Store>,
    answers: Arc<Semaphore>,
    events: UnboundedReceiver<Event>,
}

impl Case {
    fn new(settings: EngineSettings) -> Self {
        let store: Arc<Store> = Arc::new(Store::in_memory().unwrap());
        let (sender, events) = unbounded_channel();
        let (db, answers) = (Db::new(Arc::clone(&store)), Arc::new(Semaphore::new(0)));
        let steps = Arc::new(Silent {
            db: db.clone(),
            answers: Arc::clone(&answers),
            events: sender,
        });
        Self {
            engine: EmbeddedEngine::start(db, steps, settings, &Handle::current()),
            store,
            answers,
            events,
        }
    }

    async fn begin(&self, tenant: &str, shards: u32, document: &[u8]) -> ScanId {
        let id = ScanId::random();
        let run = NewDurableRun {
            id,
            tenant,
            priority: 3,
            document,
            plan: None,
            calls: shards,
            created_at: 1,
            secret: None,
            subject: &RunSubject::default(),
        };
        self.store.open_run(&run).unwrap();
        self.engine.start(id).await.unwrap();
        id
    }

    /// The next shards of a run that begin.
    async fn begun<const N: usize>(&mut self, run: ScanId) -> [u32; N] {
        let mut shards = [0; N];
        for shard in &mut shards {
            match self.next().await {
                Event::Begun(id, number) if id == run => *shard = number,
                event => panic!("{event:?}"),
            }
        }
        shards.sort_unstable();
        shards
    }

    async fn next(&mut self) -> Event {
        let next = tokio::time::timeout(Duration::from_secs(60), self.events.recv());
        next.await.expect("an event").unwrap()
    }
}

#[tokio::test]
async fn shards_that_hang_hold_up_no_other_tenant_and_no_step_without_calls() {
    let mut case = Case::new(EngineSettings {
        slots: 2,
        spare_slots: 1,
        ..EngineSettings::default()
    });
    let hanging = case.begin("hanging", 4, b"").await;
    assert_eq!(case.begun(hanging).await, [0, 1]);
    for _ in 0..3 {
        let polite = case.begin("polite", 1, QUICK).await;
        assert_eq!(case.next().await, Event::Begun(polite, 0));
        assert_eq!(case.next().await, Event::Ended(polite, RunState::Complete));
    }
    // The third slot is for tenants without a shard, and a cancelled shard needs none.
    let waiting = case.begin("hanging", 2, b"").await;
    case.engine.cancel(waiting).await.unwrap();
    assert_eq!(case.next().await, Event::Ended(waiting, RunState::Cancelled));
    assert_eq!(case.store.cancel_run(waiting).unwrap(), CancelOutcome::Ended);
    case.answers.add_permits(4);
    assert_eq!(case.begun(hanging).await, [2, 3]);
    assert_eq!(case.next().await, Event::Ended(hanging, RunState::Complete));
}

#[tokio::test]
async fn a_silent_shard_gives_its_slot_back_and_goes_on() {
    let mut case = Case::new(EngineSettings {
        slots: 1,
        spare_slots: 0,
        silence: Duration::from_millis(1),
        ..EngineSettings::default()
    });
    let run = case.begin("hanging", 4, b"").await;
    for number in [0, 1] {
        assert_eq!(case.next().await, Event::Begun(run, number));
    }
    // As many are silent as there are slots, so the third waits for the end of one.
    assert!(case.events.try_recv().is_err());
    case.answers.add_permits(1);
    assert_eq!(case.next().await, Event::Begun(run, 2));
    case.answers.add_permits(3);
    assert_eq!(case.next().await, Event::Begun(run, 3));
    assert_eq!(case.next().await, Event::Ended(run, RunState::Complete));
}
