//! Takes money in the right order, which the types force.
//!
//! ```text
//! Payment -> Matched -> Checked -> Verified -> Held -> Settlement
//! ```
//! Each arrow consumes the value before it.
//! [`Verified`] comes only from [`Paygate::verify`] and cannot be cloned.
//! Work that requires one cannot start unpaid.
//! [`Held`] comes only from a [`Verified`] or from a store that kept one.
//! So only verified payments are settled.
//! A proof ends as a [`Wallet`].

use crate::check::Checked;
use crate::error::{Outage, PaymentError, Refusal, SettleFailure};
use crate::facilitator::{Facilitator, FacilitatorRequest, PaymentVerdict, SettleVerdict, Supported};
use crate::held::{Held, Verified};
use crate::quote::{Proof, Sale};
use crate::reason::ReasonKind;
use crate::settlement::{Settlement, SettlementEvidence};
use ibid_model::{Transaction, Wallet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tracing::Instrument as _;

/// First pause between two settle requests; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause between two settle requests.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);

/// Calls a facilitator and checks that its answers are about the payment in question.
#[derive(Clone)]
pub struct Paygate {
    facilitator: Arc<dyn Facilitator>,
}

/// Whether the facilitator may have been asked to settle this payment before, by any process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PriorAttempt {
    /// No request was sent.
    Never,
    /// Perhaps, with an unknown outcome.
    /// A refusal is then no proof, because the earlier request may have gone through,
    /// and a used nonce may have been used by another transfer or by a cancellation.
    Before {
        /// The transaction, if one was named.
        transaction: Option<Transaction>,
    },
}

impl Paygate {
    /// A gate in front of `facilitator`.
    #[must_use]
    pub fn new(facilitator: Arc<dyn Facilitator>) -> Self {
        Self { facilitator }
    }

    /// Asks whether the payment would go through.
    /// Its key should be claimed by now.
    ///
    /// # Errors
    /// [`PaymentError::Refused`] by verdict, [`PaymentError::Unavailable`] without one.
    /// Free the claim then.
    pub async fn verify(&self, checked: Checked<Sale>) -> Result<Verified, PaymentError> {
        self.ask(&checked.0.request).await?;
        Ok(Verified::new(checked))
    }

    /// Asks who signed a proof, and drops the payment.
    pub async fn identify(&self, checked: Checked<Proof>) -> Result<Wallet, PaymentError> {
        self.ask(&checked.0.request).await?;
        Ok(checked.key().payer)
    }

    /// Asks once to move the money.
    /// Let the store know before: after a crash in here, [`PriorAttempt::Before`] is the only safe assumption.
    ///
    /// # Errors
    /// [`SettleFailure::Refused`] is definite.
    /// After the others ask again, with [`PriorAttempt::after`].
    pub async fn settle(&self, held: &Held, asked: &PriorAttempt) -> Result<Settlement, SettleFailure> {
        let span = tracing::info_span!("x402.settle", payment.version = held.request().version.number());
        let verdict = self.facilitator.settle(held.request()).instrument(span).await;
        let verdict = verdict.map_err(|outage| {
            tracing::warn!(error = %outage, "payment.settle.no_verdict");
            SettleFailure::Unknown(outage)
        })?;
        match verdict {
            SettleVerdict::Settled {
                transaction,
                payer,
                network,
                amount,
            } => {
                let network = network.filter(|name| !name.is_empty());
                let elsewhere = network.is_some_and(|name| name.parse() != Ok(held.request().key.network));
                let other_amount = amount.is_some_and(|text| text != held.amount().get().to_string());
                let other_payer = payer.is_some_and(|payer| payer != held.request().key.payer);
                if elsewhere || other_amount || other_payer {
                    tracing::warn!(
                        elsewhere,
                        other_amount,
                        other_payer,
                        "payment.settle.contradiction"
                    );
                    return Err(SettleFailure::Unknown(Outage::Contradiction));
                }
                if transaction.is_none() {
                    tracing::warn!("payment.settle.no_transaction");
                    return Err(SettleFailure::Unknown(Outage::NoTransaction));
                }
                Ok(held.settlement(transaction, SettlementEvidence::Reported))
            }
            SettleVerdict::Failed { reason, transaction } => {
                tracing::warn!(reason = reason.text(), "payment.settle.refused");
                Err(match (reason.kind(), asked) {
                    (ReasonKind::Pending, PriorAttempt::Never | PriorAttempt::Before { .. }) => {
                        SettleFailure::Pending { transaction }
                    }
                    (_, PriorAttempt::Never) if reason.is_definite() && transaction.is_none() => {
                        SettleFailure::Refused(reason)
                    }
                    (_, PriorAttempt::Never | PriorAttempt::Before { .. }) => {
                        SettleFailure::Doubtful { reason, transaction }
                    }
                })
            }
        }
    }

    /// Asks to move the money, with the same bytes while the outcome is pending or unknown.
    /// Ends with a verdict or at `deadline`.
    /// Sends at least one request.
    ///
    /// # Errors
    /// As [`Self::settle`], of the last request.
    /// A pending transaction that was named once is named.
    pub async fn settle_until(
        &self,
        held: &Held,
        mut asked: PriorAttempt,
        deadline: Instant,
    ) -> Result<Settlement, SettleFailure> {
        let mut pause = FIRST_PAUSE;
        loop {
            let failure = match self.settle(held, &asked).await {
                Err(failure) => failure,
                settled => return settled,
            };
            asked = asked.after(&failure);
            let last = match failure {
                SettleFailure::Refused(_) | SettleFailure::Doubtful { .. } => return Err(failure),
                SettleFailure::Pending { .. } => SettleFailure::Pending {
                    transaction: asked.transaction().cloned(),
                },
                SettleFailure::Unknown(_) => failure,
            };
            if Instant::now() + pause >= deadline {
                return Err(last);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Returns the versions and networks that the facilitator supports.
    ///
    /// # Errors
    /// [`Outage`] if the facilitator does not list them.
    pub async fn supported(&self) -> Result<Supported, Outage> {
        self.facilitator.supported().await
    }

    /// Whether transactions are invented.
    pub fn is_sandbox(&self) -> bool {
        self.facilitator.is_sandbox()
    }

    async fn ask(&self, request: &FacilitatorRequest) -> Result<(), PaymentError> {
        let span = tracing::info_span!("x402.verify", payment.version = request.version.number());
        let verdict = self.facilitator.verify(request).instrument(span).await;
        let verdict = verdict.and_then(|verdict| match verdict {
            PaymentVerdict::Valid { payer: Some(payer) } if payer != request.key.payer => {
                Err(Outage::Contradiction)
            }
            verdict => Ok(verdict),
        });
        match verdict {
            Ok(PaymentVerdict::Valid { .. }) => Ok(()),
            Ok(PaymentVerdict::Invalid { reason }) => {
                tracing::info!(reason = reason.text(), "payment.verify.refused");
                Err(Refusal::Facilitator(reason).into())
            }
            Err(outage) => {
                tracing::warn!(error = %outage, "payment.verify.no_verdict");
                Err(outage.into())
            }
        }
    }
}

impl PriorAttempt {
    /// Returns the state after a request that ended in `failure`.
    #[must_use]
    pub fn after(self, failure: &SettleFailure) -> Self {
        match failure {
            SettleFailure::Refused(_) => self,
            SettleFailure::Unknown(outage) if !outage.may_have_acted() => self,
            SettleFailure::Unknown(_) => Self::Before {
                transaction: self.transaction().cloned(),
            },
            SettleFailure::Pending { transaction } | SettleFailure::Doubtful { transaction, .. } => {
                Self::Before {
                    transaction: transaction.clone().or_else(|| self.transaction().cloned()),
                }
            }
        }
    }

    fn transaction(&self) -> Option<&Transaction> {
        match self {
            Self::Never => None,
            Self::Before { transaction } => transaction.as_ref(),
        }
    }
}

impl fmt::Debug for Paygate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Paygate(..)")
    }
}

#[cfg(test)]
mod tests;
