//! Single flight: one request of this process works on a payment, and equal ones wait for it.
//!
//! The store separates processes; this joins the requests of one process. The first request does the work, and its
//! duplicates share its result or failure.

use crate::error::Error;
use crate::request_hash::RequestHash;
use ibid_model::{PaymentKey, ScanId};
use ibid_store::Lease;
use ibid_x402::Fingerprint;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The payments that this process is working on.
#[derive(Clone, Default)]
pub(crate) struct SingleFlight(Arc<Mutex<HashMap<PaymentKey, OpenPayment>>>);

struct OpenPayment {
    identity: Identity,
    phase: watch::Receiver<Phase>,
    lease: Option<Lease>,
}

/// What makes requests equal: the payment, and what it pays for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) fingerprint: Fingerprint,
    pub(super) request: RequestHash,
}

/// How far the first request is.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    /// The payment is not admitted yet.
    Claiming,
    /// The payment is admitted; the run has this id.
    Running(ScanId),
    Failed(Arc<Error>),
    /// The request has ended. The store has the outcome.
    Ended,
}

/// Which place a request has among those with the same payment.
pub(super) enum Entered {
    /// No other request has the payment.
    First(FirstRequest),
    /// Another request has the payment, for the same thing.
    Duplicate(watch::Receiver<Phase>),
    /// Another request has the payment, for something else.
    Conflict(watch::Receiver<Phase>),
}

/// The first request with a payment.
/// When it is dropped, the others go on.
pub(super) struct FirstRequest {
    flights: SingleFlight,
    key: PaymentKey,
    phase: watch::Sender<Phase>,
}

impl SingleFlight {
    /// Enters a request.
    pub(super) fn enter(&self, key: PaymentKey, identity: Identity) -> Entered {
        match self.lock().entry(key) {
            Entry::Occupied(open) if open.get().identity == identity => {
                Entered::Duplicate(open.get().phase.clone())
            }
            Entry::Occupied(open) => Entered::Conflict(open.get().phase.clone()),
            Entry::Vacant(place) => {
                let (phase, receiver) = watch::channel(Phase::Claiming);
                place.insert(OpenPayment {
                    identity,
                    phase: receiver,
                    lease: None,
                });
                Entered::First(FirstRequest {
                    flights: self.clone(),
                    key,
                    phase,
                })
            }
        }
    }

    /// The leases to renew.
    pub(super) fn leases(&self) -> Vec<Lease> {
        self.lock().values().filter_map(|open| open.lease).collect()
    }

    /// The map stays whole even if a holder of the lock panicked.
    fn lock(&self) -> MutexGuard<'_, HashMap<PaymentKey, OpenPayment>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FirstRequest {
    /// Registers the lease for renewal.
    pub(super) fn keep(&self, lease: Lease) {
        if let Some(open) = self.flights.lock().get_mut(&self.key) {
            open.lease = Some(lease);
        }
    }

    /// Reports to duplicates and conflicts.
    pub(super) fn report(&self, phase: Phase) {
        self.phase.send_replace(phase);
    }
}

impl Drop for FirstRequest {
    fn drop(&mut self) {
        self.flights.lock().remove(&self.key);
        self.phase.send_if_modified(|phase| match phase {
            Phase::Claiming | Phase::Running(_) => {
                *phase = Phase::Ended;
                true
            }
            Phase::Failed(_) | Phase::Ended => false,
        });
    }
}
