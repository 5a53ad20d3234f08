//! The one bridge from async code to the blocking store.

use crate::{Store, StoreError};
use std::cell::Cell;
use std::sync::Arc;
use tracing::Span;

/// A handle on the store for async code. Cheap to clone.
#[derive(Clone)]
pub struct Db(Arc<dyn Store>);

impl Db {
    /// Wraps an open store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    /// Runs `work` on the blocking pool, within the caller's tracing span.
    /// Once started it runs to its end, even if the returned future is dropped.
    ///
    /// # Errors
    /// Returns the error of `work`, or [`StoreError::Closed`] when the runtime is going away.
    pub async fn call<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    {
        let (store, span) = (Arc::clone(&self.0), Span::current());
        #[expect(clippy::disallowed_methods, reason = "this is the place the ban points to")]
        let task = tokio::task::spawn_blocking(move || {
            ON_BLOCKING_POOL.set(true);
            span.in_scope(|| work(&*store))
        });
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
    if ON_BLOCKING_POOL.get() || tokio::runtime::Handle::try_current().is_err() {
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
