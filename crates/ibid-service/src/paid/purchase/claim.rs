//! Claiming a payment and verifying it.

use super::{Admission, LONGEST_WAIT, Purchase, refused};
use crate::clock::{millis, now_ms};
use crate::paid::single_flight::{FirstRequest, Identity};
use crate::runs::permit::Permit;
use crate::{Error, Job};
use ibid_store::{ClaimMode, ClaimOutcome, PaymentClaim, PaymentStep};
use ibid_x402::{Checked, Matched, PaymentError, PriceQuote, Refusal, Rules, SETTLE_MARGIN, Sale};
use jiff::Timestamp;
use std::time::Duration;

/// Pause between two looks at a payment that another process is working on.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

impl Purchase {
    /// Claims the payment and asks the facilitator to verify it.
    pub(super) async fn admit(
        &self,
        job: Job,
        matched: Matched,
        first: &FirstRequest,
    ) -> Result<Admission, Error> {
        let gate = &self.sales.settings.gate;
        let work = job.time_limit();
        let now = Timestamp::now();
        let checked = matched.in_time(
            now,
            Rules {
                work: Duration::ZERO,
                ..Rules::default()
            },
        );
        // Work that would end after the payment expires is not begun. A stored result can still be fetched.
        let too_late = match &checked {
            Err(refusal) => Some(refusal.clone()),
            Ok(checked)
                if checked.expires().as_second() < now.as_second() + seconds(SETTLE_MARGIN + work) =>
            {
                Some(Refusal::Expired)
            }
            Ok(_) => None,
        };
        let expires = checked
            .as_ref()
            .map_or(0, |checked| checked.expires().as_millisecond());
        let entry = if too_late.is_none() {
            ClaimMode::MayStart
        } else {
            ClaimMode::OnlyReturn
        };
        match self.claim(expires, entry).await? {
            ClaimOutcome::Start(lease) => {
                first.keep(lease);
                let checked = self.checked(checked)?;
                let reserved = match self.sales.runs.reserve(job) {
                    Ok(reserved) => reserved,
                    Err(error) => {
                        self.free(lease).await;
                        return Err(error);
                    }
                };
                match gate.verify(checked).await {
                    Ok(verified) => {
                        self.sales
                            .take(lease, &[PaymentStep::Verify, PaymentStep::Begin])
                            .await?;
                        let key = self.sales.settings.key.clone();
                        let cap = self.sales.settings.caps.of(self.quote.product());
                        let permit = Permit::bought(reserved, key, &lease, &verified).with_cost_cap(cap);
                        Ok(Admission::Work(lease, Box::new(permit), verified))
                    }
                    Err(error) => {
                        self.free(lease).await;
                        Err(payment_error(&self.quote, error))
                    }
                }
            }
            ClaimOutcome::Retry { lease, resource } => {
                first.keep(lease);
                let verified = match self.checked(checked) {
                    Ok(checked) => {
                        let verified = gate.verify(checked).await;
                        verified.map_err(|error| payment_error(&self.quote, error))
                    }
                    Err(refusal) => Err(refusal),
                };
                match verified {
                    Ok(verified) => Ok(Admission::Retry(lease, resource, verified)),
                    Err(error) => {
                        // No step: the lease is returned, and the result stays stored.
                        self.sales.take(lease, &[]).await?;
                        Err(error)
                    }
                }
            }
            ClaimOutcome::Settle(unsettled) => {
                first.keep(unsettled.lease);
                Ok(Admission::Settle(unsettled))
            }
            ClaimOutcome::Sold(sold) => Ok(Admission::Sold(sold)),
            ClaimOutcome::Used => Err(refused(&self.quote, Refusal::DuplicateNonce)),
            ClaimOutcome::Unknown => Err(refused(&self.quote, too_late.unwrap_or(Refusal::Expired))),
            ClaimOutcome::Wait => Err(Error::Ended),
        }
    }

    /// Claims the payment in the store, once no other process is working on it.
    pub(super) async fn claim(&self, expires: i64, entry: ClaimMode) -> Result<ClaimOutcome, Error> {
        let deadline = tokio::time::Instant::now() + LONGEST_WAIT;
        loop {
            let (key, id, lease) = (self.key, self.id, millis(self.sales.settings.timing.lease));
            let Identity { fingerprint, request } = self.identity;
            let (skill, resource) = (self.quote.product().skill(), self.quote.resource().to_string());
            let claimed = self.sales.runs.db.call(move |store| {
                let now = now_ms();
                let claim = PaymentClaim {
                    key: &key,
                    fingerprint: fingerprint.as_bytes(),
                    request: request.as_bytes(),
                    skill,
                    resource: &resource,
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

fn payment_error(quote: &PriceQuote<Sale>, error: PaymentError) -> Error {
    match error {
        PaymentError::Malformed(bad) => Error::PaymentMalformed(bad),
        PaymentError::Refused(refusal) => refused(quote, refusal),
        PaymentError::Unavailable(outage) => Error::FacilitatorUnavailable(outage),
    }
}

fn seconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)
}
