//! Hashes what a transfer signs, and recovers who signed it.
//!
//! `TransferWithAuthorization` of EIP-3009, hashed by EIP-712.
//! The type is fixed and has no dynamic members, so the hash is two constants and eight words.
//! A general encoder is not needed.
//! The crate's docs explain why it uses `k256` and `sha3`.

use crate::proto::exact::{Authorization, Uint256};
use ibid_model::{Asset, Network, Wallet};
use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
use sha3::{Digest as _, Keccak256};

/// keccak256 of `EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)`.
const DOMAIN_TYPE: &[u8] =
    b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
/// As EIP-3009 writes it.
const TRANSFER_TYPE: &[u8] = b"TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";

/// keccak256 of some bytes in a row.
pub(crate) fn keccak(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Keccak256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// The EIP-712 domain of a token on a chain, ready to hash under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SigningDomain {
    separator: [u8; 32],
    transfer_type: [u8; 32],
}

impl SigningDomain {
    pub(crate) fn of(network: Network, asset: &Asset) -> Self {
        let separator = keccak(&[
            &keccak(&[DOMAIN_TYPE]),
            &keccak(&[asset.name.as_bytes()]),
            &keccak(&[asset.version.as_bytes()]),
            Uint256::from(network.chain_id()).as_bytes(),
            &word(asset.contract.as_bytes()),
        ]);
        Self {
            separator,
            transfer_type: keccak(&[TRANSFER_TYPE]),
        }
    }

    /// The 32 bytes that are signed.
    pub(crate) fn digest(&self, authorization: &Authorization) -> [u8; 32] {
        let Authorization {
            from,
            to,
            value,
            valid_after,
            valid_before,
            nonce,
        } = authorization;
        let message = keccak(&[
            &self.transfer_type,
            &word(from.as_bytes()),
            &word(to.as_bytes()),
            value.as_bytes(),
            valid_after.as_bytes(),
            valid_before.as_bytes(),
            nonce.as_bytes(),
        ]);
        keccak(&[b"\x19\x01", &self.separator, &message])
    }
}

/// An address as a 32-byte word.
fn word(address: &[u8; 20]) -> [u8; 32] {
    let mut word = [0; 32];
    word[12..].copy_from_slice(address);
    word
}

/// A signature as the token contract reads it.
pub(crate) enum SignatureForm {
    /// 65 bytes that a key holder can have made.
    Ecdsa(EcdsaSignature),
    /// Any other length: for a wallet with code, which alone can judge it (EIP-1271).
    Contract,
}

/// 65 bytes in the form that the token accepts.
/// r and s are in range, s is low, and v is 27 or 28.
pub(crate) struct EcdsaSignature {
    signature: Signature,
    recovery: RecoveryId,
}

/// 65 bytes whose form the token refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadForm;

impl SignatureForm {
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, BadForm> {
        let Ok([rs @ .., v]) = <&[u8; 65]>::try_from(bytes) else {
            return Ok(Self::Contract);
        };
        let recovery = match v {
            27 => RecoveryId::new(false, false),
            28 => RecoveryId::new(true, false),
            _ => return Err(BadForm),
        };
        let signature = Signature::from_slice(rs).map_err(|_| BadForm)?;
        // The token takes only the lower value of s, so that each signature has one form.
        if signature.normalize_s() != signature {
            return Err(BadForm);
        }
        Ok(Self::Ecdsa(EcdsaSignature { signature, recovery }))
    }
}

impl EcdsaSignature {
    /// Returns the address of the key that signed `digest`; `None` if no key fits.
    pub(crate) fn signer(&self, digest: &[u8; 32]) -> Option<Wallet> {
        let key = VerifyingKey::recover_from_prehash(digest, &self.signature, self.recovery).ok()?;
        Some(address(&key))
    }
}

/// Returns the address that belongs to a key: the last 20 bytes of its point's hash.
pub(crate) fn address(key: &VerifyingKey) -> Wallet {
    let point = key.to_sec1_point(false);
    // The first byte names the encoding and is not part of the point.
    let hash = keccak(&[point.as_bytes().get(1..).unwrap_or_default()]);
    let mut address = [0; 20];
    address.copy_from_slice(&hash[12..]);
    Wallet::from_bytes(address)
}

/// An address in the mixed case that carries its checksum (ERC-55).
/// Some clients refuse other mixed forms, and people compare this one.
pub(crate) fn checksummed(address: &[u8; 20]) -> String {
    let plain = Wallet::from_bytes(*address).to_string();
    let hash = keccak(&[plain.trim_start_matches("0x").as_bytes()]);
    let digits = plain.chars().skip(2).enumerate();
    let cased = digits.map(|(index, digit)| {
        let nibble = hash[index / 2] >> (if index % 2 == 0 { 4 } else { 0 }) & 0xf;
        if nibble >= 8 {
            digit.to_ascii_uppercase()
        } else {
            digit
        }
    });
    "0x".chars().chain(cased).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    fn domain(network: Network) -> SigningDomain {
        SigningDomain::of(network, &Asset::usdc(network))
    }

    fn ecdsa(signature: &str) -> EcdsaSignature {
        match SignatureForm::of(&hex::decode(signature, 65).unwrap()).unwrap() {
            SignatureForm::Ecdsa(signature) => signature,
            SignatureForm::Contract => panic!("not 65 bytes"),
        }
    }

    #[test]
    fn constants_are_those_of_the_token() {
        let domain = domain(Network::BaseSepolia);
        assert_eq!(
            hex::encode(&domain.transfer_type),
            "0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267"
        );
        assert_eq!(
            hex::encode(&domain.separator),
            "0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818"
        );
    }

    #[test]
    fn the_specifications_example_recovers() {
        let authorization = Authorization {
            from: "0x857b06519E91e3A54538791bDbb0E22373e36b66".parse().unwrap(),
            to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C".parse().unwrap(),
            value: "10000".parse().unwrap(),
            valid_after: "1740672089".parse().unwrap(),
            valid_before: "1740672154".parse().unwrap(),
            nonce: "0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480"
                .parse()
                .unwrap(),
        };
        let digest = domain(Network::BaseSepolia).digest(&authorization);
        assert_eq!(
            hex::encode(&digest),
            "0xf256992871671abcb27ff92885a7afa46218724e5fc0bac35d050115aa1d22e6"
        );
        let signature = ecdsa(
            "0x2d6a7588d6acca505cbf0d9a4a227e0c52c6c34008c8e8986a1283259764173608a2ce6496642e377d6da8dbbf5836e9bd15092f9ecab05ded3d6293af148b571c",
        );
        assert_eq!(signature.signer(&digest), Some(authorization.from));
    }

    #[test]
    fn a_test_wallets_signature_recovers() {
        let authorization = Authorization {
            from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8".parse().unwrap(),
            to: "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720".parse().unwrap(),
            value: 150_000.into(),
            valid_after: 0.into(),
            valid_before: 1_900_000_000.into(),
            nonce: ibid_model::Nonce::from_bytes([0x11; 32]),
        };
        let signature = ecdsa(
            "0x5658b8fe5ec2a70f4aba25c95171c2d13bf7d694507f51d03e1fe759d24c0cd73b0bbd6c7583c670bcf9d7db1ca47c5ac9262bf4e43950e3a6a5cf8b45c21fc51b",
        );
        let digest = domain(Network::BaseSepolia).digest(&authorization);
        assert_eq!(
            hex::encode(&digest),
            "0xe09b7d2dc3e1eeea11552ac217a2357a0a42deb2512bb52621b3a379ae6f2ded"
        );
        assert_eq!(signature.signer(&digest), Some(authorization.from));
        // Another chain has another domain, so the same signature is invalid there.
        let elsewhere = domain(Network::Base).digest(&authorization);
        assert_ne!(signature.signer(&elsewhere), Some(authorization.from));
    }

    #[test]
    fn forms_that_the_token_refuses() {
        let good = hex::decode(
            "0x5658b8fe5ec2a70f4aba25c95171c2d13bf7d694507f51d03e1fe759d24c0cd73b0bbd6c7583c670bcf9d7db1ca47c5ac9262bf4e43950e3a6a5cf8b45c21fc51b",
            65,
        )
        .unwrap();
        let with = |at: std::ops::Range<usize>, byte: u8| {
            let mut bytes = good.clone();
            bytes[at].fill(byte);
            SignatureForm::of(&bytes).map(|_| ())
        };
        assert_eq!(with(64..65, 28), Ok(()));
        for v in [0, 1, 26, 29, 255] {
            assert_eq!(with(64..65, v), Err(BadForm), "v {v}");
        }
        assert_eq!(with(0..32, 0), Err(BadForm), "r zero");
        assert_eq!(with(0..32, 255), Err(BadForm), "r beyond the order");
        assert_eq!(with(32..64, 0), Err(BadForm), "s zero");
        assert_eq!(with(32..33, 0x80), Err(BadForm), "s high");
        assert!(matches!(
            SignatureForm::of(&good[..64]),
            Ok(SignatureForm::Contract)
        ));
        assert!(matches!(SignatureForm::of(&[0; 66]), Ok(SignatureForm::Contract)));
    }

    #[test]
    fn addresses_carry_their_checksum() {
        for text in [
            "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
            "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720",
        ] {
            assert_eq!(checksummed(text.parse::<Wallet>().unwrap().as_bytes()), text);
        }
    }
}
