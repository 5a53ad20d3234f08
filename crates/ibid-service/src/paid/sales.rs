//! The state of the paid surface.

use super::settings::Paid;
use super::single_flight::SingleFlight;
use crate::payment_due::PaymentDue;
use crate::runs::Runs;
use crate::{Error, Job};
use ibid_model::Product;
use ibid_store::{Lease, PaymentStep, StoreError};
use ibid_x402::{Listing, PriceQuote, Sale};
use std::sync::Arc;

/// The state of the paid surface: its settings, and the payments that this process is working on.
pub(crate) struct Sales {
    pub(crate) settings: Paid,
    pub(super) single_flight: SingleFlight,
    pub(super) runs: Arc<Runs>,
}

/// Rounds of the background between two clean-ups.
const CLEAN_EVERY: u32 = 240;

impl Sales {
    /// Starts selling, with a background task that renews the leases of this process, frees the payments of lost
    /// processes and settles their held results.
    pub(crate) fn start(settings: Paid, runs: Arc<Runs>) -> Arc<Self> {
        // Four rounds in the time of a lease: one or two late rounds lose nothing.
        let period = settings.timing.lease / 4;
        let sales = Arc::new(Self {
            settings,
            single_flight: SingleFlight::default(),
            runs: Arc::clone(&runs),
        });
        let mut round = 0_u32;
        runs.repeat(&sales, period, move |sales| {
            let clean = round.is_multiple_of(CLEAN_EVERY);
            round = round.wrapping_add(1);
            async move {
                if let Err(error) = sales.recover(clean).await {
                    tracing::warn!(%error, "payment.recover.failed");
                }
            }
        });
        sales
    }

    /// The price of a product.
    ///
    /// # Errors
    /// [`Error::PaidDisabled`].
    pub(crate) fn price(&self, product: Product, listing: &Arc<Listing>) -> Result<PaymentDue, Error> {
        match self.settings.sells(product) {
            true => Ok(PaymentDue::Sale(Box::new(self.quote(product, listing)))),
            false => Err(Error::PaidDisabled),
        }
    }

    /// The price of a job.
    ///
    /// # Errors
    /// [`Error::PaidDisabled`]; [`Error::PlanTooExpensive`].
    pub(super) fn quote_job(&self, job: &Job, listing: &Arc<Listing>) -> Result<PriceQuote<Sale>, Error> {
        self.settings.check(job.product(), job.estimate())?;
        Ok(self.quote(job.product(), listing))
    }

    fn quote(&self, product: Product, listing: &Arc<Listing>) -> PriceQuote<Sale> {
        PriceQuote::sale(product, Arc::clone(&self.settings.terms), Arc::clone(listing))
    }

    /// Moves a payment under its lease.
    pub(super) async fn take(&self, lease: Lease, steps: &'static [PaymentStep]) -> Result<(), StoreError> {
        let taken = self
            .runs
            .db
            .call(move |store| store.apply_steps(&lease, steps, crate::clock::now_ms()));
        taken.await
    }
}
