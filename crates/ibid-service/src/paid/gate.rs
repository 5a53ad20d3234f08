//! Twins: the same payment shown several times at once, to this process.
//!
//! The store keeps processes apart; this keeps the requests of one process together. The first does the work, the
//! others wait and get what it got, its failure included.

use super::RequestHash;
use crate::Error;
use ibid_model::{PaymentKey, ScanId};
use ibid_store::Lease;
use ibid_x402::Fingerprint;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Payments that this process is at.
#[derive(Clone, Default)]
pub(crate) struct Inflight(Arc<Mutex<HashMap<PaymentKey, Open>>>);

struct Open {
    identity: Identity,
    phase: watch::Receiver<Phase>,
    lease: Option<Lease>,
}

/// What is shown: the same payment for the same thing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) fingerprint: Fingerprint,
    pub(super) request: RequestHash,
}

/// How far the first one is.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    /// Not admitted yet.
    Asking,
    /// Admitted, under this name.
    Running(ScanId),
    /// It came to nothing.
    Failed(Arc<Error>),
    /// It is over. The store knows how.
    Over,
}

/// Who shows a payment.
pub(super) enum Entered {
    /// Nobody is at it here.
    First(First),
    /// Somebody is, and wants the same.
    Twin(watch::Receiver<Phase>),
    /// Somebody is, and wants something else.
    Stranger(watch::Receiver<Phase>),
}

/// The first to show a payment; when it is dropped, the others go on.
pub(super) struct First {
    inflight: Inflight,
    key: PaymentKey,
    phase: watch::Sender<Phase>,
}

impl Inflight {
    /// Shows a payment.
    pub(super) fn enter(&self, key: PaymentKey, identity: Identity) -> Entered {
        match self.lock().entry(key) {
            Entry::Occupied(open) if open.get().identity == identity => {
                Entered::Twin(open.get().phase.clone())
            }
            Entry::Occupied(open) => Entered::Stranger(open.get().phase.clone()),
            Entry::Vacant(place) => {
                let (phase, receiver) = watch::channel(Phase::Asking);
                place.insert(Open {
                    identity,
                    phase: receiver,
                    lease: None,
                });
                Entered::First(First {
                    inflight: self.clone(),
                    key,
                    phase,
                })
            }
        }
    }

    /// The leases to keep from ending.
    pub(super) fn leases(&self) -> Vec<Lease> {
        self.lock().values().filter_map(|open| open.lease).collect()
    }

    /// The map stays whole even if a holder of the lock panicked.
    fn lock(&self) -> MutexGuard<'_, HashMap<PaymentKey, Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl First {
    /// Keeps a lease alive from now on.
    pub(super) fn keep(&self, lease: Lease) {
        if let Some(open) = self.inflight.lock().get_mut(&self.key) {
            open.lease = Some(lease);
        }
    }

    /// Tells the twins.
    pub(super) fn tell(&self, phase: Phase) {
        self.phase.send_replace(phase);
    }
}

impl Drop for First {
    fn drop(&mut self) {
        self.inflight.lock().remove(&self.key);
        self.phase.send_if_modified(|phase| match phase {
            Phase::Asking | Phase::Running(_) => {
                *phase = Phase::Over;
                true
            }
            Phase::Failed(_) | Phase::Over => false,
        });
    }
}
