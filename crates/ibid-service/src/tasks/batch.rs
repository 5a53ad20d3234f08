//! Who waits for one write of several tasks, and how they are woken.
//!
//! Waking a task of another thread takes a call of the system, which costs more than writing the row that was waited
//! for. So the writer wakes one waiter of each thread, and that one wakes the others of its thread. Whoever is woken
//! and dropped instead of asked passes it on all the same, so nobody is left behind.

use super::error::broken;
use ibid_a2a::CallError;
use ibid_store::StoreError;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::ThreadId;

type Outcome = Result<(), CallError>;

/// The writer's end. Whoever waits is told of a failure if it is dropped before the outcome is known.
#[derive(Default)]
pub(super) struct Batch(Arc<Shared>);

#[derive(Default)]
struct Shared(Mutex<Room>);

#[derive(Default)]
struct Room {
    outcome: Option<Outcome>,
    /// Whoever has asked for the outcome, until it is woken or gives up.
    seats: Vec<Option<Waiter>>,
}

struct Waiter {
    /// Where it asked, and so most likely where it asks again.
    thread: ThreadId,
    waker: Waker,
}

/// A waiter's end: the outcome, once there is one.
pub(super) struct Kept {
    shared: Arc<Shared>,
    /// Where it sits, and the thread it asked from.
    seat: Option<(usize, ThreadId)>,
}

impl Batch {
    pub(super) fn wait(&self) -> Kept {
        Kept {
            shared: Arc::clone(&self.0),
            seat: None,
        }
    }

    /// Tells everybody.
    pub(super) fn end(self, outcome: Outcome) {
        self.0.end(outcome);
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if self.0.lock().outcome.is_none() {
            self.0.end(Err(broken(StoreError::Closed)));
        }
    }
}

impl Shared {
    /// One waiter of each thread is woken.
    fn end(&self, outcome: Outcome) {
        let mut first: Vec<Waiter> = Vec::new();
        let mut room = self.lock();
        room.outcome = Some(outcome);
        for seat in &mut room.seats {
            let known = |waiter: &Waiter| first.iter().any(|first| first.thread == waiter.thread);
            if !seat.as_ref().is_none_or(known) {
                first.extend(seat.take());
            }
        }
        drop(room);
        for waiter in first {
            waiter.waker.wake();
        }
    }

    /// The others of a thread are woken, from that thread.
    fn pass_on(&self, thread: ThreadId) {
        let mut room = self.lock();
        let seats = room.seats.iter_mut();
        let others: Vec<Waiter> = seats
            .filter_map(|seat| seat.take_if(|waiter| waiter.thread == thread))
            .collect();
        drop(room);
        for waiter in others {
            waiter.waker.wake();
        }
    }

    /// The room stays whole even if a holder of the lock panicked.
    fn lock(&self) -> MutexGuard<'_, Room> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Future for Kept {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        let shared = Arc::clone(&self.shared);
        let mut room = shared.lock();
        if let Some(outcome) = room.outcome.clone() {
            drop(room);
            self.leave();
            return Poll::Ready(outcome);
        }
        let waiter = Waiter {
            thread: std::thread::current().id(),
            waker: context.waker().clone(),
        };
        let at = self.seat.map_or(room.seats.len(), |(at, _)| at);
        self.seat = Some((at, waiter.thread));
        match room.seats.get_mut(at) {
            Some(seat) => *seat = Some(waiter),
            None => room.seats.push(Some(waiter)),
        }
        Poll::Pending
    }
}

impl Kept {
    /// Gives up the seat. Whoever was woken for its thread wakes the others.
    fn leave(&mut self) {
        let Some((at, thread)) = self.seat.take() else {
            return;
        };
        let mut room = self.shared.lock();
        if let Some(seat) = room.seats.get_mut(at) {
            *seat = None;
        }
        let ended = room.outcome.is_some();
        drop(room);
        if ended {
            self.shared.pass_on(thread);
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::Wake;

    /// Counts how often it is woken.
    #[derive(Default)]
    struct Count(AtomicU32);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    struct Asker {
        kept: Pin<Box<Kept>>,
        woken: Arc<Count>,
    }

    impl Asker {
        fn new(batch: &Batch) -> Self {
            Self {
                kept: Box::pin(batch.wait()),
                woken: Arc::default(),
            }
        }

        fn ask(&mut self) -> Poll<Outcome> {
            let waker = Waker::from(Arc::clone(&self.woken));
            self.kept.as_mut().poll(&mut Context::from_waker(&waker))
        }

        fn times(&self) -> u32 {
            self.woken.0.load(Ordering::SeqCst)
        }
    }

    /// Three who wait on this thread, one on another.
    fn waiting(batch: &Batch) -> ([Asker; 3], Asker) {
        let mut here = [0; 3].map(|_| Asker::new(batch));
        for asker in &mut here {
            assert!(asker.ask().is_pending());
        }
        let mut there = Asker::new(batch);
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(there.ask().is_pending()));
        });
        (here, there)
    }

    #[test]
    fn one_of_each_thread_is_woken_and_wakes_the_others() {
        let batch = Batch::default();
        let (mut here, mut there) = waiting(&batch);
        batch.end(Ok(()));
        assert_eq!(here.each_ref().map(Asker::times), [1, 0, 0]);
        assert_eq!(there.times(), 1);
        assert_eq!(here[0].ask(), Poll::Ready(Ok(())));
        assert_eq!(here.each_ref().map(Asker::times), [1, 1, 1]);
        for asker in here[1..].iter_mut().chain([&mut there]) {
            assert_eq!(asker.ask(), Poll::Ready(Ok(())));
            assert_eq!(asker.times(), 1);
        }
    }

    #[test]
    fn who_was_woken_and_leaves_wakes_the_others() {
        let batch = Batch::default();
        let ([first, second, third], _there) = waiting(&batch);
        batch.end(Ok(()));
        drop(first);
        assert_eq!([second.times(), third.times()], [1, 1]);
    }

    #[test]
    fn who_leaves_before_the_end_is_not_woken_for_the_others() {
        let batch = Batch::default();
        let ([first, second, third], _there) = waiting(&batch);
        let woken = Arc::clone(&first.woken);
        drop(first);
        batch.end(Ok(()));
        assert_eq!(woken.0.load(Ordering::SeqCst), 0);
        assert_eq!([second.times(), third.times()], [1, 0]);
    }

    #[test]
    fn a_writer_that_is_gone_is_a_failure() {
        let batch = Batch::default();
        let mut early = Asker::new(&batch);
        assert!(early.ask().is_pending());
        let late = batch.wait();
        drop(batch);
        assert_eq!(early.times(), 1);
        assert_eq!(early.ask(), Poll::Ready(Err(CallError::Internal)));
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(
            pin!(late).poll(&mut context),
            Poll::Ready(Err(CallError::Internal))
        );
    }
}
