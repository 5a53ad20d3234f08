//! The limits of callers with a provider key, counted in the store and so shared by all processes.
//!
//! Counting must not block scans: while the store takes no writes, each process counts alone.

use crate::clock::{millis, now_ms};
use crate::error::Error;
use crate::job::CallerId;
use crate::limits::{AT_ONCE, HOUR, LimitMode, LimitStatus, Limits, PER_HOUR, Running};
use crate::runs::Runs;
use ibid_model::ScanId;
use ibid_store::{CallerLimits as StoreLimits, CallerRun, CountedOrders, OrderCount, StoreError};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time for which a scan counts as under way without a renewal.
/// After it, the scan of a killed process is forgotten.
pub(crate) const LEASE: Duration = Duration::from_secs(60);
/// The longest wait for a count.
const PATIENCE: Duration = Duration::from_secs(2);

/// Counts the scans of callers, in the store and in this process.
pub(crate) struct CallerLimits {
    mode: LimitMode,
    /// The counts of this process, and the latest counts from the store.
    local: Limits,
    /// Scans under way that the store counts.
    open: Mutex<HashSet<ScanId>>,
    runs: Arc<Runs>,
}

/// A counted scan. It counts as under way until this is dropped.
pub(crate) struct CountedRun {
    _local: Running,
    shared: Option<(Arc<CallerLimits>, ScanId)>,
}

impl CallerLimits {
    pub(crate) fn new(mode: LimitMode, runs: Arc<Runs>) -> Self {
        Self {
            mode,
            local: Limits::new(mode),
            open: Mutex::default(),
            runs,
        }
    }

    /// Counts one scan of a caller as started.
    ///
    /// # Errors
    /// [`Error::TooMany`] when limits are enforced.
    pub(crate) async fn start(self: &Arc<Self>, caller: &CallerId, id: ScanId) -> Result<CountedRun, Error> {
        if self.mode == LimitMode::Off {
            let local = self.local.start(caller, Instant::now())?;
            return Ok(CountedRun {
                _local: local,
                shared: None,
            });
        }
        // Registered before its row is written: the row must never lack a process that renews its lease.
        self.open().insert(id);
        let shared = Some((Arc::clone(self), id));
        let counted = tokio::time::timeout(PATIENCE, self.count(caller, id)).await;
        let used = match counted {
            Ok(Ok(used)) => used,
            Ok(Err(error)) => return self.alone(caller, shared, &error.to_string()),
            Err(_) => return self.alone(caller, shared, "the database does not answer"),
        };
        let age = Duration::from_millis(used.age.unsigned_abs());
        if !used.admitted {
            self.open().remove(&id);
            self.local.record_usage(caller, used.used, age, Instant::now());
            let retry_after = if used.used >= PER_HOUR {
                HOUR.saturating_sub(age)
            } else {
                Duration::from_secs(1)
            };
            return Err(Error::TooMany { retry_after });
        }
        Ok(CountedRun {
            _local: self.local.admitted(caller, used.used, age, Instant::now()),
            shared,
        })
    }

    /// The limit of queued scans for the store, which counts them with their rows.
    /// `None` if counting is off.
    /// Queued scans do not count as under way: the engine bounds those.
    pub(crate) fn of_orders<'a>(&self, caller: &'a CallerId) -> Option<OrderCount<'a>> {
        (self.mode != LimitMode::Off).then(|| OrderCount {
            caller: caller.as_str(),
            per_hour: (self.mode == LimitMode::Enforce).then_some(PER_HOUR),
            window: millis(HOUR),
        })
    }

    /// Takes over the count of orders of a caller.
    ///
    /// # Errors
    /// [`Error::TooMany`] if the store took no order.
    pub(crate) fn counted(&self, caller: &CallerId, counted: CountedOrders) -> Result<(), Error> {
        let age = Duration::from_millis(counted.age.unsigned_abs());
        self.local.record_usage(caller, counted.used, age, Instant::now());
        if counted.taken == 0 {
            let retry_after = HOUR.saturating_sub(age);
            return Err(Error::TooMany { retry_after });
        }
        Ok(())
    }

    /// The rest of a caller's quota, as of the latest scan counted in this process.
    /// `None` if counting is off.
    pub(crate) fn status(&self, caller: &CallerId, now: Instant) -> Option<LimitStatus> {
        self.local.status(caller, now)
    }

    async fn count(&self, caller: &CallerId, id: ScanId) -> Result<ibid_store::CallerUse, StoreError> {
        let (caller, enforced) = (caller.clone(), self.mode == LimitMode::Enforce);
        let counted = self.runs.db.call(move |store| {
            let now = now_ms();
            let run = CallerRun {
                id,
                caller: caller.as_str(),
                lease_until: now.saturating_add(millis(LEASE)),
                limits: enforced.then_some(StoreLimits {
                    per_hour: PER_HOUR,
                    at_once: AT_ONCE,
                }),
                window: millis(HOUR),
            };
            store.begin_caller_run(&run, now)
        });
        counted.await
    }

    /// Counts a scan in this process alone.
    /// The row may still have been written, so it is ended too.
    fn alone(
        &self,
        caller: &CallerId,
        shared: Option<(Arc<Self>, ScanId)>,
        error: &str,
    ) -> Result<CountedRun, Error> {
        tracing::warn!(error, "limits.counted_alone");
        let local = self.local.start(caller, Instant::now())?;
        Ok(CountedRun {
            _local: local,
            shared,
        })
    }

    /// Renews the leases of scans under way.
    pub(crate) async fn renew(&self) -> Result<(), StoreError> {
        let open: Vec<_> = self.open().iter().copied().collect();
        if open.is_empty() {
            return Ok(());
        }
        let until = now_ms().saturating_add(millis(LEASE));
        let renewed = self
            .runs
            .db
            .call(move |store| store.renew_caller_runs(&open, until));
        renewed.await
    }

    fn open(&self) -> MutexGuard<'_, HashSet<ScanId>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CountedRun {
    fn drop(&mut self) {
        let Some((limits, id)) = self.shared.take() else {
            return;
        };
        limits.open().remove(&id);
        let db = limits.runs.db.clone();
        limits.runs.spawn(async move {
            if let Err(error) = db.call(move |store| store.end_caller_run(id)).await {
                // The lease ends it.
                tracing::warn!(error = crate::failure::chain(&error), "limits.end.failed");
            }
        });
    }
}
