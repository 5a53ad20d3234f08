//! Payments in messages (a2a-x402 v0.1).
//! The payment objects themselves are opaque here.

use crate::error::CallError;
use ibid_model::{AtomicUsdc, FaultCode};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;

/// Identifies the payment extension, version 0.1.
/// It names a repository that has moved; the identifier stays the same.
pub const PAYMENT_EXTENSION: &str = "https://github.com/google-a2a/a2a-x402/v0.1";
/// Identifies version 0.2, which has the metadata of 0.1.
pub const PAYMENT_EXTENSION_02: &str =
    "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2";
/// Both identifiers.
pub const PAYMENT_EXTENSIONS: [&str; 2] = [PAYMENT_EXTENSION, PAYMENT_EXTENSION_02];

const STATUS: &str = "x402.payment.status";
pub(crate) const REQUIRED: &str = "x402.payment.required";
/// The same demand in the form of x402 version 2.
/// Version 1 readers use only the other member.
pub(crate) const REQUIRED_V2: &str = "x402.payment.required.v2";
pub(crate) const PAYLOAD: &str = "x402.payment.payload";
const RECEIPTS: &str = "x402.payment.receipts";
const ERROR: &str = "x402.payment.error";
/// Tells that the work failed before a settlement.
/// The extension has no word for it.
pub(crate) const WORK_FAILED: &str = "WORK_FAILED";
/// Tells that the authorization was used for something else.
pub(crate) const PAYMENT_USED: &str = "DUPLICATE_NONCE";

/// A client's words about payment.
#[derive(Debug)]
pub enum Submission {
    /// Nothing.
    Silent,
    /// It pays, in the metadata of the message.
    InMetadata(SignedPayload),
    /// It pays in a header of the HTTP request, which only the surface sees.
    InHeader,
    /// It will not pay.
    Declined,
}

/// A payment as the client signed it.
/// It moves money, so it is never printed, serialised or kept.
pub struct SignedPayload(Value);

/// The demand for a request: the value of `x402.payment.required`.
///
/// It is written once and kept as text, because it is copied into every answer and every record.
/// Cheap to clone.
///
/// It is written for x402 version 1, and also for version 2 if the seller offers that.
#[derive(Clone, Debug)]
pub struct Required {
    v1: Arc<RawValue>,
    v2: Option<Arc<RawValue>>,
}

/// A payment that was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct PaymentFailure {
    /// A word from the extension's table 8.1, such as `EXPIRED_PAYMENT`, or the contract's if the table has none.
    pub code: String,
    /// A sentence for people.
    pub detail: String,
    /// Receipt for the failed attempt, if there was one.
    pub receipt: Option<Value>,
}

/// An agent's words about payment.
pub(crate) enum Notice {
    /// Nothing.
    Silent,
    /// Pay what is asked for.
    Required,
    /// The payment is valid; the work has begun, or a proof was enough.
    Verified,
    /// The money moved.
    Completed,
    /// The money did not move. If there is an offer, it can be paid again.
    /// `code` is a word of the extension's table 8.1, or [`WORK_FAILED`].
    Failed { code: String },
    /// The client declined, or cancelled the task that asked for a payment.
    Rejected,
}

impl Submission {
    /// Whether a payment came with the message.
    pub const fn pays(&self) -> bool {
        match self {
            Self::InMetadata(_) | Self::InHeader => true,
            Self::Silent | Self::Declined => false,
        }
    }

    /// Takes the payment out of a message's metadata, or those next to the message.
    /// Some clients put it there. No signed value remains in either.
    pub(crate) fn take(
        message: &mut Map<String, Value>,
        beside: &mut Map<String, Value>,
    ) -> Result<Self, CallError> {
        let (own, other) = (Self::take_from(message)?, Self::take_from(beside)?);
        Ok(match own {
            Self::Silent => other,
            Self::InMetadata(_) | Self::InHeader | Self::Declined => own,
        })
    }

    fn take_from(metadata: &mut Map<String, Value>) -> Result<Self, CallError> {
        let payload = metadata.remove(PAYLOAD).filter(|payload| !payload.is_null());
        let status = metadata.get(STATUS).and_then(Value::as_str);
        let fault = |code, message| Err(CallError::fault("/message/metadata", code, message));
        match (status, payload) {
            (Some("payment-rejected"), _) => Ok(Self::Declined),
            // Some clients omit the status, or send back the one that they got.
            (_, Some(payload @ Value::Object(_))) => Ok(Self::InMetadata(SignedPayload(payload))),
            (_, Some(_)) => fault(FaultCode::WrongType, "x402.payment.payload must be an object"),
            (Some("payment-submitted"), None) => fault(
                FaultCode::Required,
                "x402.payment.payload is required with payment-submitted",
            ),
            (_, None) => Ok(Self::Silent),
        }
    }
}

impl SignedPayload {
    /// The payload, for the crate that judges payments.
    pub const fn expose(&self) -> &Value {
        &self.0
    }
}

impl fmt::Debug for SignedPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignedPayload(..)")
    }
}

impl Required {
    /// Writes an offer as text.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn of<T: Serialize>(offer: &T) -> Result<Self, serde_json::Error> {
        Ok(Self {
            v1: to_raw_value(offer)?.into(),
            v2: None,
        })
    }

    /// Adds the form of x402 version 2.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn with_v2<T: Serialize>(self, offer: &T) -> Result<Self, serde_json::Error> {
        let v2 = Some(to_raw_value(offer)?.into());
        Ok(Self { v2, ..self })
    }

    /// As version 1 writes it.
    pub(crate) fn v1(&self) -> &RawValue {
        &self.v1
    }

    /// As version 2 writes it.
    pub(crate) fn v2(&self) -> Option<&RawValue> {
        self.v2.as_deref()
    }

    /// The price in the first entry of the offer; `None` if the offer has another form.
    pub(crate) fn price(&self) -> Option<AtomicUsdc> {
        let offer = self.to_value();
        let amount = offer["accepts"][0]["maxAmountRequired"].as_str()?;
        amount.parse().ok().map(AtomicUsdc::new)
    }

    /// The offer as a tree, for a history.
    pub(crate) fn to_value(&self) -> Value {
        // The text was read or written as JSON.
        serde_json::from_str(self.v1.get()).unwrap_or_default()
    }
}

/// Equal offers may be written differently: an older program sorted their members.
/// Both forms are made from the same price.
/// Records of older programs have only the first form, so the first decides.
impl PartialEq for Required {
    fn eq(&self, other: &Self) -> bool {
        self.v1.get() == other.v1.get() || self.to_value() == other.to_value()
    }
}

/// Both forms in a record.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BothForms {
    v1: Box<RawValue>,
    v2: Box<RawValue>,
}

/// Records have both forms. One alone is written as it is.
impl Serialize for Required {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.v2 {
            None => self.v1.serialize(serializer),
            Some(v2) => {
                let mut both = serializer.serialize_struct("BothForms", 2)?;
                both.serialize_field("v1", &*self.v1)?;
                both.serialize_field("v2", &**v2)?;
                both.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Required {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(match serde_json::from_str::<BothForms>(raw.get()) {
            Ok(both) => Self {
                v1: both.v1.into(),
                v2: Some(both.v2.into()),
            },
            Err(_) => Self {
                v1: raw.into(),
                v2: None,
            },
        })
    }
}

/// Whether an agent's message with this metadata carries the demand of a standing offer.
pub(crate) fn asks(metadata: &Map<String, Value>) -> bool {
    let status = metadata.get(STATUS).and_then(Value::as_str);
    matches!(status, Some("payment-required" | "payment-failed")) && !metadata.contains_key(REQUIRED)
}

/// Whether an agent's message with this metadata only asks for a payment.
pub(crate) fn only_asks(metadata: &Map<String, Value>) -> bool {
    metadata.len() == 1 && metadata.get(STATUS).and_then(Value::as_str) == Some("payment-required")
}

impl Notice {
    /// Returns the metadata of the agent's message, without the demand, which is stored once, with the phase.
    /// `receipts` are all attempts of the task, oldest first.
    /// A task's last message has the list even if it is empty.
    pub(crate) fn metadata(self, receipts: &[Value], ended: bool) -> Map<String, Value> {
        let (status, code) = match self {
            Self::Silent => return Map::new(),
            Self::Required => ("payment-required", None),
            Self::Verified => ("payment-verified", None),
            Self::Completed => ("payment-completed", None),
            Self::Failed { code } => ("payment-failed", Some(code)),
            Self::Rejected => ("payment-rejected", None),
        };
        let mut metadata = Map::from_iter([(STATUS.to_owned(), json!(status))]);
        if let Some(code) = code {
            metadata.insert(ERROR.to_owned(), json!(code));
        }
        if ended || !receipts.is_empty() {
            metadata.insert(RECEIPTS.to_owned(), json!(receipts));
        }
        metadata
    }
}
