//! The conformance suite of engines, with real processes.
//!
//! A test program calls [`main`] with its engine. The program starts itself as a worker. A worker asks the test for the answer
//! of each call over its standard output and input, so that the test decides which calls are under way when it kills the worker.
#![expect(
    clippy::unwrap_used,
    missing_debug_implementations,
    reason = "a test program reports its cases and fails loudly"
)]

mod cases;
mod worker;

use crate::{RunEngine, RunSteps};
use ibid_store::Db;
use ibid_store::conformance::postgres::empty_schema;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// Calls of a shard.
const CALLS: u32 = 5;
/// Steps that the engine has to carry out at one time.
pub const SLOTS: usize = 3;
/// Attempts of a step that stores nothing, after which the engine has to give up.
pub const ATTEMPTS: u32 = 2;

/// Starts an engine that calls the given steps.
pub type Start = fn(Db, Arc<dyn RunSteps>, &Handle) -> Arc<dyn RunEngine>;

/// An engine under test.
pub struct Engine {
    /// The time after which another worker takes a step over.
    pub lease: Duration,
    /// Starts the engine in a worker process, with [`SLOTS`] and [`ATTEMPTS`].
    pub start: Start,
}

/// Plays every case on SQLite, and on PostgreSQL where `IBID_TEST_POSTGRES` names a server; or works, if the program was
/// started as a worker.
///
/// # Panics
/// A case fails.
pub fn main(engine: &Engine) {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("worker") {
        return worker::main(engine, &arguments.next().unwrap());
    }
    let folder = std::env::temp_dir().join(format!("ibid-runs-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let sqlite = format!("sqlite:{}", folder.join("runs.db").display());
    for address in std::iter::once(sqlite).chain(empty_schema()) {
        cases::run(engine, &address);
    }
    std::fs::remove_dir_all(folder).unwrap();
}
