//! JSON without repeated members.
//!
//! Parsers disagree about which of two equal members counts, so a request that has them is refused.
//!
//! ```
//! use ibid_model::strict_json::parse;
//!
//! assert_eq!(parse(br#"{"domain": "example.com"}"#)?["domain"], "example.com");
//! assert!(parse(br#"{"domain": "example.com", "domain": "acme.com"}"#).is_err());
//! # Ok::<(), serde_json::Error>(())
//! ```

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Parses JSON.
///
/// # Errors
/// An error of the category `Data` for a repeated member, another one for a text that is not JSON.
pub fn parse(text: &[u8]) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Strict.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(element) = elements.next_element_seed(Strict)? {
            array.push(element);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(Strict)?;
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a repeated member"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::error::Category;

    #[test]
    fn values_are_those_of_the_plain_parser() {
        for text in [
            r#"{"a":[1,-2,3.5,1e300,18446744073709551615,"x\n\u00e6",true,false,null],"b":{"a":{}},"":[]}"#,
            "7",
            " [ ] ",
        ] {
            let plain: Value = serde_json::from_str(text).unwrap();
            assert_eq!(parse(text.as_bytes()).unwrap(), plain, "{text}");
        }
    }

    #[test]
    fn repeated_members_and_broken_texts_are_told_apart() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"\u0061":2}}]"#] {
            assert_eq!(
                parse(text.as_bytes()).unwrap_err().classify(),
                Category::Data,
                "{text}"
            );
        }
        for text in ["", "{", r#"{"a":1,}"#, "1 2", "\u{feff}{}"] {
            assert_ne!(
                parse(text.as_bytes()).unwrap_err().classify(),
                Category::Data,
                "{text}"
            );
        }
        let deep = "[".repeat(1_000);
        assert!(parse(deep.as_bytes()).is_err());
    }
}
