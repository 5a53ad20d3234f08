//! Counts and times of model calls, store calls and sign-in attempts since the process started.

use ibid_provider::ProviderError;
use ibid_store::DbObserver;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::time::Duration;

/// Upper bounds for calls to models, in seconds.
const MODEL_BOUNDS: [f64; 8] = [0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 90.0];
/// Upper bounds for calls to the store, in seconds.
const STORE_BOUNDS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.0, 10.0, 30.0];

type Alias = [(&'static str, String); 1];
type AliasOutcome = [(&'static str, String); 2];

/// What a process measures. Clones share it.
#[derive(Clone, Debug)]
pub struct Measurements {
    model_calls: Family<AliasOutcome, Counter>,
    model_seconds: Family<Alias, Histogram>,
    sign_ins: Family<[(&'static str, &'static str); 1], Counter>,
    store_waiting: Gauge,
    store_wait: Histogram,
    store_call: Histogram,
    store_faults: Counter,
}

impl Default for Measurements {
    fn default() -> Self {
        let measurements = Self {
            model_calls: Family::default(),
            model_seconds: Family::new_with_constructor(|| Histogram::new(MODEL_BOUNDS)),
            sign_ins: Family::default(),
            store_waiting: Gauge::default(),
            store_wait: Histogram::new(STORE_BOUNDS),
            store_call: Histogram::new(STORE_BOUNDS),
            store_faults: Counter::default(),
        };
        for outcome in ["accepted", "refused", "throttled", "failed"] {
            drop(measurements.sign_ins.get_or_create(&[("outcome", outcome)]));
        }
        measurements
    }
}

impl Measurements {
    /// Adds the metrics to a registry.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "ibid_model_calls",
            "Questions to a model by outcome",
            self.model_calls.clone(),
        );
        registry.register(
            "ibid_model_call_duration_seconds",
            "Time of a question with its waits and retries",
            self.model_seconds.clone(),
        );
        registry.register("ibid_sign_ins", "Attempts to sign in", self.sign_ins.clone());
        registry.register(
            "ibid_store_calls_waiting",
            "Calls of the store that wait for a thread",
            self.store_waiting.clone(),
        );
        registry.register(
            "ibid_store_wait_seconds",
            "Time until a call of the store has a thread",
            self.store_wait.clone(),
        );
        registry.register(
            "ibid_store_call_duration_seconds",
            "Time of a call of the store on its thread",
            self.store_call.clone(),
        );
        registry.register(
            "ibid_store_faults",
            "Calls that the database failed",
            self.store_faults.clone(),
        );
    }

    /// Counts a question to a model.
    pub(crate) fn asked(&self, alias: &str, outcome: Result<(), &ProviderError>, took: Duration) {
        let outcome = outcome.map_or_else(ProviderError::code, |()| "answered");
        let labels = [("alias", alias.to_owned()), ("outcome", outcome.to_owned())];
        self.model_calls.get_or_create(&labels).inc();
        let seconds = self.model_seconds.get_or_create(&[("alias", alias.to_owned())]);
        seconds.observe(took.as_secs_f64());
    }

    /// The calls that the database failed.
    #[cfg(test)]
    pub(crate) fn store_faults(&self) -> u64 {
        self.store_faults.get()
    }

    /// Counts an attempt to sign in.
    pub(crate) fn signed_in(&self, outcome: &'static str) {
        self.sign_ins.get_or_create(&[("outcome", outcome)]).inc();
    }
}

impl DbObserver for Measurements {
    fn queued(&self) {
        self.store_waiting.inc();
    }

    fn begun(&self, waited: Duration) {
        self.store_waiting.dec();
        self.store_wait.observe(waited.as_secs_f64());
    }

    fn ended(&self, took: Duration, fault: bool) {
        self.store_call.observe(took.as_secs_f64());
        if fault {
            self.store_faults.inc();
        }
    }
}
