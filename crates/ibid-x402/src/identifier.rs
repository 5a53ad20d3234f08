//! The extension `payment-identifier`.
//! Buyers may name an order themselves, so that it is not bought twice.

use crate::error::BadPayment;
use crate::proto::member;
use serde_json::{Value, json};

pub(crate) const NAME: &str = "payment-identifier";
const SHORTEST: usize = 16;
const LONGEST: usize = 128;

/// The buyer's own identifier of an order: 16 to 128 letters, digits, hyphens and underscores.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PaymentIdentifier(String);

impl PaymentIdentifier {
    /// The characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Reads the identifier of a payment.
/// A client that only echoes the declaration sends no identifier.
pub(crate) fn read(payment: &Value) -> Result<Option<PaymentIdentifier>, BadPayment> {
    let id = member(payment, "extensions")
        .and_then(|extensions| member(extensions, NAME))
        .and_then(|extension| member(extension, "info"))
        .and_then(|info| member(info, "id"));
    let Some(id) = id else { return Ok(None) };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    match id.as_str() {
        Some(text) if (SHORTEST..=LONGEST).contains(&text.len()) && text.bytes().all(plain) => {
            Ok(Some(PaymentIdentifier(text.to_owned())))
        }
        Some(_) | None => Err(BadPayment::Member {
            member: "extensions.payment-identifier.info.id",
        }),
    }
}

/// The declaration in an offer: an identifier may be sent.
pub(crate) fn declaration() -> Value {
    json!({
        "info": {"required": false},
        "schema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "required": {"type": "boolean"},
                "id": {"type": "string", "minLength": SHORTEST, "maxLength": LONGEST, "pattern": "^[a-zA-Z0-9_-]+$"},
            },
            "required": ["required"],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_has_16_to_128_plain_characters() {
        let payment = |id: Value| json!({"extensions": {NAME: {"info": {"required": false, "id": id}}}});
        let check = |id: &str| read(&payment(json!(id))).map(|read| read.map(|read| read.0));
        let good = "pay_7d5d747be160e280504c099d984bcfe0";
        assert_eq!(check(good), Ok(Some(good.to_owned())));
        let longest = "a".repeat(LONGEST);
        assert_eq!(check(&longest), Ok(Some(longest.clone())));
        for bad in [
            "",
            "fifteen-letters",
            &format!("{longest}a"),
            "with a space in it",
            "pay_\u{e4}\u{f6}\u{fc}aaaaaaaaaaaaaaa",
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        assert!(read(&payment(json!(1))).is_err());
        for none in [
            json!({}),
            json!({"extensions": null}),
            json!({"extensions": {NAME: declaration()}}),
            payment(Value::Null),
        ] {
            assert_eq!(read(&none), Ok(None), "{none}");
        }
    }

    #[test]
    fn the_declaration_is_valid_by_its_own_schema() {
        let declared = declaration();
        let validator = jsonschema::draft202012::new(&declared["schema"]).unwrap();
        assert!(validator.is_valid(&declared["info"]));
        assert!(validator.is_valid(&json!({"required": false, "id": "pay_7d5d747be160e280"})));
        assert!(!validator.is_valid(&json!({"required": false, "id": "short"})));
    }
}
