//! The demand for a payment.

use ibid_model::ProblemCode;
use ibid_x402::{PriceQuote, Proof, Sale, v1, v2};

/// A demand for a payment: a product's price, or a signature that proves the wallet.
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

    /// Writes the demand as a body, for clients of version 1.
    pub fn body(&self, error: ProblemCode) -> v1::PaymentRequired {
        match self {
            Self::Sale(quote) => quote.body(error.word()),
            Self::Proof(quote) => quote.body(error.word()),
        }
    }

    /// Writes the demand as a body of version 2, for transports without headers, such as MCP.
    pub fn body_v2(&self, error: ProblemCode) -> v2::PaymentRequired {
        match self {
            Self::Sale(quote) => quote.body_v2(error.word()),
            Self::Proof(quote) => quote.body_v2(error.word()),
        }
    }

    /// Writes the demand as a header, for clients of version 2.
    pub fn header(&self, error: ProblemCode) -> String {
        match self {
            Self::Sale(quote) => quote.header(error.word()),
            Self::Proof(quote) => quote.header(error.word()),
        }
    }
}
