//! What the paid surface remembers.

use super::recover::HeldLeases;
use super::settings::Paid;
use super::single_flight::SingleFlight;
use crate::clock::now_ms;
use crate::durable::Queue;
use crate::error::Error;
use crate::failure::chain;
use crate::job::Job;
use crate::payment_due::PaymentDue;
use crate::runs::Runs;
use crate::tasks::Caller;
use ibid_model::{Network, Product, Wallet, X402Version};
use ibid_store::{Lease, PaymentStep, StoreError};
use ibid_x402::{Listing, PriceQuote, Sale, SaleBlocks, Terms};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What the paid surface remembers: its settings, and the payments with work in this process.
pub(crate) struct Sales {
    pub(crate) settings: Paid,
    pub(super) single_flight: SingleFlight,
    /// The terms on the facilitator's networks, as far as known.
    /// `None` if it serves no network of the settings.
    offered: RwLock<Option<Arc<Terms>>>,
    /// The accounts that send the facilitator's transactions, as far as it names them.
    signers: RwLock<Vec<Wallet>>,
    /// The time that calls to the facilitator took.
    pub(super) latency: Latency,
    pub(super) refused: RefusedPayments,
    /// Permits to verify payments whose signer is unproven.
    unproven: Arc<Semaphore>,
    /// Leases of settlements that the background works on.
    pub(super) background: HeldLeases,
    /// Rounds of the background that failed since the last good one.
    pub(super) failed_rounds: AtomicU32,
    /// Transfers of the last days without a receipt, at the last daily look.
    pub(super) unrecorded: AtomicU64,
    /// The permit for one batch of looks at the chain at a time.
    pub(super) looks: Arc<Semaphore>,
    pub(super) runs: Arc<Runs>,
    /// The queue that works on sold scans.
    pub(super) queue: Arc<Queue>,
}

/// The time between two looks at the networks of the facilitator.
const HOUR: Duration = Duration::from_secs(3_600);
/// The time after which a payer with an open order, or without a place, may try again.
pub(super) const BUSY_FOR: Duration = Duration::from_secs(10);
const X402_VERSIONS: [X402Version; 2] = [X402Version::V1, X402Version::V2];

/// Rounds of the background between two clean-ups.
const CLEAN_EVERY: u32 = 240;

impl Sales {
    /// Starts selling, with a background task that renews this process's leases, frees what lost processes have claimed, and
    /// settles the results that they held.
    pub(crate) fn start(settings: Paid, runs: Arc<Runs>, queue: Arc<Queue>) -> Arc<Self> {
        // Four rounds in the time of a lease: one or two late rounds lose no lease.
        let period = settings.timing.lease / 4;
        let terms = Arc::clone(&settings.terms);
        let unproven = settings.exposure.unproven_at_once as usize;
        let sales = Arc::new(Self {
            settings,
            single_flight: SingleFlight::default(),
            offered: RwLock::new(Some(terms)),
            signers: RwLock::default(),
            latency: Latency::default(),
            refused: RefusedPayments::default(),
            unproven: Arc::new(Semaphore::new(unproven)),
            background: HeldLeases::default(),
            failed_rounds: AtomicU32::new(0),
            unrecorded: AtomicU64::new(0),
            looks: Arc::new(Semaphore::new(1)),
            runs: Arc::clone(&runs),
            queue,
        });
        runs.repeat(&sales, HOUR, |sales| async move { sales.check_networks().await });
        runs.repeat(&sales, HOUR * 24, |sales| async move {
            sales.look_for_unrecorded().await
        });
        let mut round = 0_u32;
        runs.repeat(&sales, period, move |sales| {
            let clean = round.is_multiple_of(CLEAN_EVERY);
            round = round.wrapping_add(1);
            async move { sales.recover_round(clean).await }
        });
        sales
    }

    /// Asks the facilitator for its networks, and offers payments on these alone.
    /// Without an answer the offers stay.
    pub(crate) async fn check_networks(&self) {
        let supported = match self.settings.gate.supported().await {
            Ok(supported) => supported,
            Err(error) => {
                tracing::warn!(error = chain(&error), "payments.supported.unknown");
                return;
            }
        };
        *self.signers.write().unwrap_or_else(PoisonError::into_inner) = supported.signers.clone();
        let serves = |network| {
            let mut versions = X402_VERSIONS.into_iter();
            versions.any(|version| supported.takes(version, network))
        };
        let offered = self.settings.terms.served(serves);
        for accepted in self.settings.terms.accepted() {
            let network = accepted.network;
            if !serves(network) {
                tracing::error!(
                    %network,
                    closed = offered.is_none(),
                    hint = "no payment is taken there: set X402_NETWORK to a network of the facilitator, or FACILITATOR_URL to another one",
                    "payments.network_not_served"
                );
            }
        }
        *self.offered.write().unwrap_or_else(PoisonError::into_inner) = offered.map(Arc::new);
    }

    /// Reads a chain's newest block; `None` without a reader, or if it cannot be read.
    pub(super) async fn newest_block(&self, network: Network) -> Option<u64> {
        match self.settings.chain.as_ref()?.newest(network).await {
            Ok(block) => Some(block),
            Err(error) => {
                tracing::warn!(error = chain(&error), "payment.chain.no_evidence");
                None
            }
        }
    }

    /// Returns between which blocks a sale is, whose payment arrived at a block and whose settlement is asked for now.
    pub(super) async fn sale_blocks(&self, network: Network, arrived: Option<u64>) -> Option<SaleBlocks> {
        let arrived = arrived?;
        Some(SaleBlocks {
            arrived,
            // An unknown block is no later than that of the arrival.
            asked: self.newest_block(network).await.unwrap_or(arrived),
            facilitator: self
                .signers
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
        })
    }

    /// Whether the facilitator serves a network, as far as known.
    pub(crate) fn is_served(&self) -> bool {
        self.terms().is_ok()
    }

    /// Returns the terms under which payments are offered now.
    ///
    /// # Errors
    /// [`Error::PaidDisabled`] if the facilitator serves no network of the settings.
    pub(crate) fn terms(&self) -> Result<Arc<Terms>, Error> {
        let offered = self.offered.read().unwrap_or_else(PoisonError::into_inner);
        offered.clone().ok_or(Error::PaidDisabled)
    }

    pub(crate) fn price(&self, product: Product, listing: &Arc<Listing>) -> Result<PaymentDue, Error> {
        match self.settings.sells(product) {
            true => Ok(PaymentDue::Sale(Box::new(self.quote(product, listing)?))),
            false => Err(Error::PaidDisabled),
        }
    }

    pub(crate) fn quote_job(&self, job: &Job, listing: &Arc<Listing>) -> Result<PriceQuote<Sale>, Error> {
        self.settings.check(job)?;
        Ok(self.quote(job.product(), listing)?.of_plan(job.offered()))
    }

    fn quote(&self, product: Product, listing: &Arc<Listing>) -> Result<PriceQuote<Sale>, Error> {
        Ok(PriceQuote::sale(product, self.terms()?, Arc::clone(listing)))
    }

    /// Takes a caller's payment, unless too many of them were refused in the last hour.
    /// Counts it if it is refused.
    ///
    /// # Errors
    /// [`Error::TooMany`], and those of `taken`.
    pub(super) async fn bound_refusals<T>(
        &self,
        caller: Caller,
        taken: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let most = self.settings.exposure.refused_an_hour;
        if let Some(retry_after) = self.refused.wait(caller, most, Instant::now()) {
            return Err(Error::TooMany { retry_after });
        }
        let taken = taken.await;
        if let Err(error) = &taken
            && matches!(error.root(), Error::PaymentRefused { .. } | Error::PaymentSpent)
        {
            self.refused.count(caller, Instant::now());
        }
        taken
    }

    /// Takes a place for a payment whose signer is unproven, until it is verified. A payment without a place counts
    /// as refused: it costs its caller as little as a forged one.
    pub(super) fn unproven_place(&self, caller: Caller) -> Result<OwnedSemaphorePermit, Error> {
        let place = Arc::clone(&self.unproven).try_acquire_owned();
        place.map_err(|_| {
            self.refused.count(caller, Instant::now());
            Error::Overloaded {
                retry_after: BUSY_FOR,
            }
        })
    }

    /// Moves a payment under its lease.
    pub(super) async fn apply_payment_steps(
        &self,
        lease: Lease,
        steps: &'static [PaymentStep],
    ) -> Result<(), StoreError> {
        let db = &self.runs.db;
        db.call(move |store| store.apply_steps(&lease, steps, now_ms()))
            .await
    }
}

/// The most callers to remember.
/// Beyond it, those whose hour is over are forgotten; then no more are counted.
const MOST_CALLERS: usize = 10_000;

/// Counts the payments of callers that were refused in the last hour. Sold work costs a caller money and is not counted; a
/// refused payment is free for the caller, but costs the service a call to the facilitator.
#[derive(Default)]
pub(super) struct RefusedPayments(Mutex<HashMap<Caller, Refusals>>);

struct Refusals {
    since: Instant,
    count: u32,
}

impl RefusedPayments {
    pub(super) fn count(&self, caller: Caller, now: Instant) {
        let mut callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= MOST_CALLERS {
            callers.retain(|_, refusals| now.duration_since(refusals.since) < HOUR);
        }
        if callers.len() >= MOST_CALLERS && !callers.contains_key(&caller) {
            return;
        }
        let refusals = callers.entry(caller).or_insert(Refusals { since: now, count: 0 });
        if now.duration_since(refusals.since) >= HOUR {
            *refusals = Refusals { since: now, count: 0 };
        }
        refusals.count += 1;
    }

    /// The time until the caller may pay again, or `None` if it may now.
    pub(super) fn wait(&self, caller: Caller, most: u32, now: Instant) -> Option<Duration> {
        let callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refusals = callers.get(&caller)?;
        let left = HOUR.checked_sub(now.duration_since(refusals.since))?;
        (refusals.count >= most && !left.is_zero()).then_some(left)
    }
}

/// The time that calls to the facilitator took.
#[derive(Debug, Default)]
pub(super) struct Latency {
    pub(super) verify: Calls,
    pub(super) settle: Calls,
}

/// Calls of one kind.
#[derive(Debug, Default)]
pub(super) struct Calls {
    count: AtomicU64,
    micros: AtomicU64,
}

/// How many calls of one kind there were, and how long they took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallTimes {
    /// The kind: `verify` or `settle`.
    pub call: &'static str,
    /// Calls that ended, with a verdict or without.
    pub count: u64,
    pub seconds: f64,
}

impl Latency {
    pub(super) fn now(&self) -> [CallTimes; 2] {
        [("verify", &self.verify), ("settle", &self.settle)].map(|(call, calls)| CallTimes {
            call,
            count: calls.count.load(Ordering::Relaxed),
            seconds: calls.micros.load(Ordering::Relaxed) as f64 / 1e6,
        })
    }
}

impl Calls {
    /// Awaits a call and counts it.
    pub(super) async fn count<T>(&self, call: impl Future<Output = T>) -> T {
        let start = Instant::now();
        let answer = call.await;
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.count.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_waits_for_the_end_of_the_hour() {
        let (refused, start) = (RefusedPayments::default(), Instant::now());
        let [one, other] = [1, 2].map(|byte| Caller::at([byte, 0, 0, 1].into()));
        let minutes = |minutes: u64| start + Duration::from_secs(60 * minutes);
        assert_eq!(refused.wait(one, 2, start), None);
        refused.count(one, start);
        assert_eq!(refused.wait(one, 2, start), None);
        refused.count(one, minutes(10));
        let left = Some(Duration::from_secs(3_000));
        assert_eq!(refused.wait(one, 2, minutes(10)), left);
        assert_eq!(refused.wait(other, 2, minutes(10)), None);
        assert_eq!(refused.wait(one, 2, start + HOUR), None);
        refused.count(one, start + HOUR);
        assert_eq!(refused.wait(one, 2, start + HOUR), None);
    }
}
