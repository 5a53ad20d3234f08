//! Work that keeps a thread busy, with bounds: a few pieces run at a time, and a few wait.

use crate::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// Runs work on threads that may be kept busy, with bounds.
#[derive(Debug)]
pub(crate) struct BoundedBlocking {
    /// The runtime that computes; `None` for the threads of the current one that may block.
    runtime: Option<Handle>,
    turns: Arc<Semaphore>,
    entered: Arc<AtomicUsize>,
    most: usize,
}

impl BoundedBlocking {
    /// `at_once` pieces of work run at a time, and `waiting` further ones wait.
    pub(crate) fn new(at_once: usize, waiting: usize) -> Self {
        Self {
            runtime: None,
            turns: Arc::new(Semaphore::new(at_once)),
            entered: Arc::default(),
            most: at_once + waiting,
        }
    }

    /// The same on `runtime`.
    pub(crate) fn on(mut self, runtime: Handle) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// Does work when its turn comes.
    /// The turn ends with the work, even if the caller hangs up first.
    ///
    /// # Errors
    /// [`Error::Overloaded`] where too much work waits; [`Error::Ended`] when the program ends.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let entered = Entered::enter(&self.entered, self.most)?;
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let turn = turn.map_err(|_| Error::Ended)?;
        let work = move || {
            let _held = (entered, turn);
            work()
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "the semaphore bounds it; the store is not involved"
        )]
        let done = match &self.runtime {
            Some(runtime) => runtime.spawn(async { work() }),
            None => tokio::task::spawn_blocking(work),
        };
        done.await.map_err(|_| Error::Ended)
    }
}

/// A piece of work that runs or waits.
/// It counts until this is dropped.
struct Entered(Arc<AtomicUsize>);

impl Entered {
    fn enter(count: &Arc<AtomicUsize>, most: usize) -> Result<Self, Error> {
        let entered = Self(Arc::clone(count));
        if entered.0.fetch_add(1, Ordering::AcqRel) < most {
            return Ok(entered);
        }
        Err(Error::Overloaded {
            retry_after: Duration::from_secs(1),
        })
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl BoundedBlocking {
        /// Takes every place until the result is dropped.
        pub(crate) fn fill(&self) -> Vec<impl Drop + use<>> {
            std::iter::from_fn(|| Entered::enter(&self.entered, self.most).ok()).collect()
        }
    }

    #[tokio::test]
    async fn cancelled_work_keeps_its_turn_until_it_ends() {
        let bounded = BoundedBlocking::new(2, 1);
        let (gate, opened) = std::sync::mpsc::channel::<()>();
        let opened = Arc::new(std::sync::Mutex::new(opened));
        for _ in 0..2 {
            let opened = Arc::clone(&opened);
            let work = move || opened.lock().unwrap().recv().is_err();
            // Polled once, so that the work has begun, and dropped.
            assert!(futures_util::poll!(std::pin::pin!(bounded.run(work))).is_pending());
        }
        assert_eq!(bounded.turns.available_permits(), 0);
        drop(gate);
        assert_eq!(bounded.run(|| 7).await.unwrap(), 7);
    }

    #[test]
    fn work_over_the_limit_is_refused() {
        let count = Arc::new(AtomicUsize::new(0));
        let entered: Vec<_> = (0..3).map(|_| Entered::enter(&count, 3).unwrap()).collect();
        assert!(matches!(Entered::enter(&count, 3), Err(Error::Overloaded { .. })));
        drop(entered);
        assert_eq!(count.load(Ordering::Acquire), 0);
    }
}
