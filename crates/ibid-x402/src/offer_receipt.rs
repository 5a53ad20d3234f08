//! The extension `offer-receipt`: offers and receipts that the seller has signed.
//!
//! A buyer can show them to a third party.
//! The form is EIP-712 of the extension: a domain without a contract, amounts and addresses as strings.

use crate::eip712::{address, keccak};
use crate::hex;
use crate::proto::exact::Uint256;
use crate::proto::v2;
use crate::settlement::SettleResponse;
use ibid_model::Wallet;
use jiff::Timestamp;
use k256::ecdsa::SigningKey;
use serde_json::{Value, json};
use std::fmt;
use url::Url;

pub(crate) const NAME: &str = "offer-receipt";
const DOMAIN_TYPE: &[u8] = b"EIP712Domain(string name,string version,uint256 chainId)";
const OFFER_TYPE: &[u8] = b"Offer(uint256 version,string resourceUrl,string scheme,string network,string asset,string payTo,string amount,uint256 validUntil)";
const RECEIPT_TYPE: &[u8] = b"Receipt(uint256 version,string network,string resourceUrl,string payer,uint256 issuedAt,string transaction)";
/// The key with which a seller signs offers and receipts.
/// It moves no money.
pub struct OfferSigner(SigningKey);

/// The text is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a secp256k1 key: 64 hexadecimal digits, with or without 0x")]
pub struct BadOfferKey;

impl OfferSigner {
    /// Reads a key of 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Result<Self, BadOfferKey> {
        let digits = text.trim().trim_start_matches("0x");
        let bytes = hex::decode(&format!("0x{digits}"), 32).ok_or(BadOfferKey)?;
        SigningKey::from_slice(&bytes).map(Self).map_err(|_| BadOfferKey)
    }

    /// The address that signatures recover to.
    pub fn address(&self) -> Wallet {
        address(self.0.verifying_key())
    }

    /// Signs an offer's entries, as an extension.
    pub(crate) fn offers(
        &self,
        resource: &Url,
        accepts: &[v2::PaymentRequirements],
        valid_until: Timestamp,
    ) -> Value {
        let until = seconds(valid_until);
        let offers = accepts.iter().enumerate().map(|(index, entry)| {
            let message = [
                number(1),
                text(resource.as_str()),
                text(entry.scheme),
                text(entry.network),
                text(&entry.asset),
                text(&entry.pay_to),
                text(&entry.amount),
                number(until),
            ];
            json!({
                "format": "eip712",
                "acceptIndex": index,
                "payload": {
                    "version": 1,
                    "resourceUrl": resource.as_str(),
                    "scheme": entry.scheme,
                    "network": entry.network,
                    "asset": entry.asset,
                    "payTo": entry.pay_to,
                    "amount": entry.amount,
                    "validUntil": until,
                },
                "signature": self.sign("x402 offer", OFFER_TYPE, &message),
            })
        });
        let offers: Vec<Value> = offers.collect();
        json!({"info": {"offers": offers}, "schema": schema("offers", "array")})
    }

    /// Signs a settlement's receipt, as an extension.
    pub(crate) fn receipt(&self, settlement: &SettleResponse, resource: &Url, now: Timestamp) -> Value {
        let (payer, issued) = (settlement.payer.to_string(), seconds(now));
        let message = [
            number(1),
            text(&settlement.network),
            text(resource.as_str()),
            text(&payer),
            number(issued),
            text(&settlement.transaction),
        ];
        let receipt = json!({
            "format": "eip712",
            "payload": {
                "version": 1,
                "network": settlement.network,
                "resourceUrl": resource.as_str(),
                "payer": payer,
                "issuedAt": issued,
                "transaction": settlement.transaction,
            },
            "signature": self.sign("x402 receipt", RECEIPT_TYPE, &message),
        });
        json!({NAME: {"info": {"receipt": receipt}, "schema": schema("receipt", "object")}})
    }

    fn sign(&self, domain: &str, kind: &[u8], message: &[[u8; 32]]) -> String {
        let separator = keccak(&[&keccak(&[DOMAIN_TYPE]), &text(domain), &text("1"), &number(1)]);
        let kind = keccak(&[kind]);
        let mut words: Vec<&[u8]> = vec![&kind];
        words.extend(message.iter().map(<[u8; 32]>::as_slice));
        let digest = keccak(&[b"\x19\x01", &separator, &keccak(&words)]);
        let (signature, recovery) = self.0.sign_prehash_recoverable(&digest);
        let mut bytes = signature.to_bytes().to_vec();
        bytes.push(27 + u8::from(recovery.is_y_odd()));
        hex::encode(&bytes)
    }
}

/// A string as EIP-712 hashes it.
fn text(text: &str) -> [u8; 32] {
    keccak(&[text.as_bytes()])
}

fn number(number: u64) -> [u8; 32] {
    *Uint256::from(number).as_bytes()
}

fn seconds(time: Timestamp) -> u64 {
    u64::try_from(time.as_second()).unwrap_or_default()
}

fn schema(member: &str, kind: &str) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {member: {"type": kind}},
        "required": [member],
    })
}

impl fmt::Debug for OfferSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OfferSigner({})", self.address())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::v1::Extra;

    #[test]
    fn signatures_are_those_of_the_reference_package() {
        let signer = OfferSigner::from_hex(&"11".repeat(32)).unwrap();
        assert_eq!(
            signer.address().to_string(),
            "0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a"
        );
        let resource = Url::parse("https://ibid.example/api/a2a/scan").unwrap();
        let at = Timestamp::from_second(1_900_000_000).unwrap();
        let entry = v2::PaymentRequirements {
            scheme: "exact",
            network: "eip155:84532",
            amount: "150000".to_owned(),
            asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e".to_owned(),
            pay_to: "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720".to_owned(),
            max_timeout_seconds: 600,
            extra: Extra {
                name: "USDC".to_owned(),
                version: "2".to_owned(),
            },
        };
        let offers = signer.offers(&resource, &[entry], at);
        let offer = &offers["info"]["offers"][0];
        assert_eq!(
            (&offer["format"], &offer["acceptIndex"]),
            (&json!("eip712"), &json!(0))
        );
        assert_eq!(
            offer["signature"],
            "0x330ff424d1860db497638e2165052b85a856aa815761518c9590a479e6d0e26f3bbac9956799027d2e80ea32eb358700e88963ec9d15cc8f9afa660f794b32c11c"
        );
        let settlement = SettleResponse {
            success: true,
            error_reason: None,
            transaction: "0xabc".to_owned(),
            network: "eip155:84532".to_owned(),
            payer: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8".parse().unwrap(),
            extensions: None,
        };
        let receipt = signer.receipt(&settlement, &resource, at);
        assert_eq!(
            receipt[NAME]["info"]["receipt"]["signature"],
            "0xa7c30903d3419b3586e289a96e0fbb5a3258b7c1c15da5fe2b7410c9fbaf56ad6570e38834bdcffadf622fb2ab1c212b52046bb6924d3fa7aeebbd843c26aa4b1b"
        );
    }

    #[test]
    fn a_bad_key_is_refused_and_a_good_one_not_shown() {
        for bad in [
            "",
            "0x",
            "11",
            &"00".repeat(32),
            &"ff".repeat(32),
            &"zz".repeat(32),
        ] {
            assert!(OfferSigner::from_hex(bad).is_err(), "{bad}");
        }
        let key = "12".repeat(32);
        let signer = OfferSigner::from_hex(&format!("0x{key}\n")).unwrap();
        assert!(!format!("{signer:?}").contains(&key));
    }
}
