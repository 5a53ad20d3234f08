//! The port to a facilitator, which reads a chain and moves money on it.

use crate::error::Outage;
use crate::reason::FacilitatorReason;
use ibid_model::{AtomicUsdc, Network, PaymentKey, Transaction, Wallet, X402Version};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// A boxed future, written out so that the port stays object safe.
pub type FacilitatorFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Outage>> + Send + 'a>>;

/// Judges payments and carries them out.
///
/// An implementation bounds every call in time and size.
/// It does not retry by itself.
pub trait Facilitator: Send + Sync + 'static {
    /// Whether the payment would go through now. Moves no money.
    ///
    /// # Errors
    /// [`Outage`] if there is no verdict.
    fn verify<'a>(&'a self, request: &'a FacilitatorRequest) -> FacilitatorFuture<'a, PaymentVerdict>;

    /// Moves the money.
    /// The same request may be sent again, because a payment goes through at most once.
    ///
    /// # Errors
    /// [`Outage`] without a verdict.
    /// [`Outage::may_have_acted`] is then true if money may have moved.
    fn settle<'a>(&'a self, request: &'a FacilitatorRequest) -> FacilitatorFuture<'a, SettleVerdict>;

    /// Returns the supported versions and networks.
    ///
    /// # Errors
    /// [`Outage`] if the facilitator does not list them.
    fn supported(&self) -> FacilitatorFuture<'_, Supported>;

    /// Whether transactions are invented.
    /// Results are then marked as such.
    fn is_sandbox(&self) -> bool {
        false
    }
}

/// The request to a facilitator about one payment, for both verification and settlement.
///
/// The body is made once, from the buyer's payment as sent and the offer.
/// A repeated settlement has identical bytes, at any replica and after a restart.
/// The body is never printed, because it contains the signature.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FacilitatorRequest {
    #[serde(rename = "x402Version")]
    pub(crate) version: X402Version,
    pub(crate) key: PaymentKey,
    pub(crate) amount: AtomicUsdc,
    body: String,
}

/// A facilitator's verdict on a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentVerdict {
    /// The payment would go through.
    Valid {
        /// The wallet that pays, if the facilitator named it.
        payer: Option<Wallet>,
    },
    /// The payment would not go through.
    Invalid {
        /// The reason.
        reason: FacilitatorReason,
    },
}

/// A facilitator's verdict on a settlement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleVerdict {
    /// The money moved.
    Settled {
        /// The transaction, if it was named.
        transaction: Option<Transaction>,
        /// The wallet that paid, if the facilitator named it.
        payer: Option<Wallet>,
        /// The chain, if the facilitator named it; in either form of the name.
        network: Option<String>,
        /// The amount in atomic units, if the facilitator named it.
        amount: Option<String>,
    },
    /// The money did not move, or not yet.
    Failed {
        /// The reason.
        reason: FacilitatorReason,
        /// The transaction, if one was sent to the chain.
        transaction: Option<Transaction>,
    },
}

/// The versions and networks that a facilitator supports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Supported {
    /// Pairs of version and network name for which it takes the scheme `exact`.
    pub exact: Vec<(X402Version, String)>,
    /// The accounts that send its transactions, as far as it names them.
    pub signers: Vec<Wallet>,
}

impl Supported {
    /// Whether payments of `version` on `network` are taken.
    pub fn takes(&self, version: X402Version, network: Network) -> bool {
        let namespace = "eip155:*";
        self.exact.iter().any(|(known, name)| {
            *known == version
                && (name == network.in_version(version) || (version == X402Version::V2 && name == namespace))
        })
    }
}

impl FacilitatorRequest {
    /// `payload` and `requirements` are JSON texts.
    pub(crate) fn new(
        version: X402Version,
        key: PaymentKey,
        amount: AtomicUsdc,
        payload: &str,
        requirements: &str,
    ) -> Self {
        let number = version.number();
        let body = format!(
            r#"{{"x402Version":{number},"paymentPayload":{payload},"paymentRequirements":{requirements}}}"#
        );
        Self {
            version,
            key,
            amount,
            body,
        }
    }

    /// Which protocol version the buyer speaks.
    pub const fn version(&self) -> X402Version {
        self.version
    }

    /// What the chain tells the payment by.
    pub const fn key(&self) -> &PaymentKey {
        &self.key
    }

    /// The amount that is paid.
    pub const fn amount(&self) -> AtomicUsdc {
        self.amount
    }

    /// The JSON body to send: a secret until the payment is settled.
    pub fn expose_body(&self) -> &str {
        &self.body
    }
}

impl fmt::Debug for FacilitatorRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FacilitatorRequest({:?}, ..)", self.version)
    }
}
