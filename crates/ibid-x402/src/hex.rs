//! Hexadecimal text of any length, as signatures have it.

use std::fmt::Write as _;

/// The bytes behind `0x` and an even number of digits, at most `most` bytes; `None` for any other text.
pub(crate) fn decode(text: &str, most: usize) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?.as_bytes();
    if digits.len() % 2 != 0 || digits.len() > 2 * most {
        return None;
    }
    let value = |digit: u8| {
        char::from(digit)
            .to_digit(16)
            .and_then(|value| u8::try_from(value).ok())
    };
    digits
        .chunks_exact(2)
        .map(|pair| Some((value(pair[0])? << 4) | value(pair[1])?))
        .collect()
}

/// `0x` and lower-case digits.
pub(crate) fn encode(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "00", "0x0", "0xzz", "0x0g", "0X00", "0x é"] {
            assert_eq!(decode(text, 8), None, "{text}");
        }
        assert_eq!(decode("0x", 8), Some(vec![]));
        assert_eq!(decode("0xFf00", 2), Some(vec![255, 0]));
        assert_eq!(decode("0xff0011", 2), None);
    }

    proptest! {
        #[test]
        fn reads_what_it_wrote(bytes: Vec<u8>) {
            prop_assert_eq!(decode(&encode(&bytes), bytes.len()), Some(bytes));
        }
    }
}
