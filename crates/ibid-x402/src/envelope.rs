//! Payment metadata of agent messages (a2a-x402 v0.1).
//!
//! All of it stands in the metadata of messages; payment objects have the forms of version 1. A signed payload
//! must not stay in a task's history, where whoever knows the task's id can read it: see [`redact`].

use crate::error::{BadPayment, PaymentError};
use crate::payment::Payment;
use crate::quote::Quote;
use crate::settlement::SettleResponse;
use serde_json::{Map, Value, json};

/// The identifier of the extension. It names a repository that has moved; the identifier has not.
pub const EXTENSION_URI: &str = "https://github.com/google-a2a/a2a-x402/v0.1";
/// Request and answer header that lists activated extensions, as A2A 0.2 and 0.3 call it.
pub const X_A2A_EXTENSIONS: &str = "x-a2a-extensions";
/// The later name of that header. Read both, answer with the one received.
pub const A2A_EXTENSIONS: &str = "a2a-extensions";

const STATUS: &str = "x402.payment.status";
const REQUIRED: &str = "x402.payment.required";
const PAYLOAD: &str = "x402.payment.payload";
const RECEIPTS: &str = "x402.payment.receipts";
const ERROR: &str = "x402.payment.error";

/// What a client's message says about payment.
#[derive(Debug)]
pub enum Submission {
    /// Nothing.
    Silent,
    /// It pays.
    Paid(Box<Payment>),
    /// It will not pay.
    Declined,
}

/// Whether a list of extensions, as the header has it, names `uri`.
#[must_use]
pub fn activates(header: &str, uri: &str) -> bool {
    header.split(',').any(|item| item.trim() == uri)
}

/// Reads the metadata of a client's message.
///
/// # Errors
/// [`PaymentError::Malformed`] for a submission without a readable payload.
pub fn read(metadata: &Map<String, Value>) -> Result<Submission, PaymentError> {
    let status = metadata.get(STATUS).and_then(Value::as_str);
    if status == Some("payment-rejected") {
        return Ok(Submission::Declined);
    }
    match metadata.get(PAYLOAD).filter(|payload| !payload.is_null()) {
        Some(payload) => {
            let payment = Payment::from_json(&payload.to_string())?;
            Ok(Submission::Paid(Box::new(payment)))
        }
        None if status == Some("payment-submitted") => Err(BadPayment::Member { member: PAYLOAD }.into()),
        None => Ok(Submission::Silent),
    }
}

/// Removes the signed payload, before a message is stored or shown.
pub fn redact(metadata: &mut Map<String, Value>) {
    metadata.remove(PAYLOAD);
}

/// Metadata that asks for payment. `error` is a stable word such as `payment_required`.
#[must_use]
pub fn required<P>(quote: &Quote<P>, error: &'static str) -> Map<String, Value> {
    let mut metadata = status("payment-required");
    metadata.insert(REQUIRED.to_owned(), json!(quote.body(error)));
    metadata
}

/// Metadata that tells that the payment holds and the work has begun.
#[must_use]
pub fn verified() -> Map<String, Value> {
    status("payment-verified")
}

/// Metadata that confirms that the client declined.
#[must_use]
pub fn rejected() -> Map<String, Value> {
    status("payment-rejected")
}

/// Metadata that tells that the money moved. `receipts` are all attempts of the task, oldest first.
#[must_use]
pub fn completed(receipts: &[SettleResponse]) -> Map<String, Value> {
    let mut metadata = status("payment-completed");
    metadata.insert(RECEIPTS.to_owned(), json!(receipts));
    metadata
}

/// Metadata that tells that the payment failed. `code` is a word of the extension's table 8.1, as
/// [`crate::Refusal::a2a_code`] gives it; `receipts` are all attempts of the task, oldest first.
#[must_use]
pub fn failed(code: &'static str, receipts: &[SettleResponse]) -> Map<String, Value> {
    let mut metadata = status("payment-failed");
    metadata.insert(ERROR.to_owned(), json!(code));
    metadata.insert(RECEIPTS.to_owned(), json!(receipts));
    metadata
}

fn status(status: &'static str) -> Map<String, Value> {
    Map::from_iter([(STATUS.to_owned(), json!(status))])
}
