//! What a payment by scheme `exact` on an EVM chain holds, the same in both versions.

use crate::error::{BadPayment, Refusal};
use crate::hex;
use crate::proto::{member, parsed};
use ibid_model::{Nonce, Wallet};
use serde_json::Value;
use std::str::FromStr;

/// Longest signature, in bytes.
/// An ECDSA signature has 65; wallets with code have longer ones.
const MAX_SIGNATURE: usize = 4096;

/// A whole number from 0 to 2^256 - 1, big-endian.
/// On the wire it is a decimal string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Uint256([u8; 32]);

/// The text is no whole number in decimal digits, or too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotUint256;

impl Uint256 {
    pub(crate) const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The number, unless it takes more than 64 bits.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        let (high, low) = self.0.split_at(24);
        let low = <[u8; 8]>::try_from(low).ok()?;
        high.iter()
            .all(|&byte| byte == 0)
            .then(|| u64::from_be_bytes(low))
    }
}

impl From<u64> for Uint256 {
    fn from(number: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[24..].copy_from_slice(&number.to_be_bytes());
        Self(bytes)
    }
}

/// Accepts one form of each number: no sign, no leading zero, no exponent, no hexadecimal.
impl FromStr for Uint256 {
    type Err = NotUint256;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let leading_zero = text.len() > 1 && text.starts_with('0');
        // 2^256 has 78 digits.
        if text.is_empty() || text.len() > 78 || leading_zero || !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(NotUint256);
        }
        let mut bytes = [0; 32];
        for digit in text.bytes() {
            let mut carry = u32::from(digit - b'0');
            for byte in bytes.iter_mut().rev() {
                let value = u32::from(*byte) * 10 + carry;
                let [.., high, low] = value.to_be_bytes();
                (*byte, carry) = (low, u32::from(high));
            }
            if carry > 0 {
                return Err(NotUint256);
            }
        }
        Ok(Self(bytes))
    }
}

/// The message that the payer signs (EIP-3009, `TransferWithAuthorization`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Authorization {
    pub(crate) from: Wallet,
    pub(crate) to: Wallet,
    pub(crate) value: Uint256,
    pub(crate) valid_after: Uint256,
    pub(crate) valid_before: Uint256,
    pub(crate) nonce: Nonce,
}

/// An authorization and its signature.
pub(crate) struct SignedTransfer {
    pub(crate) authorization: Authorization,
    /// Never empty.
    pub(crate) signature: Vec<u8>,
}

/// A legal payment of a kind that is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// Another scheme than `exact`.
    Scheme,
    /// A chain that we do not know.
    Network,
    /// Another way to move money than EIP-3009.
    Method,
}

impl From<Foreign> for Refusal {
    fn from(foreign: Foreign) -> Self {
        match foreign {
            Foreign::Scheme => Self::Scheme,
            Foreign::Network => Self::Network,
            Foreign::Method => Self::TransferMethod,
        }
    }
}

/// Reads `payload`.
/// A payment of another transfer method is legal, and refused later.
pub(crate) fn read(payload: &Value) -> Result<Result<SignedTransfer, Foreign>, BadPayment> {
    let missing = |member| BadPayment::Member { member };
    if !payload.is_object() {
        return Err(missing("payload"));
    }
    let Some(authorization) = member(payload, "authorization") else {
        let other = ["permit2Authorization", "transaction", "delegationManager"];
        return if other.iter().any(|name| member(payload, name).is_some()) {
            Ok(Err(Foreign::Method))
        } else {
            Err(missing("payload.authorization"))
        };
    };
    let signature = member(payload, "signature").and_then(Value::as_str);
    let signature = signature.and_then(|text| hex::decode(text, MAX_SIGNATURE));
    let field = |name, member| parsed(authorization, name).ok_or(missing(member));
    Ok(Ok(SignedTransfer {
        signature: signature
            .filter(|bytes| !bytes.is_empty())
            .ok_or(missing("payload.signature"))?,
        authorization: Authorization {
            from: parsed(authorization, "from").ok_or(missing("payload.authorization.from"))?,
            to: parsed(authorization, "to").ok_or(missing("payload.authorization.to"))?,
            value: field("value", "payload.authorization.value")?,
            valid_after: field("validAfter", "payload.authorization.validAfter")?,
            valid_before: field("validBefore", "payload.authorization.validBefore")?,
            nonce: parsed(authorization, "nonce").ok_or(missing("payload.authorization.nonce"))?,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_have_one_form() {
        let most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
        assert_eq!(most.parse(), Ok(Uint256([255; 32])));
        for text in [
            "",
            "00",
            "0150000",
            "+1",
            "-1",
            " 1",
            "1 ",
            "1.0",
            "1e3",
            "0x1",
            "١",
            "115792089237316195423570985008687907853269984665640564039457584007913129639936",
            &"9".repeat(78),
            &"9".repeat(79),
        ] {
            assert_eq!(text.parse::<Uint256>(), Err(NotUint256), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn numbers_agree_with_the_machine(number: u64) {
            let read: Uint256 = number.to_string().parse().unwrap();
            prop_assert_eq!(read, Uint256::from(number));
            prop_assert_eq!(read.as_u64(), Some(number));
        }

        #[test]
        fn larger_numbers_agree_with_u128(number in u128::from(u64::MAX) + 1..) {
            let read: Uint256 = number.to_string().parse().unwrap();
            prop_assert_eq!(&read.as_bytes()[16..], &number.to_be_bytes());
            prop_assert_eq!(read.as_u64(), None);
        }
    }
}
