//! Fixed-size byte strings that are written as `0x` and lower-case hexadecimal digits.

use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Why a text is not the hexadecimal form of such a value. Never quotes the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HexError {
    /// It does not start with `0x`.
    #[error("hexadecimal text must start with 0x")]
    Prefix,
    /// It has another number of digits.
    #[error("expected {expected} hexadecimal digits after 0x")]
    Length {
        /// Digits wanted.
        expected: usize,
    },
    /// A character is not a hexadecimal digit.
    #[error("not a hexadecimal digit")]
    Digit,
}

macro_rules! bytes {
    ($($(#[$doc:meta])* $name:ident($len:literal);)*) => {$(
        $(#[$doc])*
        ///
        /// Read in any letter case, compared as bytes and written in lower case.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; $len]);

        impl $name {
            /// The bytes.
            pub const fn as_bytes(&self) -> &[u8; $len] {
                &self.0
            }

            /// Takes raw bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; $len]) -> Self {
                Self(bytes)
            }
        }

        impl FromStr for $name {
            type Err = HexError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                parse(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        read_from_text!($name);

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let pattern = format!("^0x[0-9a-fA-F]{{{}}}$", 2 * $len);
                schemars::json_schema!({"type": "string", "pattern": pattern})
            }
        }
    )*};
}

bytes! {
    /// An account on an EVM chain: 20 bytes.
    Wallet(20);
    /// Where a token's contract lives on an EVM chain: 20 bytes.
    TokenAddress(20);
    /// The number that makes a payment authorization unique for its payer: 32 bytes.
    Nonce(32);
}

fn parse<const N: usize>(text: &str) -> Result<[u8; N], HexError> {
    let digits = text.strip_prefix("0x").ok_or(HexError::Prefix)?;
    if digits.len() != 2 * N {
        return Err(HexError::Length { expected: 2 * N });
    }
    // The decoder skips a second prefix; then digits are missing, so it fails.
    const_hex::decode_to_array(digits).map_err(|_| HexError::Digit)
}

/// Decodes digits in source code. In a constant, other digits or another number of them do not
/// compile.
#[must_use]
#[expect(
    clippy::panic,
    reason = "stops the compiler where the digits of a constant are wrong"
)]
pub const fn unhex<const N: usize>(digits: &[u8]) -> [u8; N] {
    match const_hex::const_decode_to_array(digits) {
        Ok(bytes) => bytes,
        Err(_) => panic!("two hexadecimal digits a byte"),
    }
}

fn write(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("0x")?;
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn letter_case_does_not_matter() {
        let mixed: Wallet = "0x036CbD53842c5426634e7929541eC2318f3dCF7e".parse().unwrap();
        assert_eq!(mixed.to_string(), "0x036cbd53842c5426634e7929541ec2318f3dcf7e");
        assert_eq!(mixed.to_string().parse(), Ok(mixed));
        assert_eq!(serde_json::to_string(&mixed).unwrap(), format!("\"{mixed}\""));
    }

    #[test]
    fn other_texts_are_refused() {
        let parse = |text: &str| text.parse::<Wallet>().unwrap_err();
        assert_eq!(parse(""), HexError::Prefix);
        assert_eq!(
            parse("036cbd53842c5426634e7929541ec2318f3dcf7e00"),
            HexError::Prefix
        );
        assert_eq!(
            parse("0X036cbd53842c5426634e7929541ec2318f3dcf7e"),
            HexError::Prefix
        );
        assert_eq!(parse("0x036c"), HexError::Length { expected: 40 });
        assert_eq!(parse(&format!("0x{}", "g".repeat(40))), HexError::Digit);
        assert_eq!(parse(&format!("0x{}", "é".repeat(20))), HexError::Digit);
        assert_eq!(parse(&format!("0x+{}", "1".repeat(39))), HexError::Digit);
    }

    proptest! {
        #[test]
        fn text_and_bytes_agree(bytes: [u8; 32]) {
            let nonce = Nonce::from_bytes(bytes);
            prop_assert_eq!(nonce.to_string().parse(), Ok(nonce));
            prop_assert_eq!(nonce.as_bytes(), &bytes);
        }

        #[test]
        fn any_text_is_read_without_panic(text: String) {
            let _ = text.parse::<Nonce>();
        }
    }
}
