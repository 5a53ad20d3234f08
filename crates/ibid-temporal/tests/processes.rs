//! The engine on a real Temporal server with real processes, on both stores. `.ci/with-temporal` sets the variables.
#![expect(clippy::unwrap_used, reason = "a test program fails loudly")]

use ibid_service::engine::conformance::{self, ATTEMPTS, Engine, EngineServer, SLOTS};
use ibid_temporal::{TemporalEngine, TemporalSettings};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(3);
const VARIABLE: &str = "IBID_TEST_TEMPORAL";

/// Runs the program that kills and starts the server.
fn server(order: &str) {
    let program = std::env::var_os("IBID_TEST_TEMPORAL_SERVER").unwrap();
    assert!(Command::new(program).arg(order).status().unwrap().success());
}

/// Returns the database of the server, and its log of writes where it has one.
fn files() -> Vec<PathBuf> {
    let database = std::env::var("IBID_TEST_TEMPORAL_DATABASE").unwrap();
    let names = ["", "-wal"].map(|suffix| PathBuf::from(format!("{database}{suffix}")));
    names.into_iter().filter(|name| name.exists()).collect()
}

fn main() {
    conformance::main(&Engine {
        lease: LEASE,
        start: |db, steps, runtime| {
            let mut settings = TemporalSettings::new(std::env::var(VARIABLE).unwrap().parse().unwrap());
            settings.slots = SLOTS;
            settings.lease = LEASE;
            settings.attempts = ATTEMPTS;
            Arc::new(TemporalEngine::start(db, steps, settings, runtime))
        },
        server: Some(EngineServer {
            kill: || server("kill"),
            start: || server("start"),
            files,
        }),
    });
}
