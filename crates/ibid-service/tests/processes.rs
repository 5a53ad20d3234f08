//! The embedded engine with real processes, on both stores.

use ibid_service::engine::conformance::{self, ATTEMPTS, Engine, SLOTS};
use ibid_service::engine::{EmbeddedEngine, EngineSettings};
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_millis(900);

fn main() {
    conformance::main(&Engine {
        lease: LEASE,
        start: |db, steps, runtime| {
            let settings = EngineSettings {
                slots: SLOTS,
                lease: LEASE,
                poll: Duration::from_millis(50),
                attempts: ATTEMPTS,
                ..EngineSettings::default()
            };
            Arc::new(EmbeddedEngine::start(db, steps, settings, runtime))
        },
        server: None,
    });
}
