//! The ways to pay for a job.

use crate::job::CallerId;
use crate::paid::PaymentOffer;
use ibid_model::AccountId;
use ibid_provider::ProviderKey;
use std::net::IpAddr;

/// A caller's way to pay. Untrusted until admitted.
#[derive(Debug)]
pub enum Billing {
    /// The caller's own provider key pays the models; the service charges nothing.
    Byok {
        /// The caller whose limits apply.
        caller: CallerId,
        key: ProviderKey,
    },
    /// The caller buys the result; the operator's key pays the models.
    Payment(Box<PaymentOffer>),
    /// An account of the workspace spends a credit; the operator's key pays the models.
    /// A page audit takes no credit.
    Credit(AccountId),
    /// A page audit for a service key's holder. It asks no model, so it is free; it counts as one scan of the caller's
    /// limits and is not stored.
    FreeAudit {
        /// The caller whose limits apply.
        caller: CallerId,
    },
    /// The free question; the operator's key pays the model.
    Demo {
        /// The address whose daily share it counts against.
        address: IpAddr,
    },
}
