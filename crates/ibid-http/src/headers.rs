//! Headers that several surfaces send.

use actix_web::HttpResponseBuilder;
use ibid_x402::{PAYMENT_RESPONSE, SettleResponse, X_PAYMENT_RESPONSE};

/// Adds the outcome of a settlement: the same value for x402 version 1 and version 2.
pub(crate) fn insert_settlement(response: &mut HttpResponseBuilder, settlement: &SettleResponse) {
    let header = settlement.header();
    response.insert_header((X_PAYMENT_RESPONSE, header.clone()));
    response.insert_header((PAYMENT_RESPONSE, header));
}
