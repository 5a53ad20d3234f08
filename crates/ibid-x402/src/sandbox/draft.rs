//! A buyer in process.
//! It makes payments as the reference clients do, and broken ones for tests.

use crate::eip712::SigningDomain;
use crate::header::{PAYMENT_SIGNATURE, X_PAYMENT, encode};
use crate::hex;
use crate::proto::exact::Authorization;
use crate::quote::PriceQuote;
use crate::sandbox::TestWallet;
use ibid_model::{Asset, Network, Nonce, Wallet, X402Version};
use jiff::Timestamp;
use serde_json::{Value, json};

/// A payment before it is signed.
/// Every field may be changed, to see what a server makes of it.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Version of the protocol.
    pub version: X402Version,
    /// Who gets the money.
    pub to: Wallet,
    /// The amount, as a decimal string.
    pub value: String,
    /// First valid second, as a decimal string.
    pub valid_after: String,
    /// The second from which it is no longer valid, as a decimal string.
    pub valid_before: String,
    /// The payer's number for this payment.
    pub nonce: Nonce,
    /// The chain that is signed for.
    pub network: Network,
    /// The token that is signed for.
    pub asset: Asset,
    /// What a payload has unsigned: scheme and network, or `accepted` and `resource`.
    pub envelope: Value,
}

/// A signed payment, ready to send.
#[derive(Clone, Debug)]
pub struct SignedDraft {
    version: X402Version,
    payload: Value,
}

impl Draft {
    /// Pays an offer like a stock client, valid for as long as offered.
    /// It is valid from ten minutes ago in version 1, and from 1970 in version 2.
    #[must_use]
    pub fn of<P>(quote: &PriceQuote<P>, version: X402Version, now: Timestamp, nonce: Nonce) -> Self {
        let (now, timeout) = (now.as_second(), i64::from(quote.v1().max_timeout_seconds));
        let (envelope, valid_after) = match version {
            X402Version::V1 => {
                let offer = quote.v1();
                (
                    json!({"scheme": offer.scheme, "network": offer.network}),
                    (now - 600).max(0),
                )
            }
            X402Version::V2 => {
                let resource = json!({"url": quote.resource().as_str()});
                (json!({"accepted": quote.v2(), "resource": resource}), 0)
            }
        };
        Self {
            version,
            to: quote.terms.pay_to(),
            value: quote.price.get().to_string(),
            valid_after: valid_after.to_string(),
            valid_before: (now + timeout).to_string(),
            nonce,
            network: quote.terms.network(),
            asset: quote.terms.asset().clone(),
            envelope,
        }
    }

    /// Signs as the payer.
    pub fn sign(&self, payer: &TestWallet) -> SignedDraft {
        self.sign_for(payer.address(), payer)
    }

    /// Signs a payment from `payer` with the key of `signer`.
    /// Whoever owns a wallet with code does so, or a forger.
    pub fn sign_for(&self, payer: Wallet, signer: &TestWallet) -> SignedDraft {
        let zero = || 0.into();
        let digest = SigningDomain::of(self.network, &self.asset).digest(&Authorization {
            from: payer,
            to: self.to,
            value: self.value.parse().unwrap_or_else(|_| zero()),
            valid_after: self.valid_after.parse().unwrap_or_else(|_| zero()),
            valid_before: self.valid_before.parse().unwrap_or_else(|_| zero()),
            nonce: self.nonce,
        });
        let mut payload = self.envelope.clone();
        payload["x402Version"] = self.version.number().into();
        payload["payload"] = json!({
            "signature": hex::encode(&signer.sign(&digest)),
            "authorization": {
                "from": payer,
                "to": self.to,
                "value": self.value,
                "validAfter": self.valid_after,
                "validBefore": self.valid_before,
                "nonce": self.nonce,
            },
        });
        SignedDraft {
            version: self.version,
            payload,
        }
    }
}

impl SignedDraft {
    /// The payload, to look at or to break.
    pub const fn payload_mut(&mut self) -> &mut Value {
        &mut self.payload
    }

    /// The payload, as agent messages carry it.
    pub const fn payload(&self) -> &Value {
        &self.payload
    }

    /// The request to a facilitator about it, as any party can send it.
    pub fn facilitator_body<P>(&self, quote: &PriceQuote<P>) -> String {
        let requirements = match self.version {
            X402Version::V1 => json!(quote.v1()),
            X402Version::V2 => json!(quote.v2()),
        };
        let version = self.version.number();
        json!({"x402Version": version, "paymentPayload": self.payload, "paymentRequirements": requirements})
            .to_string()
    }

    /// Name of the header that carries it.
    pub const fn header_name(&self) -> &'static str {
        match self.version {
            X402Version::V1 => X_PAYMENT,
            X402Version::V2 => PAYMENT_SIGNATURE,
        }
    }

    /// Value of that header.
    pub fn header(&self) -> String {
        encode(&self.payload)
    }
}
