//! The offer of a buyer.

use super::hash::RequestHash;
use crate::tasks::Caller;
use ibid_x402::{Listing, Payment};
use std::sync::Arc;

/// The offer of a caller of a paid route.
#[derive(Debug)]
pub struct PaymentOffer {
    /// The payment, if one was sent.
    pub payment: Option<Payment>,
    /// The product in words.
    pub listing: Arc<Listing>,
    /// The caller, whose refused payments are limited.
    pub caller: Caller,
    /// The hash of the request. A payment buys one request, and the same payment fetches its result again.
    pub request: RequestHash,
}
