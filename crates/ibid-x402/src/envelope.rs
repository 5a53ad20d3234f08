//! Payment metadata of agent messages (a2a-x402 v0.1).
//!
//! All of it is in the metadata of messages.
//! Payment objects have the forms of version 1.
//! A signed payload must not stay in a task's history, where every caller with the task's id can read it.
//! See [`redact`].

use crate::error::{BadPayment, PaymentError};
use crate::payment::Payment;
use crate::quote::PriceQuote;
use crate::settlement::SettleResponse;
use serde_json::{Map, Value, json};

/// The identifier of the extension.
/// It names a repository that has moved; the identifier has not.
pub const EXTENSION_URI: &str = "https://github.com/google-a2a/a2a-x402/v0.1";
/// The request and response header of the activated extensions, as A2A 0.2 and 0.3 name it.
pub const X_A2A_EXTENSIONS: &str = "x-a2a-extensions";
/// The later name of that header.
/// Read both, answer with the one received.
pub const A2A_EXTENSIONS: &str = "a2a-extensions";

const STATUS: &str = "x402.payment.status";
const REQUIRED: &str = "x402.payment.required";
const PAYLOAD: &str = "x402.payment.payload";
const RECEIPTS: &str = "x402.payment.receipts";
const ERROR: &str = "x402.payment.error";

/// The payment part of a client's message.
#[derive(Debug)]
pub enum PaymentSubmission {
    /// The message does not mention payment.
    Silent,
    /// The message pays.
    Paid(Box<Payment>),
    /// The client declines to pay.
    Declined,
}

/// Whether a list of extensions, as the header has it, names `uri`.
///
/// ```
/// use ibid_x402::envelope::activates;
///
/// assert!(activates("https://example.com/a, https://example.com/b", "https://example.com/b"));
/// ```
#[must_use]
pub fn activates(header: &str, uri: &str) -> bool {
    header.split(',').any(|item| item.trim() == uri)
}

/// Reads the metadata of a client's message.
///
/// # Errors
/// [`PaymentError::Malformed`] for a submission without a readable payload.
pub fn read(metadata: &Map<String, Value>) -> Result<PaymentSubmission, PaymentError> {
    let status = metadata.get(STATUS).and_then(Value::as_str);
    if status == Some("payment-rejected") {
        return Ok(PaymentSubmission::Declined);
    }
    match metadata.get(PAYLOAD).filter(|payload| !payload.is_null()) {
        Some(payload) => {
            let payment = Payment::from_json(&payload.to_string())?;
            Ok(PaymentSubmission::Paid(Box::new(payment)))
        }
        None if status == Some("payment-submitted") => Err(BadPayment::Member { member: PAYLOAD }.into()),
        None => Ok(PaymentSubmission::Silent),
    }
}

/// Removes the signed payload, before a message is stored or shown.
pub fn redact(metadata: &mut Map<String, Value>) {
    metadata.remove(PAYLOAD);
}

/// Metadata that asks for payment.
/// `error` is a stable word such as `payment_required`.
#[must_use]
pub fn required<P>(quote: &PriceQuote<P>, error: &'static str) -> Map<String, Value> {
    let mut metadata = status("payment-required");
    metadata.insert(REQUIRED.to_owned(), json!(quote.body(error)));
    metadata
}

/// Metadata for a verified payment whose work has begun.
#[must_use]
pub fn verified() -> Map<String, Value> {
    status("payment-verified")
}

/// Metadata for a payment that the client declined.
#[must_use]
pub fn rejected() -> Map<String, Value> {
    status("payment-rejected")
}

/// Metadata for a settled payment.
/// `receipts` are all attempts of the task, oldest first.
#[must_use]
pub fn completed(receipts: &[SettleResponse]) -> Map<String, Value> {
    let mut metadata = status("payment-completed");
    metadata.insert(RECEIPTS.to_owned(), json!(receipts));
    metadata
}

/// Metadata for a failed payment.
/// `code` is a word of the extension's table 8.1, as [`ibid_model::contract::Problem::payment`] returns it.
/// `receipts` are all attempts of the task, oldest first.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quote::{Listing, Terms};
    use crate::sandbox::{Draft, TestWallet};
    use ibid_model::{Asset, Network, Nonce, Product, X402Version};
    use jiff::Timestamp;
    use std::num::NonZeroU32;
    use std::sync::Arc;

    fn quote() -> PriceQuote {
        let network = Network::BaseSepolia;
        let pay_to = TestWallet::other().address();
        let terms = Terms::new(
            network,
            Asset::usdc(network),
            pay_to,
            NonZeroU32::new(600).unwrap(),
        );
        let resource = "https://ibid.example/api/a2a/jsonrpc#scan".parse().unwrap();
        PriceQuote::sale(
            Product::Scan,
            Arc::new(terms),
            Arc::new(Listing::new(resource, "AI citation scan")),
        )
    }

    fn submitted() -> Map<String, Value> {
        let draft = Draft::of(
            &quote(),
            X402Version::V1,
            Timestamp::UNIX_EPOCH,
            Nonce::from_bytes([1; 32]),
        );
        let mut metadata = status("payment-submitted");
        metadata.insert(
            PAYLOAD.to_owned(),
            draft.sign(&TestWallet::rich()).payload().clone(),
        );
        metadata
    }

    #[test]
    fn a_task_asks_for_payment_in_the_form_of_version_1() {
        let metadata = required(&quote(), "payment_required");
        assert_eq!(metadata["x402.payment.status"], "payment-required");
        let required = &metadata["x402.payment.required"];
        assert_eq!(required["x402Version"], 1);
        assert_eq!(
            required["accepts"][0]["resource"],
            "https://ibid.example/api/a2a/jsonrpc#scan"
        );
        assert_eq!(required["accepts"][0]["maxAmountRequired"], "150000");
    }

    #[test]
    fn payment_metadata_of_clients_is_read() {
        let mut metadata = submitted();
        assert!(matches!(read(&metadata), Ok(PaymentSubmission::Paid(_))));
        redact(&mut metadata);
        assert!(!json!(metadata).to_string().contains("0x"), "{metadata:?}");
        let missing = BadPayment::Member { member: PAYLOAD };
        assert_eq!(read(&metadata).map(|_| ()), Err(PaymentError::Malformed(missing)));
        assert!(matches!(read(&Map::new()), Ok(PaymentSubmission::Silent)));
        assert!(matches!(
            read(&status("payment-rejected")),
            Ok(PaymentSubmission::Declined)
        ));
        metadata.insert(PAYLOAD.to_owned(), json!("not an object"));
        assert!(matches!(
            read(&metadata),
            Err(PaymentError::Malformed(BadPayment::NotJson))
        ));
        // Some clients leave the status out.
        let mut silent = submitted();
        silent.remove(STATUS);
        assert!(matches!(read(&silent), Ok(PaymentSubmission::Paid(_))));
    }

    #[test]
    fn every_attempt_is_reported() {
        let attempt = |success, reason: Option<&str>| SettleResponse {
            success,
            error_reason: reason.map(str::to_owned),
            transaction: String::new(),
            network: "base-sepolia".to_owned(),
            payer: TestWallet::rich().address(),
            extensions: None,
        };
        let mut receipts = vec![attempt(false, Some("invalid_exact_evm_insufficient_balance"))];
        let told = failed("INSUFFICIENT_FUNDS", &receipts);
        assert_eq!(told["x402.payment.status"], "payment-failed");
        assert_eq!(told["x402.payment.error"], "INSUFFICIENT_FUNDS");
        assert_eq!(told["x402.payment.receipts"][0]["transaction"], "");
        receipts.push(attempt(true, None));
        let told = completed(&receipts);
        assert_eq!(told["x402.payment.receipts"].as_array().unwrap().len(), 2);
        assert_eq!(told["x402.payment.receipts"][1].get("errorReason"), None);
        let kept: Vec<SettleResponse> =
            serde_json::from_value(told["x402.payment.receipts"].clone()).unwrap();
        assert_eq!(kept, receipts);
    }

    #[test]
    fn the_extension_is_found_in_a_list() {
        assert!(activates(EXTENSION_URI, EXTENSION_URI));
        assert!(activates(
            &format!("https://other.example/v1 , {EXTENSION_URI}"),
            EXTENSION_URI
        ));
        assert!(!activates(
            "https://github.com/google-a2a/a2a-x402/v0.10",
            EXTENSION_URI
        ));
        assert!(!activates("", EXTENSION_URI));
    }
}
