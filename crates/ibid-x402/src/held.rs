//! A payment that was verified, before and after the work is done.

use crate::chain::ExpectedTransfer;
use crate::check::{Checked, Fingerprint, expires};
use crate::error::SettleFailure;
use crate::facilitator::FacilitatorRequest;
use crate::quote::Sale;
use crate::settlement::{SettleResponse, Settlement, SettlementEvidence};
use ibid_model::{AtomicUsdc, Network, PaymentKey, Product, Transaction, Wallet, X402Version};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A payment that a facilitator holds good: the licence to start the work, once.
///
/// It cannot be copied, so it cannot start two runs:
/// ```compile_fail
/// fn twice(verified: ibid_x402::Verified) -> (ibid_x402::Held, ibid_x402::Held) {
///     (verified.clone().hold(), verified.hold())
/// }
/// ```
/// A proof of a wallet never becomes one:
/// ```compile_fail
/// use ibid_x402::{Checked, Paygate, PaymentError, Proof, Verified};
/// async fn settle_a_proof(gate: Paygate, proof: Checked<Proof>) -> Result<Verified, PaymentError> {
///     gate.verify(proof).await
/// }
/// ```
/// This compiles:
/// ```
/// use ibid_x402::{PriorAttempt, Checked, Held, Paygate, PaymentError, SettleFailure, Settlement};
/// async fn sell(gate: Paygate, checked: Checked) -> Result<Held, PaymentError> {
///     let verified = gate.verify(checked).await?;
///     // Do the work, keep its result and the held payment together, then settle.
///     Ok(verified.hold())
/// }
/// async fn settle(gate: Paygate, held: &Held) -> Result<Settlement, SettleFailure> {
///     gate.settle(held, &PriorAttempt::Never).await
/// }
/// ```
pub struct Verified(Held);

/// A verified payment with a finished result, stored until the money has moved.
///
/// It holds all data of a settlement, byte for byte, so another process can settle it again after a crash.
/// Keep it as secret as money, because it contains the signed payload.
/// Drop it after the settlement.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Held {
    product: Product,
    fingerprint: Fingerprint,
    valid_before: u64,
    request: FacilitatorRequest,
}

impl Verified {
    /// Only [`crate::Paygate::verify`] calls this, after a facilitator has accepted the payment.
    pub(crate) fn new(checked: Checked<Sale>) -> Self {
        let matched = checked.0;
        Self(Held {
            product: matched.purpose.0,
            fingerprint: matched.fingerprint,
            valid_before: matched.valid_before,
            request: matched.request,
        })
    }

    /// The product that was bought.
    pub const fn product(&self) -> Product {
        self.0.product
    }

    /// What the chain tells the payment by.
    pub const fn key(&self) -> &PaymentKey {
        self.0.key()
    }

    /// The moment from which it can no longer be settled.
    pub fn expires(&self) -> Timestamp {
        self.0.expires()
    }

    /// Turns it into the record that is stored with the finished result.
    pub fn hold(self) -> Held {
        self.0
    }
}

impl Held {
    /// The product that was bought.
    pub const fn product(&self) -> Product {
        self.product
    }

    /// What the chain tells the payment by.
    pub const fn key(&self) -> &PaymentKey {
        &self.request.key
    }

    /// The digest that a returning buyer has to present again.
    pub const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The amount that is paid.
    pub const fn amount(&self) -> AtomicUsdc {
        self.request.amount
    }

    /// Which protocol version the buyer speaks.
    pub const fn version(&self) -> X402Version {
        self.request.version
    }

    /// When the authorization ends. No settlement succeeds after it.
    pub fn expires(&self) -> Timestamp {
        expires(self.valid_before)
    }

    /// The transfer to `pay_to` that the chain shows if the payment went through.
    pub const fn expected(&self, pay_to: Wallet) -> ExpectedTransfer {
        ExpectedTransfer {
            version: self.request.version,
            key: self.request.key,
            product: self.product,
            amount: self.request.amount,
            pay_to,
            valid_before: self.valid_before,
            since: None,
        }
    }

    /// The answer to the buyer about a failed settlement.
    pub fn failed(&self, failure: &SettleFailure) -> SettleResponse {
        let (reason, transaction) = match failure {
            SettleFailure::Refused(reason) => (reason.to_string(), None),
            SettleFailure::Pending { transaction } => ("settlement_pending".to_owned(), transaction.as_ref()),
            SettleFailure::Unknown(_) | SettleFailure::Doubtful { .. } => {
                ("settlement_unknown".to_owned(), None)
            }
        };
        SettleResponse {
            success: false,
            error_reason: Some(reason),
            transaction: transaction.map_or_else(String::new, Transaction::to_string),
            network: self.network().in_version(self.version()).to_owned(),
            payer: self.key().payer,
            extensions: None,
        }
    }

    pub(crate) const fn request(&self) -> &FacilitatorRequest {
        &self.request
    }

    fn network(&self) -> Network {
        self.request.key.network
    }

    pub(crate) fn settlement(
        &self,
        transaction: Option<Transaction>,
        evidence: SettlementEvidence,
    ) -> Settlement {
        Settlement {
            version: self.request.version,
            key: self.request.key,
            product: self.product,
            amount: self.request.amount,
            transaction,
            evidence,
        }
    }
}

impl fmt::Debug for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verified({}, ..)", self.0.product)
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Held({}, ..)", self.product)
    }
}
