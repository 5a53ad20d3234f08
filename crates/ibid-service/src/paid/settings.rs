//! The settings of the paid surface.

use crate::{Error, Job};
use ibid_model::{Offering, Product, UsdMicros};
use ibid_provider::ProviderKey;
use ibid_x402::{ChainReader, Paygate, SETTLE_MARGIN, Terms};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The time that verification and settlement need beside the work.
const SETTLEMENT: Duration = Duration::from_secs(20);

/// The settings of the paid surface.
pub struct Paid {
    /// The facilitator that verifies and settles.
    pub gate: Paygate,
    /// The reader of the chain, which decides unknown settlements. Without one they wait for the operator.
    pub chain: Option<Arc<dyn ChainReader>>,
    /// The accepted tokens and the receiving wallet.
    pub terms: Arc<Terms>,
    /// The operator's key, which pays the models. Without it only products that ask no model are sold.
    pub key: Option<ProviderKey>,
    /// The most that one run may cost the operator at the provider.
    pub caps: CostCaps,
    /// The most that a payer may have open or fail.
    pub exposure: Exposure,
    /// Lease, settlement and retry timeouts.
    pub timing: Timing,
}

/// Bounds on unpaid work for one payer, and on payments whose signer cannot be checked in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exposure {
    /// Open orders of a payer without a settled one. Each settled order allows one more.
    pub first_orders: u32,
    /// Open orders of any payer.
    pub most_orders: u32,
    /// Orders of a payer, and of an address, that may fail in an hour. So many more unpaid orders than settled ones may payers
    /// without trust have together in ten minutes.
    pub failed_an_hour: u32,
    /// Payments of an address that may be refused in an hour.
    pub refused_an_hour: u32,
    /// Work that costs more at the provider needs a payer who has settled as much as it costs; `None` for no such bound.
    pub trust_above: Option<UsdMicros>,
    /// Verifications at one time of payments that the payer's own key did not sign, such as those of wallets with code.
    pub unproven_at_once: u32,
}

impl Default for Exposure {
    /// One open order, up to twenty, ten failures and a hundred refused payments an hour, no bound on cost, four unproven signatures.
    fn default() -> Self {
        Self {
            first_orders: 1,
            most_orders: 20,
            failed_an_hour: 10,
            refused_an_hour: 100,
            trust_above: None,
            unproven_at_once: 4,
        }
    }
}

/// The most that one run may cost the operator at the provider, approximately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostCaps {
    /// A scan, watched or not.
    pub scan: UsdMicros,
    /// A radius analysis.
    pub radius: UsdMicros,
    /// A full bundle.
    pub full: UsdMicros,
}

impl Default for CostCaps {
    /// $0.45, $1.30, $1.50: the default order of each product with the built-in table, and half as much again.
    fn default() -> Self {
        Self {
            scan: UsdMicros::new(450_000),
            radius: UsdMicros::new(1_300_000),
            full: UsdMicros::new(1_500_000),
        }
    }
}

impl CostCaps {
    /// The cap of a product; audits ask no model.
    #[must_use]
    pub const fn of(self, product: Product) -> Option<UsdMicros> {
        match product {
            Product::Scan => Some(self.scan),
            Product::Radius => Some(self.radius),
            Product::Full => Some(self.full),
            Product::Audit => None,
        }
    }
}

/// Lease, settlement and retry timeouts of the paid surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The time that a payment stays with a process that does not renew its lease.
    pub lease: Duration,
    /// The time in which a settlement of unknown outcome is requested again before the buyer is asked to try again later.
    pub settle: Duration,
    /// The first pause of the background between two requests to settle; it doubles up to a minute.
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
    /// The products that can be sold: audits always, the others with a key to ask models.
    pub(crate) fn offering(&self) -> Offering {
        let part = match self.key {
            Some(_) => Offering::EVERYTHING,
            None => Offering::AUDITS,
        };
        part.priced(self.terms.prices())
    }

    /// The longest work that leaves time to settle a payment that was signed for as long as the offer says.
    fn longest_work(&self) -> Duration {
        self.terms
            .max_timeout()
            .saturating_sub(SETTLE_MARGIN + SETTLEMENT)
    }

    pub(crate) fn sells(&self, product: Product) -> bool {
        self.offering().has(product.skill())
    }

    /// Refuses a product that is not sold, a run that would cost the operator too much, and one for which no payment is
    /// valid long enough.
    pub(crate) fn check(&self, job: &Job) -> Result<(), Error> {
        let (product, estimate) = (job.product(), job.estimate());
        if !self.sells(product) {
            return Err(Error::PaidDisabled);
        }
        let (work, most) = (job.time_limit(), self.longest_work());
        if work > most {
            return Err(Error::PlanTooSlow {
                needed: work.as_secs(),
                most: most.as_secs(),
            });
        }
        match self.caps.of(product) {
            Some(most) if estimate > most => Err(Error::PlanTooExpensive { estimate, most }),
            Some(_) | None => Ok(()),
        }
    }
}

impl fmt::Debug for Paid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paid")
            .field("terms", &self.terms)
            .field("caps", &self.caps)
            .finish_non_exhaustive()
    }
}
