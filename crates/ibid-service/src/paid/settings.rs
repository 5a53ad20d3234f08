//! How an operator sets the paid surface up.

use super::sold_orders::{CostCaps, SoldOrders};
use crate::error::Error;
use crate::job::Job;
use ibid_model::{ModelAlias, Offering, Product, UsdMicros};
use ibid_provider::ProviderKey;
use ibid_x402::{ChainReader, Paygate, SETTLE_MARGIN, Terms};
use std::sync::Arc;
use std::time::Duration;

/// The time for verification and settlement in addition to the work.
const SETTLEMENT: Duration = Duration::from_secs(20);

/// The settings of the paid surface.
pub struct Paid {
    /// The facilitator that verifies and settles.
    pub gate: Paygate,
    /// Reads the chain, which decides unknown settlements. Without it they wait for the operator.
    pub chain: Option<Arc<dyn ChainReader>>,
    /// The accepted tokens and the receiving wallet.
    pub terms: Arc<Terms>,
    /// The operator's key, which pays the models.
    /// Without it only products without models are sold.
    pub key: Option<ProviderKey>,
    /// The most that one run may cost the operator at the provider.
    pub caps: CostCaps,
    /// Models for orders that name none and cost too much with the usual ones; empty for the cheapest.
    pub models: Vec<ModelAlias>,
    /// The most that a payer may have open or fail.
    pub exposure: Exposure,
    /// Lease, settlement and retry timeouts.
    pub timing: Timing,
}

/// Bounds on a payer's unpaid work, and on payments whose signer cannot be checked in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exposure {
    /// Open orders of a payer that no settled money covers.
    pub first_orders: u32,
    /// Open orders of any payer.
    pub most_orders: u32,
    /// Orders of a payer that may fail in an hour. An address may have as many unpaid orders in an hour, and all payers
    /// together this many more than settled ones in ten minutes; beyond it, payments are settled before the work.
    pub failed_an_hour: u32,
    /// Unpaid orders of an address in ten minutes; beyond it, payments are settled before the work.
    pub unpaid_of_address: u32,
    /// Payments of an address that may be refused in an hour.
    pub refused_an_hour: u32,
    /// The cost above which the payer must have settled as much as the work costs.
    /// `None` for no bound.
    pub trust_above: Option<UsdMicros>,
    /// Simultaneous verifications of payments without the payer's own signature, such as those by wallets with code.
    pub unproven_at_once: u32,
}

impl Default for Exposure {
    /// One open order, up to twenty; ten failures and a hundred refused payments an hour, three unpaid orders of an
    /// address in ten minutes; no bound on cost; four unproven signatures.
    fn default() -> Self {
        Self {
            first_orders: 1,
            most_orders: 20,
            failed_an_hour: 10,
            unpaid_of_address: 3,
            refused_an_hour: 100,
            trust_above: None,
            unproven_at_once: 4,
        }
    }
}

/// Lease, settlement and retry timeouts of the paid surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The time for which a payment stays with a process without a renewal of its lease.
    /// A slow disk or a paused machine loses a shorter lease; buyers of a killed process wait out a longer one.
    pub lease: Duration,
    /// The time for repeated requests of an unknown settlement, before the buyer is asked to try again later.
    pub settle: Duration,
    /// The first background pause between two requests to settle; it doubles up to a minute.
    pub retry: Duration,
}

impl Default for Timing {
    /// Ten seconds, fifteen seconds, two seconds.
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(10),
            settle: Duration::from_secs(15),
            retry: Duration::from_secs(2),
        }
    }
}

impl Paid {
    /// The products on sale: audits always, the others with a key to ask models.
    pub(crate) fn offering(&self) -> Offering {
        let part = match self.key {
            Some(_) => Offering::EVERYTHING,
            None => Offering::AUDITS,
        };
        part.priced(self.terms.prices())
    }

    /// The longest work that leaves time to settle a payment of the offered validity.
    fn longest_work(&self) -> Duration {
        self.terms
            .max_timeout()
            .saturating_sub(SETTLE_MARGIN + SETTLEMENT)
    }

    pub(crate) fn sells(&self, product: Product) -> bool {
        self.offering().has(product.skill())
    }

    /// The prices and caps of orders.
    pub(crate) fn orders(&self) -> SoldOrders<'_> {
        SoldOrders {
            prices: self.terms.prices(),
            caps: self.caps,
            models: &self.models,
        }
    }

    /// Refuses a product that is not sold, and a run for which no payment is valid long enough.
    /// What a run costs was checked when it was planned.
    pub(crate) fn check(&self, job: &Job) -> Result<(), Error> {
        if !self.sells(job.product()) {
            return Err(Error::PaidDisabled);
        }
        let (work, most) = (job.time_limit(), self.longest_work());
        if work > most {
            return Err(Error::PlanTooSlow {
                needed: work.as_secs(),
                most: most.as_secs(),
            });
        }
        Ok(())
    }
}
