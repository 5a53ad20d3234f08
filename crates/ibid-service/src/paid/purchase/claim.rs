//! Claiming a payment and verifying it.

use super::{Admission, LONGEST_WAIT, Purchase, refused};
use crate::clock::{millis, now_ms};
use crate::error::Error;
use crate::job::Job;
use crate::paid::sales::BUSY_FOR;
use crate::paid::single_flight::{FirstRequest, Identity};
use crate::runs::permit::SoldPermit;
use ibid_store::{
    Begun, ClaimMode, ClaimOutcome, ExposureLimit, Lease, Millis, PaymentClaim, UnsettledPayment,
};
use ibid_x402::{
    Checked, Fingerprint, Matched, PaymentError, PaymentIdentifier, PriceQuote, PriorAttempt, ReasonKind,
    Refusal, Rules, SETTLE_MARGIN, Sale, Signer,
};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// The time in which failed orders are counted.
const HOUR: Duration = Duration::from_secs(3_600);

/// The pause between two reads of a payment that another process works on.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

impl Purchase {
    /// Claims the payment and asks the facilitator to verify it.
    pub(super) async fn admit(&mut self, matched: Matched, first: &FirstRequest) -> Result<Admission, Error> {
        let signer = matched.signer();
        let work = self.job.as_ref().map_or(Duration::ZERO, Job::time_limit);
        let now = Timestamp::now();
        let checked = matched.in_time(
            now,
            Rules {
                work: Duration::ZERO,
                ..Rules::default()
            },
        );
        // Work that would outlast the payment is not begun. A stored result can still be fetched,
        // and a queued scan ends before the payment expires.
        let (entry, too_late) = match &checked {
            Err(refusal) => (ClaimMode::OnlyReturn, Some(refusal.clone())),
            Ok(checked)
                if checked.expires().as_second() < now.as_second() + seconds(SETTLE_MARGIN + work) =>
            {
                (ClaimMode::MayContinue, Some(Refusal::Expired))
            }
            Ok(_) => (ClaimMode::MayStart, None),
        };
        let expires = checked
            .as_ref()
            .map_or(0, |checked| checked.expires().as_millisecond());
        // A forged payment leaves no claim while there is no place to verify it.
        // A stored result needs no place.
        let (claimed, place) = match signer {
            Signer::KeyHolder => (self.claim(expires, entry).await?, None),
            Signer::Unproven => match self.claim(expires, ClaimMode::OnlyReturn).await? {
                ClaimOutcome::Unknown if entry != ClaimMode::OnlyReturn => {
                    let place = self.sales.unproven_place(self.caller)?;
                    (self.claim(expires, entry).await?, Some(place))
                }
                known => (known, None),
            },
        };
        if let ClaimOutcome::Identified { key, fingerprint } = claimed {
            self.prove_identity(signer, checked, place).await?;
            // From here on the other payment's order counts; this payment is never used.
            self.key = key;
            self.identity.fingerprint = Fingerprint::from_bytes(fingerprint);
            self.identifier = None;
            return match self.claim(0, ClaimMode::OnlyReturn).await? {
                ClaimOutcome::Settle(unsettled) => {
                    first.keep(unsettled.lease);
                    Ok(Admission::Settle(unsettled))
                }
                ClaimOutcome::Sold(sold) => Ok(Admission::Sold(sold)),
                ClaimOutcome::Owed(owed) => Ok(Admission::Owed(owed)),
                ClaimOutcome::Retry(unsettled) => {
                    self.sales.apply_payment_steps(unsettled.lease, &[]).await?;
                    Err(order_failed())
                }
                // The other order has won its claim, and is for something else.
                ClaimOutcome::Used => Err(Error::PaymentIdentifierUsed),
                ClaimOutcome::Spent => Err(Error::PaymentSpent),
                ClaimOutcome::Start(_)
                | ClaimOutcome::Wait
                | ClaimOutcome::Unknown
                | ClaimOutcome::Identified { .. }
                | ClaimOutcome::IdentifierUsed => Err(order_failed()),
            };
        }
        match claimed {
            ClaimOutcome::Start(lease) => {
                first.keep(lease);
                let admitted = match self.checked(checked) {
                    Ok(checked) => self.start(lease, checked, place).await,
                    Err(error) => Err(error),
                };
                if admitted.is_err() {
                    self.free(lease).await;
                }
                admitted
            }
            ClaimOutcome::Retry(unsettled) => {
                first.keep(unsettled.lease);
                self.retry(unsettled, checked).await
            }
            ClaimOutcome::Settle(unsettled) => {
                first.keep(unsettled.lease);
                Ok(Admission::Settle(unsettled))
            }
            ClaimOutcome::Sold(sold) => Ok(Admission::Sold(sold)),
            ClaimOutcome::Owed(owed) => Ok(Admission::Owed(owed)),
            ClaimOutcome::Spent => Err(Error::PaymentSpent),
            ClaimOutcome::Used => Err(refused(&self.quote, Refusal::DuplicateNonce)),
            ClaimOutcome::Unknown => Err(refused(&self.quote, too_late.unwrap_or(Refusal::Expired))),
            ClaimOutcome::IdentifierUsed => Err(Error::PaymentIdentifierUsed),
            ClaimOutcome::Wait | ClaimOutcome::Identified { .. } => Err(Error::Ended),
        }
    }

    /// Verifies that a payment's wallet sent it, before the order of its other payment is shown.
    /// The facilitator checks signatures that cannot be checked here.
    async fn prove_identity(
        &self,
        signer: Signer,
        checked: Result<Checked, Refusal>,
        place: Option<OwnedSemaphorePermit>,
    ) -> Result<(), Error> {
        if signer == Signer::KeyHolder {
            return Ok(());
        }
        let checked = self.checked(checked)?;
        let place = place.map_or_else(|| self.sales.unproven_place(self.caller), Ok)?;
        let verified = self.sales.settings.gate.verify(checked).await;
        drop(place);
        verified
            .map(drop)
            .map_err(|error| payment_error(&self.quote, error))
    }

    /// Verifies a claimed payment and begins the work for it. Room for the work is taken after the verification, so
    /// forged payments take no room.
    async fn start(
        &mut self,
        lease: Lease,
        checked: Checked,
        place: Option<OwnedSemaphorePermit>,
    ) -> Result<Admission, Error> {
        let sales = Arc::clone(&self.sales);
        let settings = &sales.settings;
        let exposure = settings.exposure;
        self.bound_failures().await?;
        // The block is read before the verdict, which says that the authorization is unused.
        let arrived = sales.newest_block(self.key.network);
        let verified = sales.latency.verify.count(settings.gate.verify(checked));
        let (verified, arrived) = tokio::join!(verified, arrived);
        self.arrived = arrived;
        drop(place);
        let verified = verified.map_err(|error| payment_error(&self.quote, error))?;
        let job = self.job.take().ok_or(Error::Ended)?;
        let (estimate, asks_models) = (job.estimate(), job.plan().is_some());
        let trusted_only = exposure.trust_above.filter(|most| estimate > *most);
        let reserved = sales.runs.reserve(job)?;
        let prices = settings.terms.prices();
        let price = prices.of(self.quote.product().skill());
        let limit = ExposureLimit {
            first: exposure.first_orders,
            most: exposure.most_orders,
            cost: if asks_models { estimate.get() } else { price.get() },
            prices,
            asks_models,
            trusted_only: trusted_only.is_some(),
            unpaid: exposure.failed_an_hour,
            unpaid_of_address: exposure.unpaid_of_address,
        };
        let db = &sales.runs.db;
        let begun = db.call(move |store| store.begin(&lease, limit, now_ms())).await?;
        match (begun, trusted_only) {
            (Begun::Yes | Begun::Settled, _) => {
                let cap = settings.orders().spending(self.quote.product(), estimate);
                let permit = Box::new(SoldPermit::new(reserved, &lease, &verified, cap));
                Ok(match begun {
                    Begun::Settled => Admission::Settled(lease, permit, verified),
                    _ => Admission::Work(lease, permit, verified),
                })
            }
            (Begun::Untrusted, Some(most)) => Err(Error::PlanTooExpensive {
                estimate,
                most,
                fits: None,
            }),
            (Begun::TooManyOpen | Begun::Untrusted, _) => Err(Error::TooMany {
                retry_after: BUSY_FOR,
            }),
        }
    }

    /// Refuses a payer with too many failed orders in the last hour.
    pub(super) async fn bound_failures(&self) -> Result<(), Error> {
        let (payer, now) = (self.key.payer, now_ms());
        let since = now - millis(HOUR);
        let db = &self.sales.runs.db;
        let (count, first) = db.call(move |store| store.failed_orders(&payer, since)).await?;
        if count < self.sales.settings.exposure.failed_an_hour.into() {
            return Ok(());
        }
        Err(Error::TooMany {
            retry_after: left_until(first.unwrap_or(now), since),
        })
    }

    /// Verifies a payment again after a refused settlement.
    ///
    /// Another party may have settled it since.
    /// The chain decides this, if there is a reader.
    /// If a facilitator reports a used nonce, the outcome is unknown: the buyer is not asked for another payment.
    async fn retry(
        &mut self,
        unsettled: UnsettledPayment,
        checked: Result<Checked, Refusal>,
    ) -> Result<Admission, Error> {
        let (lease, resource) = (unsettled.lease, unsettled.resource.clone());
        let settling = self.sales.again(unsettled);
        if let Some(outcome) = self.sales.decide_by_chain(&settling).await {
            return Ok(Admission::Decided(lease.run, outcome));
        }
        self.arrived = self.sales.newest_block(self.key.network).await;
        let verified = match checked {
            Ok(checked) => self.sales.settings.gate.verify(checked).await,
            Err(refusal) => Err(refusal.into()),
        };
        match verified {
            Ok(verified) => Ok(Admission::Retry(lease, resource, verified)),
            Err(PaymentError::Refused(Refusal::Facilitator(reason)))
                if reason.kind() == ReasonKind::NonceUsed =>
            {
                let asked = PriorAttempt::Before { transaction: None };
                self.sales.postpone(&settling, asked).await;
                Err(Error::SettlementUnknown {
                    retry_after: self.sales.pause(0),
                })
            }
            Err(error) => {
                // No step: the lease goes back, and the result stays stored.
                self.sales.apply_payment_steps(lease, &[]).await?;
                // A recently expired authorization may have been used in a block that is not final yet.
                match &error {
                    PaymentError::Refused(Refusal::Expired) if self.sales.settings.chain.is_some() => {
                        Err(Error::SettlementUnknown {
                            retry_after: self.sales.pause(4),
                        })
                    }
                    _ => Err(payment_error(&self.quote, error)),
                }
            }
        }
    }

    /// Claims the payment in the store, once no other process is working on it.
    pub(super) async fn claim(&self, expires: i64, entry: ClaimMode) -> Result<ClaimOutcome, Error> {
        let deadline = tokio::time::Instant::now() + LONGEST_WAIT;
        loop {
            let (key, id, caller) = (self.key, self.id, self.caller);
            let lease = millis(self.sales.settings.timing.lease);
            let Identity { fingerprint, request } = self.identity;
            let identifier = self.identifier.clone();
            let (skill, resource) = (self.quote.product().skill(), self.quote.resource().to_string());
            let claimed = self.sales.runs.db.call(move |store| {
                let now = now_ms();
                let claim = PaymentClaim {
                    key: &key,
                    fingerprint: fingerprint.as_bytes(),
                    request: request.as_bytes(),
                    skill,
                    identifier: identifier.as_ref().map(PaymentIdentifier::as_str),
                    resource: &resource,
                    caller: caller.network(),
                    run: id,
                    expires,
                    now,
                    lease_until: now + lease,
                };
                store.claim(&claim, entry)
            });
            match claimed.await? {
                ClaimOutcome::Wait if tokio::time::Instant::now() < deadline => {
                    tokio::time::sleep(LOOK_AGAIN).await
                }
                visited => return Ok(visited),
            }
        }
    }

    fn checked(&self, checked: Result<Checked, Refusal>) -> Result<Checked, Error> {
        checked.map_err(|refusal| refused(&self.quote, refusal))
    }
}

/// Another order with the same identifier ended without a sale while this request waited for it.
fn order_failed() -> Error {
    Error::Overloaded {
        retry_after: Duration::from_secs(1),
    }
}

fn payment_error(quote: &PriceQuote<Sale>, error: PaymentError) -> Error {
    match error {
        PaymentError::Malformed(bad) => Error::PaymentMalformed(bad),
        PaymentError::Refused(Refusal::Facilitator(reason)) if reason.kind() == ReasonKind::NonceUsed => {
            Error::PaymentSpent
        }
        PaymentError::Refused(refusal) => refused(quote, refusal),
        PaymentError::Unavailable(outage) => Error::FacilitatorUnavailable(outage),
    }
}

fn left_until(time: Millis, now: Millis) -> Duration {
    Duration::from_millis(u64::try_from(time - now).unwrap_or_default())
}

fn seconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)
}
