//! Hexadecimal text of any length, as signatures have it.

/// Decodes a text like `0x00ff`: the prefix, then an even number of digits.
/// Returns `None` for any other text, and for more than `most` bytes.
pub(crate) fn decode(text: &str, most: usize) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?;
    // The crate accepts a second prefix, which is refused here.
    if digits.len() > 2 * most || digits.starts_with("0x") {
        return None;
    }
    const_hex::decode(digits).ok()
}

/// Returns `0x` and lower-case digits.
pub(crate) fn encode(bytes: &[u8]) -> String {
    const_hex::encode_prefixed(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "00", "0x0", "0xzz", "0x0g", "0X00", "0x é", "0x0x00"] {
            assert_eq!(decode(text, 8), None, "{text}");
        }
        assert_eq!(decode("0x", 8), Some(vec![]));
        assert_eq!(decode("0xFf00", 2), Some(vec![255, 0]));
        assert_eq!(decode("0xff0011", 2), None);
    }

    proptest! {
        #[test]
        fn reads_its_own_output(bytes: Vec<u8>) {
            prop_assert_eq!(decode(&encode(&bytes), bytes.len()), Some(bytes));
        }
    }
}
