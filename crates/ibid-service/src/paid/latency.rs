//! The time that calls to the facilitator took, for the operator.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The time that calls to the facilitator took.
#[derive(Debug, Default)]
pub(super) struct Latency {
    verify: Calls,
    settle: Calls,
}

/// Calls of one kind.
#[derive(Debug, Default)]
pub(super) struct Calls {
    count: AtomicU64,
    micros: AtomicU64,
}

/// The number and the duration of calls of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallTimes {
    /// The kind: `verify` or `settle`.
    pub call: &'static str,
    /// Calls that ended, with a verdict or without.
    pub count: u64,
    /// The sum of their times in seconds.
    pub seconds: f64,
}

impl Latency {
    /// Awaits a verification and counts it.
    pub(super) async fn verify<T>(&self, call: impl Future<Output = T>) -> T {
        self.verify.count(call).await
    }

    /// Awaits a settlement and counts it.
    pub(super) async fn settle<T>(&self, call: impl Future<Output = T>) -> T {
        self.settle.count(call).await
    }

    pub(super) fn now(&self) -> [CallTimes; 2] {
        [("verify", &self.verify), ("settle", &self.settle)].map(|(call, calls)| CallTimes {
            call,
            count: calls.count.load(Ordering::Relaxed),
            seconds: calls.micros.load(Ordering::Relaxed) as f64 / 1e6,
        })
    }
}

impl Calls {
    async fn count<T>(&self, call: impl Future<Output = T>) -> T {
        let start = Instant::now();
        let answer = call.await;
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.count.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        answer
    }
}
