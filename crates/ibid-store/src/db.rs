//! The one bridge from async code to the blocking store.

use crate::{Connections, Store, StoreError};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tracing::Span;

/// A handle on the store for async code. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    store: Arc<Store>,
    /// The runtime whose blocking threads run the calls; `None` for that of the caller.
    threads: Option<Handle>,
    observer: Option<Arc<dyn DbObserver>>,
}

/// Sees the calls of a store, for the operator.
pub trait DbObserver: Send + Sync {
    /// A call waits for a thread.
    fn queued(&self);
    /// A call has a thread after this time.
    fn begun(&self, waited: Duration);
    /// A call has ended. `fault` is true if the database failed.
    fn ended(&self, took: Duration, fault: bool);
}

impl Db {
    /// Wraps an open store.
    pub fn new(store: Arc<Store>) -> Self {
        Self {
            store,
            threads: None,
            observer: None,
        }
    }

    /// Returns a handle with threads that it shares with nobody, so that slow look-ups of names hold none of its calls up.
    pub fn on(mut self, threads: Option<Handle>) -> Self {
        self.threads = threads;
        self
    }

    /// The same handle, with an observer of its calls.
    pub fn observed(mut self, observer: Arc<dyn DbObserver>) -> Self {
        self.observer = Some(observer);
        self
    }

    pub fn connections(&self) -> Connections {
        self.store.connections()
    }

    /// Runs `work` on the blocking pool, within the caller's tracing span.
    /// Once started it runs to its end, even if the returned future is dropped.
    ///
    /// # Errors
    /// Returns the error of `work`, or [`StoreError::Closed`] when the runtime is going away.
    pub async fn call<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    {
        let (store, span) = (Arc::clone(&self.store), Span::current());
        let (observer, queued) = (self.observer.clone(), Instant::now());
        if let Some(observer) = &observer {
            observer.queued();
        }
        let work = move || {
            ON_BLOCKING_POOL.set(true);
            let begun = Instant::now();
            if let Some(observer) = &observer {
                observer.begun(begun.duration_since(queued));
            }
            let result = span.in_scope(|| work(&store));
            if let Some(observer) = &observer {
                let fault = result.as_ref().is_err_and(StoreError::is_fault);
                observer.ended(begun.elapsed(), fault);
            }
            result
        };
        #[expect(clippy::disallowed_methods, reason = "this is the place the ban points to")]
        let task = match &self.threads {
            Some(threads) => threads.spawn_blocking(work),
            None => tokio::task::spawn_blocking(work),
        };
        match task.await {
            Ok(result) => result,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(StoreError::Closed),
        }
    }
}

thread_local! {
    /// Whether this thread runs work of [`Db::call`].
    static ON_BLOCKING_POOL: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on this thread, or on a new one if a runtime may be using this one, because drivers block.
///
/// Calls through [`Db::call`] stay on their thread. A caller that uses the store from async code
/// without it needs the other thread: a driver with a runtime inside would panic there.
#[cfg(feature = "postgres")]
pub(crate) fn run_blocking<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if ON_BLOCKING_POOL.get() || Handle::try_current().is_err() {
        return work();
    }
    match std::thread::scope(|scope| scope.spawn(work).join()) {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

impl std::fmt::Debug for Db {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Db(..)")
    }
}
