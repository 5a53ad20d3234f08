//! Selling: admit a payment once, do the work, settle, hand over.
//!
//! ```text
//! plan -> price -> local checks -> claim -> verify -> run -> hold -> settle -> hand over
//! ```
//! From the claim on everything is a task of the service, so a buyer who hangs up changes nothing, and every step is
//! written down before the next is taken, so a crash changes nothing either. What may happen is decided by
//! [`ibid_store::PaymentState`].

mod buy;
mod gate;
mod hash;
mod receipts;
mod recover;
mod settle;

pub(crate) use buy::{MayBegin, buy, told};
pub(crate) use gate::Inflight;
pub use hash::RequestHash;
pub(crate) use receipts::{ProofOffer, receipts};
pub use receipts::{ReceiptPage, ReceiptsOrder};
pub(crate) use recover::watch_over;

use crate::service::now_ms;
use crate::{Error, Job};
use ibid_model::{Assortment, Product, UsdMicros};
use ibid_provider::ProviderKey;
use ibid_x402::{Listing, Paygate, Payment, Proof, Quote, Sale, Terms, v1};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What a service needs to sell.
pub struct Paid {
    /// Who verifies and settles.
    pub gate: Paygate,
    /// What is taken, and for whom.
    pub terms: Arc<Terms>,
    /// The operator's key, which pays the models. Without it only what asks none is sold.
    pub key: Option<ProviderKey>,
    /// What one run may cost the operator at the provider.
    pub caps: CostCaps,
    /// How patient it is.
    pub timing: Timing,
}

/// What one run may cost the operator at the provider, about.
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
    /// $0.20, $0.60, $0.75.
    fn default() -> Self {
        Self {
            scan: UsdMicros::new(200_000),
            radius: UsdMicros::new(600_000),
            full: UsdMicros::new(750_000),
        }
    }
}

impl CostCaps {
    /// The cap of a product; audits ask no model.
    const fn of(self, product: Product) -> Option<UsdMicros> {
        match product {
            Product::Scan => Some(self.scan),
            Product::Radius => Some(self.radius),
            Product::Full => Some(self.full),
            Product::Audit => None,
        }
    }
}

/// How patient the paid surface is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// How long a payment stays with a process that shows no sign of life.
    pub lease: Duration,
    /// How long a settlement of unknown outcome is asked for again before the buyer is told to come back.
    pub settle: Duration,
    /// The pause before the background asks again; doubles up to a minute.
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

/// What a caller of a paid route brings.
#[derive(Debug)]
pub struct Offer {
    /// The payment, if one was sent.
    pub payment: Option<Payment>,
    /// What is sold there, in words.
    pub listing: Arc<Listing>,
    /// Hash of what is wanted: the same payment buys only the same again.
    pub request: RequestHash,
}

/// What is due: the price of a product, or a proof of who asks.
#[derive(Debug)]
pub enum Due {
    /// Money.
    Sale(Box<Quote<Sale>>),
    /// A signature that is never settled.
    Proof(Box<Quote<Proof>>),
}

impl Due {
    /// The body of the demand, for clients of version 1.
    #[must_use]
    pub fn body(&self, error: &'static str) -> v1::PaymentRequired {
        match self {
            Self::Sale(quote) => quote.body(error),
            Self::Proof(quote) => quote.body(error),
        }
    }

    /// The header of the demand, for clients of version 2.
    #[must_use]
    pub fn header(&self, error: &'static str) -> String {
        match self {
            Self::Sale(quote) => quote.header(error),
            Self::Proof(quote) => quote.header(error),
        }
    }
}

impl Paid {
    /// What can be sold: an audit always, what asks models where there is a key to ask them with.
    pub(crate) fn assortment(&self) -> Assortment {
        if self.key.is_some() {
            Assortment::Everything
        } else {
            Assortment::Audits
        }
    }

    pub(crate) fn sells(&self, product: Product) -> bool {
        self.assortment().has(product.skill())
    }

    /// What a job costs, or why it is not done, or not at that price.
    pub(crate) fn quote(&self, job: &Job, listing: &Arc<Listing>) -> Result<Quote<Sale>, Error> {
        self.check(job.product(), job.estimate())?;
        Ok(Quote::sale(
            job.product(),
            Arc::clone(&self.terms),
            Arc::clone(listing),
        ))
    }

    /// Refuses what is not sold, and what would cost the operator too much.
    pub(crate) fn check(&self, product: Product, estimate: UsdMicros) -> Result<(), Error> {
        if !self.sells(product) {
            return Err(Error::PaidDisabled);
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

/// A span in milliseconds.
pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
