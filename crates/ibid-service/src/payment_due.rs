//! The demand for a payment.

use ibid_model::ProblemCode;
use ibid_x402::{PriceQuote, Proof, Sale, v1, v2};

/// A demand for a payment: the price of a product, or a proof of the wallet.
#[derive(Debug)]
pub enum PaymentDue {
    Sale(Box<PriceQuote<Sale>>),
    /// A signature that is never settled.
    Proof(Box<PriceQuote<Proof>>),
}

impl PaymentDue {
    pub(crate) fn sale(quote: &PriceQuote<Sale>) -> Self {
        Self::Sale(Box::new(quote.clone()))
    }

    pub(crate) fn proof(quote: &PriceQuote<Proof>) -> Self {
        Self::Proof(Box::new(quote.clone()))
    }

    /// The body of the demand, for clients of version 1.
    pub fn body(&self, error: ProblemCode) -> v1::PaymentRequired {
        match self {
            Self::Sale(quote) => quote.body(error.word()),
            Self::Proof(quote) => quote.body(error.word()),
        }
    }

    /// The body of a version 2 demand, for transports without headers.
    pub fn body_v2(&self, error: ProblemCode) -> v2::PaymentRequired {
        match self {
            Self::Sale(quote) => quote.body_v2(error.word()),
            Self::Proof(quote) => quote.body_v2(error.word()),
        }
    }

    /// The header of the demand, for clients of version 2.
    pub fn header(&self, error: ProblemCode) -> String {
        match self {
            Self::Sale(quote) => quote.header(error.word()),
            Self::Proof(quote) => quote.header(error.word()),
        }
    }
}
