//! A buyer's payment: read, not yet judged.

use crate::error::{BadPayment, PaymentError};
use crate::header::{MAX_PAYMENT_HEADER, decode};
use crate::identifier;
use crate::identifier::PaymentIdentifier;
use crate::proto::exact::{Foreign, SignedTransfer};
use crate::proto::{exact, member, read, whole};
use ibid_model::{Network, X402Version};
use serde_json::Value;
use std::fmt;

/// A buyer's payment: well formed, and not checked further.
///
/// The JSON is kept as sent and goes to the facilitator unchanged.
/// It is never printed, because it contains a signature that moves money.
pub struct Payment {
    pub(crate) version: X402Version,
    /// The JSON object as sent, without surrounding white space.
    pub(crate) raw: String,
    pub(crate) offer: AcceptedOffer,
    /// The transfer, or why this kind of payment is not ours.
    pub(crate) transfer: Result<SignedTransfer, Foreign>,
    identifier: Option<PaymentIdentifier>,
}

/// How a payload names the offer it pays.
pub(crate) enum AcceptedOffer {
    /// Version 1: only scheme and network.
    Names { scheme: String, network: String },
    /// Version 2: the whole entry.
    Entry(Value),
}

impl Payment {
    /// Reads a payment from all headers with either name.
    /// Returns `None` without a header.
    ///
    /// # Errors
    /// [`PaymentError::Malformed`] for a malformed payment or more than one header.
    pub fn from_headers<'a>(
        x_payment: impl IntoIterator<Item = &'a [u8]>,
        payment_signature: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Option<Self>, PaymentError> {
        let v1 = x_payment.into_iter().map(|header| (X402Version::V1, header));
        let v2 = payment_signature
            .into_iter()
            .map(|header| (X402Version::V2, header));
        let mut headers = v1.chain(v2);
        let Some((version, header)) = headers.next() else {
            return Ok(None);
        };
        if headers.next().is_some() {
            return Err(BadPayment::TwoPayments.into());
        }
        let payment = Self::from_json(&decode(header)?)?;
        if payment.version != version {
            return Err(BadPayment::Version.into());
        }
        Ok(Some(payment))
    }

    /// Reads a payment from its JSON, of either version.
    ///
    /// ```
    /// use ibid_x402::Payment;
    ///
    /// assert!(Payment::from_json(r#"{"x402Version": 1}"#).is_err());
    /// ```
    ///
    /// # Errors
    /// [`PaymentError::Malformed`] for a malformed payment.
    pub fn from_json(text: &str) -> Result<Self, PaymentError> {
        if text.len() > MAX_PAYMENT_HEADER {
            return Err(BadPayment::TooLarge.into());
        }
        check(text).map_err(|fault| match fault {
            JsonFault::Malformed => BadPayment::NotJson,
            JsonFault::Repeated => BadPayment::RepeatedMember,
        })?;
        let object: Value = read(text).ok_or(BadPayment::NotJson)?;
        let version = match member(&object, "x402Version").and_then(whole) {
            Some(1) => X402Version::V1,
            Some(2) => X402Version::V2,
            _ => return Err(BadPayment::Version.into()),
        };
        let missing = |member| BadPayment::Member { member };
        let text_of = |entry, name| member(entry, name).and_then(Value::as_str);
        let entry = match version {
            X402Version::V1 => &object,
            X402Version::V2 => member(&object, "accepted")
                .filter(|entry| entry.is_object())
                .ok_or(missing("accepted"))?,
        };
        let scheme = text_of(entry, "scheme").ok_or(missing("scheme"))?;
        let network = text_of(entry, "network").ok_or(missing("network"))?;
        let payload = member(&object, "payload").ok_or(missing("payload"))?;
        // Another scheme or chain has another payload.
        // It is a legal payment, only not one we take.
        let transfer = if scheme != "exact" {
            Err(Foreign::Scheme)
        } else if network.parse::<Network>().is_err() {
            Err(Foreign::Network)
        } else {
            exact::read(payload)?
        };
        let identifier = match version {
            X402Version::V1 => None,
            X402Version::V2 => identifier::read(&object)?,
        };
        let offer = match version {
            X402Version::V1 => AcceptedOffer::Names {
                scheme: scheme.to_owned(),
                network: network.to_owned(),
            },
            X402Version::V2 => AcceptedOffer::Entry(entry.clone()),
        };
        Ok(Self {
            version,
            raw: text.trim().to_owned(),
            offer,
            transfer,
            identifier,
        })
    }

    /// The buyer's own identifier of the order, if the buyer has chosen one.
    pub const fn identifier(&self) -> Option<&PaymentIdentifier> {
        self.identifier.as_ref()
    }

    /// Which protocol version the buyer speaks.
    pub const fn version(&self) -> X402Version {
        self.version
    }
}

impl fmt::Debug for Payment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Payment({:?}, ..)", self.version)
    }
}

/// Why a text is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonFault {
    /// It is not one JSON object, or is nested deeper than 128 levels.
    Malformed,
    /// Some object has two members of the same name.
    Repeated,
}

/// Checks that `text` is one JSON object without repeated names. The payload is judged here and then forwarded unchanged:
/// two readers that disagree about the same text would be a security hole.
pub(crate) fn check(text: &str) -> Result<(), JsonFault> {
    match ibid_model::strict_json::parse(text.as_bytes()) {
        Ok(Value::Object(_)) => Ok(()),
        Err(error) if error.is_data() && text.trim_start().starts_with('{') => Err(JsonFault::Repeated),
        Ok(_) | Err(_) => Err(JsonFault::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn check(text: &str) -> Result<(), JsonFault> {
        super::check(text)
    }

    #[test]
    fn repeated_names_are_found_at_any_depth() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":{"b":[{"c":1,"d":2,"c":3}]}}"#,
            r#"{"value":"1","v\u0061lue":"2"}"#,
            r#"{"a":1,"b":2,"a":null}"#,
        ] {
            assert_eq!(check(text), Err(JsonFault::Repeated), "{text}");
        }
        assert_eq!(
            check(r#"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}],"c":-1.5e3}"#),
            Ok(())
        );
        assert_eq!(check(" {} "), Ok(()));
    }

    #[test]
    fn other_texts_are_malformed() {
        let deep = format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200));
        for text in [
            "",
            "1",
            "null",
            "[]",
            "{",
            "{}{}",
            "{\"a\"}",
            "{'a':1}",
            "\u{feff}{}",
            &deep,
        ] {
            assert_eq!(check(text), Err(JsonFault::Malformed), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text: String) {
            let _ = check(&text);
        }

        #[test]
        fn agrees_with_a_count_of_the_names(names in proptest::collection::vec("[ab\u{e9}\"\\\\]{0,2}", 0..6)) {
            let members: Vec<String> =
                names.iter().map(|name| format!("{}:0", serde_json::to_string(name).unwrap())).collect();
            let distinct: HashSet<&String> = names.iter().collect();
            let expected = if distinct.len() == names.len() { Ok(()) } else { Err(JsonFault::Repeated) };
            prop_assert_eq!(check(&format!("{{{}}}", members.join(","))), expected);
        }
    }
}
