//! Places for calls in flight, shared fairly between callers.

use super::fair_queue::{FairQueue, ModelNumber, ReservedPlaces, Ticket};
use super::key_states::{KeyState, ModelState};
use super::limiter::Slot;
use crate::prompt::Share;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// A router's places, shared by its calls.
#[derive(Debug)]
pub(super) struct Queue {
    fair: Mutex<FairQueue<Waiter>>,
}

/// A call that waits for a place in each of its limits.
#[derive(Debug)]
struct Waiter {
    key_state: Arc<KeyState>,
    model_state: Arc<ModelState>,
    granted: oneshot::Sender<Place>,
}

/// A place in every limit that an attempt counts against.
/// Dropping it gives the places back.
#[derive(Debug)]
pub(super) struct Place {
    queue: Arc<Queue>,
    share: Share,
    slots: Option<Slots>,
}

/// What a call takes from the limits of its key and its key's calls to the model.
#[derive(Debug)]
pub(super) struct Slots {
    pub(super) model: Slot,
    pub(super) key: Slot,
}

/// Removes a call from the queue whose caller gave up.
struct Waiting<'a> {
    queue: &'a Queue,
    share: Share,
    model_state: ModelNumber,
    ticket: Ticket,
}

impl Queue {
    pub(super) fn new(places: usize, reserved: ReservedPlaces) -> Self {
        Self {
            fair: Mutex::new(FairQueue::new(places.max(1), reserved)),
        }
    }

    /// Calls in flight.
    pub(super) fn in_flight(&self) -> usize {
        self.lock().taken()
    }

    /// Calls that wait for a place.
    pub(super) fn waiting(&self) -> usize {
        self.lock().waiting()
    }

    /// Waits for a place. Dropping the future gives it up.
    pub(super) async fn enter(
        self: &Arc<Self>,
        share: Share,
        key_state: &Arc<KeyState>,
        model_state: &Arc<ModelState>,
    ) -> Place {
        loop {
            let (granted, place) = oneshot::channel();
            let waiter = Waiter {
                key_state: Arc::clone(key_state),
                model_state: Arc::clone(model_state),
                granted,
            };
            let id = Arc::as_ptr(model_state).addr();
            let ticket = self.lock().wait(share, id, waiter);
            let waiting = Waiting {
                queue: self,
                share,
                model_state: id,
                ticket,
            };
            self.give_places();
            let place = place.await;
            drop(waiting);
            // The sender is dropped unsent only if a limit just shrank.
            // The call waits again.
            if let Ok(place) = place {
                if let Some(slots) = &place.slots {
                    slots.model.pause().await;
                    slots.key.pause().await;
                }
                return place;
            }
        }
    }

    /// Gives free places to waiting calls.
    fn give_places(self: &Arc<Self>) {
        loop {
            let mut fair = self.lock();
            let next = fair
                .next(|waiter| waiter.model_state.limiter.has_room() && waiter.key_state.limiter.has_room());
            let Some((share, waiter)) = next else { return };
            let slots = waiter
                .model_state
                .limiter
                .enter()
                .zip(waiter.key_state.limiter.enter());
            let Some((model, key)) = slots else {
                fair.leave(share);
                continue;
            };
            drop(fair);
            let place = Place {
                queue: Arc::clone(self),
                share,
                slots: Some(Slots { model, key }),
            };
            // The caller gave up at this moment.
            if let Err(mut place) = waiter.granted.send(place) {
                // The loop finds the next call, so the drop need not.
                place.slots = None;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, FairQueue<Waiter>> {
        self.fair.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Reports an answer to the limits.
    pub(super) fn succeeded(&self) {
        if let Some(slots) = &self.slots {
            slots.model.succeeded();
            slots.key.succeeded();
        }
    }

    /// What a call takes from the limits of its key and its key's calls to the model.
    pub(super) fn slots(&self) -> Option<&Slots> {
        self.slots.as_ref()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let used = self.slots.take().is_some();
        self.queue.lock().leave(self.share);
        if used {
            self.queue.give_places();
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.queue
            .lock()
            .forget(self.share, self.model_state, self.ticket);
    }
}
