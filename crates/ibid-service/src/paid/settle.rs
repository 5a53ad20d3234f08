//! Settling a held payment, at most once, and deciding unknown outcomes by evidence of the chain.

use super::evidence::{FINAL_AFTER, Look, decide, store_receipt};
use super::sales::Sales;
use crate::clock::{millis, now_ms};
use crate::error::Error;
use crate::failure;
use crate::payment_due::PaymentDue;
use ibid_store::{Lease, Millis, PaymentState, PaymentStep, StoreError, UnsettledPayment};
use ibid_x402::{
    ExpectedTransfer, Held, PriceQuote, PriorAttempt, Refusal, Sale, SettleFailure, SettleResponse,
    Settlement,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// First pause between two requests to settle; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// Longest pause of the background between two tries.
const MINUTE: Duration = Duration::from_secs(60);
/// No further try is due.
const NEVER: Millis = Millis::MAX;

/// A held result to be settled.
pub(super) struct Settling {
    pub(super) lease: Lease,
    /// `None` if the signed payload was erased.
    /// Then only the chain can decide.
    held: Option<Held>,
    /// `None` if neither the row nor the signed payload contains it.
    expected: Option<ExpectedTransfer>,
    /// When the authorization ends.
    expires: Millis,
    asked: PriorAttempt,
    /// Whether the store has yet to write that the settlement begins.
    is_left_behind: bool,
    resource: String,
    tries: u32,
    /// Whether the chain gave no answer in this attempt. It is not asked again then: the buyer may be waiting,
    /// and a hanging node takes its whole time limit.
    unanswered: AtomicBool,
}

pub(super) enum SettleOutcome {
    /// The money has moved.
    Settled(SettleResponse),
    /// The facilitator refused before it sent a transaction, or the chain shows that the money can never move.
    Refused(Refusal, SettleResponse),
    /// The authorization was used for something else, and the money may have moved.
    Spent,
    /// The outcome is not known yet; ask again after this time.
    Unknown(Duration),
    /// Another process has taken the settlement over, because the lease of this one ended.
    TakenOver,
}

impl SettleOutcome {
    /// The settlement, or the error for the buyer.
    pub(super) fn or_due(self, quote: &PriceQuote<Sale>) -> Result<SettleResponse, Error> {
        match self {
            Self::Settled(response) => Ok(response),
            Self::Refused(refusal, response) => Err(Error::SettlementRefused {
                due: PaymentDue::sale(quote),
                code: refusal.code(),
                response: Box::new(response),
            }),
            Self::Spent => Err(Error::PaymentSpent),
            Self::Unknown(retry_after) => Err(Error::SettlementUnknown { retry_after }),
            Self::TakenOver => Err(Error::SettlementUnknown {
                retry_after: Duration::from_secs(1),
            }),
        }
    }
}

impl Settling {
    /// A settlement that was certainly never requested before. The store has its begin.
    pub(super) fn first(lease: Lease, held: Held, expected: ExpectedTransfer, resource: String) -> Self {
        Self {
            lease,
            expected: Some(expected),
            expires: held.expires().as_millisecond(),
            held: Some(held),
            asked: PriorAttempt::Never,
            is_left_behind: false,
            resource,
            tries: 0,
            unanswered: AtomicBool::new(false),
        }
    }
}

impl Sales {
    /// A settlement that was left behind.
    pub(super) fn again(&self, unsettled: UnsettledPayment) -> Settling {
        let held: Option<Held> = serde_json::from_slice(&unsettled.held).ok();
        let stored = unsettled
            .expected
            .and_then(|text| serde_json::from_str(&text).ok());
        let pay_to = self.settings.terms.recipient(&unsettled.lease.key);
        Settling {
            lease: unsettled.lease,
            expected: stored.or_else(|| held.as_ref().map(|held| held.expected(pay_to))),
            expires: unsettled.expires,
            held,
            asked: match (unsettled.sent, unsettled.transaction) {
                (true, transaction) => PriorAttempt::Before { transaction },
                (false, _) => PriorAttempt::Never,
            },
            is_left_behind: true,
            resource: unsettled.resource,
            tries: unsettled.tries,
            unanswered: AtomicBool::new(false),
        }
    }

    /// Settles a payment taken over by the background.
    /// A refused one is only looked up on the chain: the facilitator is asked again when the buyer presents it.
    pub(super) async fn settle_due(&self, unsettled: UnsettledPayment) -> Result<SettleOutcome, Error> {
        if unsettled.state != PaymentState::Refused {
            return self.settle(self.again(unsettled)).await;
        }
        let settling = self.again(unsettled);
        match self.decide_by_chain(&settling).await {
            Some(outcome) => Ok(outcome),
            None => {
                let next_look = match self.settings.chain {
                    Some(_) => now_ms().max(settling.expires) + millis(FINAL_AFTER),
                    None => NEVER,
                };
                self.refuse(settling.lease, next_look).await?;
                Ok(SettleOutcome::Unknown(MINUTE))
            }
        }
    }

    /// Asks the facilitator to settle, again with the same bytes while the outcome is unknown, and stores the outcome.
    /// After every inconclusive failure it looks at the chain.
    ///
    /// # Errors
    /// The store failed before a request was sent.
    /// After a request may have been sent, a failing store is [`SettleOutcome::Unknown`]:
    /// recovery finds the payment as it was left.
    pub(super) async fn settle(&self, settling: Settling) -> Result<SettleOutcome, Error> {
        if matches!(settling.asked, PriorAttempt::Before { .. })
            && let Some(outcome) = self.decide_by_chain(&settling).await
        {
            return Ok(outcome);
        }
        let (timing, lease, wait) = (self.settings.timing, settling.lease, self.pause(settling.tries));
        let Some(held) = &settling.held else {
            self.postpone(&settling, settling.asked.clone()).await;
            return Ok(SettleOutcome::Unknown(MINUTE));
        };
        if settling.is_left_behind {
            match self.apply_payment_steps(lease, &[PaymentStep::Settle]).await {
                Ok(()) => {}
                Err(StoreError::Lost) => return Ok(SettleOutcome::TakenOver),
                Err(error) => return Err(error.into()),
            }
        }
        let deadline = Instant::now() + timing.settle;
        let mut pause = FIRST_PAUSE;
        let mut asked = settling.asked.clone();
        let failure = loop {
            let failure = match self
                .latency
                .settle
                .count(self.settings.gate.settle(held, &asked))
                .await
            {
                Ok(settlement) => return Ok(self.settled(&settling, &settlement).await),
                Err(failure) => failure,
            };
            if matches!(failure, SettleFailure::Refused(_)) {
                break failure;
            }
            asked = asked.after(&failure);
            if matches!(asked, PriorAttempt::Before { .. })
                && let Some(outcome) = self.decide_by_chain(&settling).await
            {
                return Ok(outcome);
            }
            // A doubtful refusal does not change by asking again at once.
            if matches!(failure, SettleFailure::Doubtful { .. }) || Instant::now() + pause >= deadline {
                break failure;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        };
        tracing::warn!(error = %failure, tries = settling.tries, "payment.settle.failed");
        let response = held.failed(&failure);
        let (stored, reason) = match failure {
            SettleFailure::Refused(reason) => {
                let next_look = match self.settings.chain {
                    Some(_) => settling.expires.saturating_add(millis(FINAL_AFTER)),
                    None => NEVER,
                };
                (self.refuse(lease, next_look).await, reason)
            }
            SettleFailure::Doubtful { .. } | SettleFailure::Pending { .. } | SettleFailure::Unknown(_) => {
                self.postpone(&settling, asked).await;
                return Ok(SettleOutcome::Unknown(wait));
            }
        };
        match stored {
            Ok(()) => Ok(SettleOutcome::Refused(Refusal::Facilitator(reason), response)),
            Err(StoreError::Lost) => Ok(SettleOutcome::TakenOver),
            Err(error) => {
                tracing::error!(
                    error = failure::chain(&error),
                    "payment.settle.refusal_not_stored"
                );
                Ok(SettleOutcome::Unknown(wait))
            }
        }
    }

    /// Looks at the chain, unless it gave no answer before in this attempt, and stores the outcome
    /// if the evidence decides the payment.
    /// `None` without a reader, an answer or decisive evidence.
    pub(super) async fn decide_by_chain(&self, settling: &Settling) -> Option<SettleOutcome> {
        let (chain, expected) = (self.settings.chain.as_ref()?, settling.expected.as_ref()?);
        if settling.unanswered.load(Ordering::Relaxed) {
            return None;
        }
        let (db, lease) = (&self.runs.db, settling.lease);
        match decide(db, &**chain, lease, expected, &settling.resource).await {
            Ok(Look::Decided(decision)) => Some(decision.into_outcome(expected)),
            Ok(Look::Open) => None,
            Ok(Look::Unanswered) => {
                settling.unanswered.store(true, Ordering::Relaxed);
                None
            }
            Err(StoreError::Lost) => Some(SettleOutcome::TakenOver),
            Err(error) => {
                tracing::error!(
                    error = failure::chain(&error),
                    "payment.chain.decision_not_stored"
                );
                Some(SettleOutcome::Unknown(self.pause(settling.tries)))
            }
        }
    }

    /// Leaves the payment to the next attempt.
    pub(super) async fn postpone(&self, settling: &Settling, asked: PriorAttempt) {
        let lease = settling.lease;
        let over = now_ms() > settling.expires;
        let next_try = match (&self.settings.chain, &settling.held) {
            (Some(_), _) => now_ms() + millis(self.pause(settling.tries)),
            (None, Some(_)) if over => now_ms() + millis(MINUTE * 30),
            (None, Some(_)) => now_ms() + millis(self.pause(settling.tries)),
            // Without a payload and a reader no attempt is possible.
            (None, None) => NEVER,
        };
        let written = self.runs.db.call(move |store| match asked {
            PriorAttempt::Never => store.apply_steps(&lease, &[PaymentStep::Unsent], now_ms()),
            PriorAttempt::Before { transaction } => {
                store.pend(&lease, transaction.as_ref(), next_try, now_ms())
            }
        });
        if let Err(error) = written.await {
            // Another round finds it when its lease ends.
            tracing::warn!(error = failure::chain(&error), "payment.settle.not_postponed");
        }
    }

    /// The pause before the next attempt of the background.
    pub(super) fn pause(&self, tries: u32) -> Duration {
        (self.settings.timing.retry * 2_u32.saturating_pow(tries.min(16))).min(MINUTE)
    }

    async fn refuse(&self, lease: Lease, next_look: Millis) -> Result<(), StoreError> {
        let db = &self.runs.db;
        db.call(move |store| store.refuse(&lease, next_look, now_ms()))
            .await
    }

    /// Stores the receipt of a transfer reported by the facilitator.
    async fn settled(&self, settling: &Settling, settlement: &Settlement) -> SettleOutcome {
        let (db, resource) = (&self.runs.db, settling.resource.clone());
        let look_at = Some(now_ms() + millis(self.first_look()));
        match store_receipt(db, settling.lease, settlement, resource, look_at).await {
            Ok(()) => SettleOutcome::Settled(settlement.response()),
            Err(StoreError::Lost) => SettleOutcome::TakenOver,
            Err(_) => SettleOutcome::Unknown(self.pause(settling.tries)),
        }
    }
}
