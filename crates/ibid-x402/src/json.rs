//! Strict reading of JSON from buyers.
//!
//! The payload of a buyer is judged here and then forwarded unchanged.
//! Two readers that disagree about the same text would be a security hole.

use serde_json::Value;

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
