//! A case: its runs and its workers.

use super::process::{LIMIT, Process};
use super::{Engine, EngineServer};
use ibid_model::{RunState, ScanId};
use ibid_store::{DurableRunView, NewDurableRun, RunSubject, SealedSecret, Store};
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// The pause between two checks of a run.
const LOOK: Duration = Duration::from_millis(100);

/// An order of a run.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) tenant: &'a str,
    pub(super) priority: u8,
    pub(super) calls: u32,
    pub(super) document: &'a [u8],
    pub(super) secret: Option<&'a SealedSecret>,
}

impl Order<'static> {
    pub(super) const fn of(calls: u32) -> Self {
        Self {
            tenant: "api",
            priority: 3,
            calls,
            document: b"{}",
            secret: None,
        }
    }
}

pub(super) struct Case {
    address: String,
    pub(super) store: Arc<Store>,
    pub(super) lease: Duration,
    pub(super) server: Option<EngineServer>,
    /// The log of all workers.
    pub(super) log: PathBuf,
    told: (SyncSender<()>, Receiver<()>),
    orders: Cell<i64>,
}

impl Case {
    pub(super) fn new(engine: &Engine, address: &str, log: PathBuf) -> Self {
        Self {
            lease: engine.lease,
            server: engine.server,
            address: address.to_owned(),
            store: Arc::new(Store::open(&address.parse().unwrap()).unwrap()),
            log,
            // One note is enough: at least one report has arrived.
            told: sync_channel(1),
            orders: Cell::new(1),
        }
    }

    /// Stores a run without starting it.
    /// Later runs are younger.
    pub(super) fn open(&self, order: Order<'_>) -> ScanId {
        let id = ScanId::random();
        let run = NewDurableRun {
            id,
            tenant: order.tenant,
            priority: order.priority,
            document: order.document,
            plan: None,
            calls: order.calls,
            created_at: self.orders.replace(self.orders.get() + 1),
            secret: order.secret,
            subject: &RunSubject::default(),
        };
        self.store.open_run(&run).unwrap();
        id
    }

    pub(super) fn begin(&self, order: Order<'_>) -> ScanId {
        let id = self.open(order);
        self.store.start_run(id).unwrap();
        id
    }

    pub(super) fn view(&self, id: ScanId) -> DurableRunView {
        self.store.durable_run(id).unwrap().unwrap()
    }

    /// Waits for the end of a run.
    /// Returns its state and the number of its stored calls.
    pub(super) fn ended(&self, id: ScanId) -> (RunState, u32) {
        let view = self.over(id);
        (view.state, view.error.unwrap().parse().unwrap())
    }

    /// Waits for the end of a run.
    pub(super) fn over(&self, id: ScanId) -> DurableRunView {
        let limit = Instant::now() + LIMIT;
        loop {
            let view = self.view(id);
            if view.ended_at.is_some() {
                return view;
            }
            assert!(Instant::now() < limit, "the run does not end");
            // The worker may have no report to send.
            let _ = self.told.1.recv_timeout(LOOK);
        }
    }

    pub(super) fn worker(&self) -> Process {
        let log = std::fs::File::options().create(true).append(true).open(&self.log);
        Process::start(&self.address, log.unwrap(), self.told.0.clone())
    }
}
