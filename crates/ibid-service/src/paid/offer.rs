//! What a buyer offers.

use crate::error::Error;
use crate::request_hash::RequestHash;
use crate::tasks::Caller;
use ibid_x402::{Listing, Payment, PaymentError};
use std::sync::Arc;

/// What a caller of a paid route offers.
#[derive(Debug)]
pub struct PaymentOffer {
    /// The payment, if one was sent.
    pub payment: Option<Payment>,
    /// The product in words.
    pub listing: Arc<Listing>,
    /// The caller, whose refused payments are limited.
    pub caller: Caller,
    /// Names the request, because a payment buys one request and fetches its result again.
    pub request: RequestHash,
}

impl PaymentOffer {
    /// Reads a payment from JSON text, for transports without headers, such as MCP.
    ///
    /// # Errors
    /// The payment is malformed.
    pub fn from_json(
        payment: Option<&str>,
        listing: Arc<Listing>,
        caller: Caller,
        request: RequestHash,
    ) -> Result<Self, Error> {
        let payment = payment.map(Payment::from_json).transpose();
        Ok(Self {
            payment: payment.map_err(|error| match error {
                PaymentError::Malformed(bad) => Error::PaymentMalformed(bad),
                // Parsing refuses no payment and asks no facilitator.
                PaymentError::Refused(_) | PaymentError::Unavailable(_) => Error::Ended,
            })?,
            listing,
            caller,
            request,
        })
    }
}
