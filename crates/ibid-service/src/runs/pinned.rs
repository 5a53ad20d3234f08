//! Pinned runs: scans with a caller's key, free questions, and page audits of such callers. They end with this process.
//!
//! One write opens a run, with its count and its idempotency key; one write ends it, with its result. While the
//! database takes no writes, scans begin all the same: this process counts them alone.

use super::kernel::Runs;
use super::output::{JobOutput, StoreStep};
use super::watch::RunFeed;
use crate::clock::{millis, now_ms};
use crate::error::Error;
use crate::failure::chain;
use crate::job::CallerId;
use crate::limits::{Limits, Running};
use crate::request_hash::RepeatableRequest;
use ibid_model::{RunState, ScanId, Score};
use ibid_store::{
    DurableRunView, NewDurableRun, NewPinnedRun, OpenedPinned, PinnedEnd, RunFilter, RunSubject, StoreError,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The time for which a run counts as under way without a renewal.
/// After it, the run of a killed process counts as lost.
const LEASE: Duration = Duration::from_secs(60);
/// The longest wait for the write that opens a run, and for the end of one without a result.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time after which a caller may try again if its idempotency key cannot be stored.
const RETRY: Duration = Duration::from_secs(5);
/// Runs in the list of a caller.
const LISTED: u32 = 100;

pub(crate) struct PinnedRuns {
    /// What callers used, counted here and as last read from the store.
    pub(crate) limits: Limits,
    open: Mutex<HashMap<ScanId, CancellationToken>>,
    pub(crate) runs: Arc<Runs>,
}

/// A run to open.
pub(crate) struct PinnedOrder<'a> {
    pub(crate) id: ScanId,
    pub(crate) caller: &'a CallerId,
    /// Whether it counts against the limits of its caller.
    pub(crate) counts: bool,
    pub(crate) once: Option<&'a RepeatableRequest>,
    /// The properties by which it is found.
    pub(crate) subject: RunSubject<'static>,
    /// Calls planned.
    pub(crate) calls: u32,
}

/// An open run. Its lease is renewed until this is dropped, which ends a run without an end as cancelled.
pub(crate) struct PinnedRun {
    pinned: Arc<PinnedRuns>,
    pub(super) id: ScanId,
    pub(super) feed: Arc<RunFeed>,
    pub(super) cancel: CancellationToken,
    /// Whether the store knows the end of the run, or never had it.
    ended: Arc<AtomicBool>,
    _counted: Option<Running>,
}

impl PinnedRuns {
    /// Starts a background task that renews leases, and ends the runs of lost processes.
    pub(crate) fn start(limits: Limits, runs: Arc<Runs>) -> Arc<Self> {
        let pinned = Arc::new(Self {
            limits,
            open: Mutex::default(),
            runs: Arc::clone(&runs),
        });
        runs.repeat(&pinned, LEASE / 4, |pinned| async move {
            if let Err(error) = pinned.renew().await {
                tracing::warn!(error = chain(&error), "pinned_run.renew.failed");
            }
        });
        pinned
    }

    /// Opens a run. `None` if the idempotency key is in use by an equal request.
    ///
    /// # Errors
    /// [`Error::TooMany`] when limits are enforced; [`Error::IdempotencyConflict`]; [`Error::Overloaded`] if the
    /// idempotency key cannot be stored.
    pub(crate) async fn open(self: &Arc<Self>, order: PinnedOrder<'_>) -> Result<Option<PinnedRun>, Error> {
        let (id, caller, counts) = (order.id, order.caller, order.counts);
        let is_keyed = order.once.is_some();
        let cancel = CancellationToken::new();
        // Registered before its row is written: the row must never lack a process that renews its lease.
        self.runs_here().insert(id, cancel.clone());
        let mut run = PinnedRun {
            pinned: Arc::clone(self),
            id,
            feed: self.runs.feeds.of(id),
            cancel,
            ended: Arc::default(),
            _counted: None,
        };
        let opened = match tokio::time::timeout(PATIENCE, self.write(order)).await {
            Ok(opened) => opened.map_err(|error| chain(&error)),
            Err(_) => Err("the database does not answer".to_owned()),
        };
        let now = Instant::now();
        let is_stored = matches!(opened, Ok(OpenedPinned::Opened(_)) | Err(_));
        run.ended.store(!is_stored, Ordering::Release);
        match opened {
            Ok(OpenedPinned::Opened(used)) => {
                run._counted = used.map(|used| self.limits.admitted(caller, used.used, used.age, now));
                Ok(Some(run))
            }
            Ok(OpenedPinned::OverLimit(used)) => Err(self.limits.refused(caller, used.used, used.age, now)),
            Ok(OpenedPinned::Before(_)) => Ok(None),
            Ok(OpenedPinned::Conflict) => Err(Error::IdempotencyConflict),
            Err(error) if is_keyed => {
                tracing::warn!(error, "idempotency.not_claimed");
                Err(Error::Overloaded { retry_after: RETRY })
            }
            Err(error) => {
                tracing::warn!(error, "limits.counted_alone");
                if counts {
                    run._counted = Some(self.limits.start(caller, now)?);
                }
                Ok(Some(run))
            }
        }
    }

    async fn write(&self, order: PinnedOrder<'_>) -> Result<OpenedPinned, StoreError> {
        let (id, subject, calls) = (order.id, order.subject, order.calls);
        let (caller, tenant, once) = (order.caller.clone(), order.caller.pinned(), order.once.cloned());
        let limits = order.counts.then(|| self.limits.clone());
        let opened = self.runs.db.call(move |store| {
            let now = now_ms();
            let run = NewDurableRun {
                subject: &subject,
                ..NewDurableRun::past(id, tenant.as_str(), calls, now)
            };
            let once = once.as_ref().map(|once| once.keyed(id, now));
            let count = limits.as_ref().and_then(|limits| limits.of_pinned(&caller));
            let new = NewPinnedRun {
                run: &run,
                lease_until: now.saturating_add(millis(LEASE)),
                once: once.as_ref(),
                count: count.as_ref(),
            };
            store.open_pinned_run(&new, now)
        });
        opened.await
    }

    /// Returns up to a hundred of a caller's runs that ask models, the latest first.
    pub(crate) async fn of(&self, caller: &CallerId) -> Result<Vec<DurableRunView>, Error> {
        let tenant = caller.pinned();
        let db = &self.runs.db;
        let listed =
            db.call(move |store| store.durable_runs(tenant.as_str(), &RunFilter::default(), None, LISTED));
        let mut listed = listed.await?;
        listed.retain(|run| run.calls > 0);
        Ok(listed)
    }

    /// A run of a caller that asks models.
    pub(crate) async fn find(&self, caller: &CallerId, id: ScanId) -> Result<Option<DurableRunView>, Error> {
        let found = self.runs.db.call(move |store| store.durable_run(id)).await?;
        Ok(found.filter(|run| run.tenant == caller.pinned().as_str() && run.calls > 0))
    }

    /// Cancels a caller's run. Another process ends its own when it renews the lease.
    /// Returns whether the caller has such a run.
    pub(crate) async fn cancel(&self, caller: &CallerId, id: ScanId) -> Result<bool, Error> {
        let Some(run) = self.find(caller, id).await? else {
            return Ok(false);
        };
        let here = self.runs_here().get(&id).cloned();
        match here {
            Some(cancel) => cancel.cancel(),
            None if run.state.is_open() => {
                self.runs.db.call(move |store| store.cancel_run(id)).await?;
            }
            None => {}
        }
        Ok(true)
    }

    async fn renew(&self) -> Result<(), StoreError> {
        let open: Vec<_> = self.runs_here().keys().copied().collect();
        let renewed = self.runs.db.call(move |store| {
            let now = now_ms();
            store.renew_pinned_runs(&open, now.saturating_add(millis(LEASE)), now)
        });
        let cancelled = renewed.await?;
        let open = self.runs_here();
        for cancel in cancelled.iter().filter_map(|id| open.get(id)) {
            cancel.cancel();
        }
        Ok(())
    }

    /// The runs. Each change is one call, so a panicked holder's lock may be taken over.
    fn runs_here(&self) -> MutexGuard<'_, HashMap<ScanId, CancellationToken>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PinnedRun {
    /// The write that ends the run with its output. The output of a page audit goes to its caller only.
    pub(super) fn store(&self, output: &JobOutput) -> StoreStep {
        let end = self.ended_as(RunState::Complete, None);
        let score = output.scan_result().map(|result| result.overall_score);
        let ended = Arc::clone(&self.ended);
        Box::new(move |store, scan| {
            let score_of = |score: Score| (score.get() * 1_000.0).round() as u32;
            let end = PinnedEnd {
                score: score.map(score_of),
                ..end
            };
            store.end_pinned_run(&end, score.map(|_| scan), now_ms())?;
            ended.store(true, Ordering::Release);
            Ok(())
        })
    }

    /// Ends the run without a stored result.
    pub(crate) async fn end(&self, state: RunState, error: Option<&Error>) {
        self.ended.store(true, Ordering::Release);
        let code = error.and_then(Error::cause).map(|cause| cause.code());
        // The lease ends a run whose end is not written.
        let _ =
            tokio::time::timeout(PATIENCE, write_end(&self.pinned.runs, self.ended_as(state, code))).await;
    }

    fn ended_as(&self, state: RunState, error: Option<&'static str>) -> PinnedEnd<'static> {
        PinnedEnd {
            run: self.id,
            state,
            error,
            done: u32::try_from(self.feed.done()).unwrap_or(u32::MAX),
            score: None,
        }
    }
}

impl Drop for PinnedRun {
    fn drop(&mut self) {
        self.pinned.runs_here().remove(&self.id);
        if self.ended.load(Ordering::Acquire) {
            return;
        }
        let (runs, end) = (
            Arc::clone(&self.pinned.runs),
            self.ended_as(RunState::Cancelled, None),
        );
        self.pinned.runs.spawn(async move { write_end(&runs, end).await });
    }
}

/// Ends a run without a stored result.
async fn write_end(runs: &Runs, end: PinnedEnd<'static>) {
    let db = &runs.db;
    let written = db.call(move |store| store.end_pinned_run(&end, None, now_ms()));
    if let Err(error) = written.await {
        tracing::warn!(scan.id = %end.run, error = chain(&error), "pinned_run.end.failed");
    }
}
