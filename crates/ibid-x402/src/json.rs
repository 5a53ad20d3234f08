//! Strict reading of JSON from buyers.
//!
//! The payload of a buyer is judged here and then forwarded unchanged.
//! JSON leaves open which of two equal member names counts.
//! Two readers that disagree about the same text would be a security hole.
//! Therefore a text with a repeated name, anywhere, is refused.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// Why a text is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonFault {
    /// It is not one JSON object, or is nested deeper than 128 levels.
    Malformed,
    /// Some object has two members of the same name.
    Repeated,
}

/// Checks that `text` is one JSON object without repeated names.
pub(crate) fn check(text: &str) -> Result<(), JsonFault> {
    if !text.trim_start().starts_with('{') {
        return Err(JsonFault::Malformed);
    }
    match serde_json::from_str::<NoRepeats>(text) {
        Ok(NoRepeats) => Ok(()),
        Err(error) if error.is_data() => Err(JsonFault::Repeated),
        Err(_) => Err(JsonFault::Malformed),
    }
}

/// Any JSON value without repeated names. Stores no data.
/// Its only data error is a repeated name.
struct NoRepeats;

impl<'de> Deserialize<'de> for NoRepeats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = NoRepeats;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<NoRepeats, E> {
        Ok(NoRepeats)
    }

    fn visit_i64<E>(self, _: i64) -> Result<NoRepeats, E> {
        Ok(NoRepeats)
    }

    fn visit_u64<E>(self, _: u64) -> Result<NoRepeats, E> {
        Ok(NoRepeats)
    }

    fn visit_f64<E>(self, _: f64) -> Result<NoRepeats, E> {
        Ok(NoRepeats)
    }

    fn visit_str<E>(self, _: &str) -> Result<NoRepeats, E> {
        Ok(NoRepeats)
    }

    fn visit_unit<E>(self) -> Result<NoRepeats, E> {
        Ok(NoRepeats)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<NoRepeats, A::Error> {
        while items.next_element::<NoRepeats>()?.is_some() {}
        Ok(NoRepeats)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<NoRepeats, A::Error> {
        let mut names: HashSet<Cow<'de, str>> = HashSet::new();
        while let Some(Name(name)) = members.next_key()? {
            if !names.insert(name) {
                return Err(A::Error::custom("repeated name"));
            }
            members.next_value::<NoRepeats>()?;
        }
        Ok(NoRepeats)
    }
}

/// A member name, borrowed where it holds no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
