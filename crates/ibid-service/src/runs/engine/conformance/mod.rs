//! The conformance suite of engines, with real processes.
//!
//! A test program calls [`main`] with its engine.
//! The program starts itself as a worker.
//! A worker asks the test for the answer of each call, over its standard output and input.
//! The test thus decides which calls are under way at a kill.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_debug_implementations,
    reason = "a test program reports its cases and fails loudly"
)]

mod case;
mod cases;
mod order_cases;
mod process;
mod worker;

use crate::runs::engine::{RunEngine, RunSteps};
use ibid_store::Db;
use ibid_store::conformance::postgres::empty_schema;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// Calls of a shard.
const CALLS: u32 = 5;
/// Steps that the engine carries out at one time.
const SLOW: &[u8] = b"slow";
/// Steps that the engine has to carry out at one time.
pub const SLOTS: usize = 3;
/// The lost attempts at a step without a stored answer, after which it gets a last one.
pub const ATTEMPTS: u32 = 2;

/// Starts an engine that calls the given steps.
pub type Start = fn(Db, Arc<dyn RunSteps>, &Handle) -> Arc<dyn RunEngine>;

/// An engine under test.
pub struct Engine {
    /// The time after which another worker takes a step over.
    pub lease: Duration,
    /// Starts the engine in a worker process, with [`SLOTS`] and [`ATTEMPTS`].
    pub start: Start,
    /// The server that the engine needs; `None` for an engine without one.
    pub server: Option<EngineServer>,
}

/// The server of an engine under test.
#[derive(Clone, Copy)]
pub struct EngineServer {
    /// Kills it without warning.
    pub kill: fn(),
    /// Starts it again, with its data.
    pub start: fn(),
    /// Returns the files in which it keeps its data.
    pub files: fn() -> Vec<PathBuf>,
}

/// Plays every case on SQLite, and on PostgreSQL where `IBID_TEST_POSTGRES` names a server.
/// Works instead if the program was started as a worker.
///
/// # Panics
/// A case fails.
pub fn main(engine: &Engine) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, address] = &*arguments
        && role == "worker"
    {
        return worker::main(engine, address);
    }
    let folder = std::env::temp_dir().join(format!("ibid-engines-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let sqlite = format!("sqlite:{}", folder.join("runs.db").display());
    for address in std::iter::once(sqlite).chain(empty_schema()) {
        play(engine, &address, &folder, &arguments);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A case that an engine without a server plays, too.
type Play = fn(&case::Case);

macro_rules! named {
    ($($module:ident::$name:ident),* $(,)?) => {
        [$((stringify!($name), $module::$name as Play)),*]
    };
}

/// Plays the cases whose names hold all of `words`.
fn play(engine: &Engine, address: &str, folder: &Path, words: &[String]) {
    let database = address.split(':').next().unwrap();
    let log = folder.join(format!("{database}.log"));
    let case = case::Case::new(engine, address, log);
    let timed = |name: &str, play: &dyn Fn()| {
        if words.iter().all(|word| name.contains(word)) {
            let began = Instant::now();
            play();
            println!(
                "test {database}::{name} ... ok ({:.1} s)",
                began.elapsed().as_secs_f64()
            );
        }
    };
    let cases = named![
        cases::a_run_that_is_started_twice_is_done_once,
        cases::a_run_whose_process_ended_before_its_start_is_done,
        cases::a_killed_worker_repeats_no_stored_call,
        cases::work_goes_on_after_everything_was_killed,
        cases::a_paused_worker_is_refused,
        cases::a_busy_worker_keeps_its_steps,
        cases::a_shard_that_ends_its_process_fails_after_its_attempts,
        cases::a_graceful_stop_gives_steps_back,
        order_cases::a_run_that_waits_can_be_cancelled,
        order_cases::a_cancelled_run_keeps_its_answers_and_begins_no_call,
        order_cases::a_run_that_is_cancelled_at_its_end_is_complete,
        order_cases::a_small_run_waits_for_no_large_one,
        order_cases::an_urgent_run_overtakes_and_the_other_ends,
        order_cases::no_text_of_a_caller_reaches_the_engine,
    ];
    for (name, play) in cases {
        timed(name, &|| play(&case));
    }
    if let Some(server) = engine.server {
        timed("an_engine_that_cannot_be_reached_refuses_no_run", &|| {
            cases::an_engine_that_cannot_be_reached_refuses_no_run(&case, server);
        });
    }
}
