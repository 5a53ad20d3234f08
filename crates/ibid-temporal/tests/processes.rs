//! The engine on a real Temporal server, which `IBID_TEST_TEMPORAL` names, with real processes on both stores.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test program fails loudly"
)]

use ibid_runs::conformance::{self, ATTEMPTS, Engine, SLOTS};
use ibid_temporal::{TemporalEngine, TemporalSettings};
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(3);
const VARIABLE: &str = "IBID_TEST_TEMPORAL";

fn main() {
    if std::env::var_os(VARIABLE).is_none() {
        println!("skipped: {VARIABLE} is not set, so there is no Temporal server");
        return;
    }
    conformance::main(&Engine {
        lease: LEASE,
        start: |db, steps, runtime| {
            let mut settings = TemporalSettings::new(std::env::var(VARIABLE).unwrap().parse().unwrap());
            settings.slots = SLOTS;
            settings.lease = LEASE;
            settings.attempts = ATTEMPTS;
            Arc::new(TemporalEngine::start(db, steps, settings, runtime))
        },
    });
}
