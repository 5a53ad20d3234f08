//! Names, encodes and bounds the protocol's headers.

use crate::error::BadPayment;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_PAD_INDIFFERENT};
use serde::Serialize;

/// Request header that carries a payment of version 1.
pub const X_PAYMENT: &str = "x-payment";
/// Request header that carries a payment of version 2.
pub const PAYMENT_SIGNATURE: &str = "payment-signature";
/// Answer header that carries the offer of version 2.
pub const PAYMENT_REQUIRED: &str = "payment-required";
/// Carries a settlement's outcome in the response, for version 1.
pub const X_PAYMENT_RESPONSE: &str = "x-payment-response";
/// Carries a settlement's outcome in the response, for version 2.
/// It has the same value.
pub const PAYMENT_RESPONSE: &str = "payment-response";

/// Longest payment header that is read, in bytes.
/// Version 1 has 650, version 2 twice as much and the echo of our offer;
/// signatures of wallets with code add some thousand.
pub const MAX_PAYMENT_HEADER: usize = 16 * 1024;
/// Longest offer header that is sent, in bytes.
/// Some clients fail when all headers of an answer exceed 16 KiB.
/// Clients echo most of the offer in their payment.
pub const MAX_OFFER_HEADER: usize = 6 * 1024;

/// Decodes a payment header: standard alphabet, with or without padding, UTF-8 inside.
pub(crate) fn decode(header: &[u8]) -> Result<String, BadPayment> {
    if header.len() > MAX_PAYMENT_HEADER {
        return Err(BadPayment::TooLarge);
    }
    let bytes = STANDARD_PAD_INDIFFERENT
        .decode(header)
        .map_err(|_| BadPayment::NotBase64)?;
    String::from_utf8(bytes).map_err(|_| BadPayment::NotJson)
}

/// The header value for a JSON value: standard alphabet, padded.
pub(crate) fn encode(value: &impl Serialize) -> String {
    // This crate's types always serialise, because they hold strings, whole numbers and JSON values.
    STANDARD.encode(serde_json::to_vec(value).unwrap_or_default())
}
