//! Claiming a payment, and asking the facilitator about it.

use super::{Admission, Buyer, LONGEST_WAIT, refused};
use crate::admit::{OpenWork, Permit};
use crate::paid::gate::First;
use crate::paid::gate::Identity;
use crate::paid::{Paid, millis, now_ms};
use crate::{Error, Job};
use ibid_store::{Entry, Step, Visit, Visited};
use ibid_x402::{Checked, Matched, PaymentError, Quote, Refusal, Rules, SETTLE_MARGIN, Sale};
use jiff::Timestamp;
use std::time::Duration;

/// How often a payment is looked at that another process is at.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

impl Buyer {
    /// Claims, and asks the facilitator.
    pub(super) async fn admit(&self, job: Job, matched: Matched, first: &First) -> Result<Admission, Error> {
        let paid = self.paid()?;
        let work = job.time_limit();
        let now = Timestamp::now();
        let checked = matched.in_time(
            now,
            Rules {
                work: Duration::ZERO,
                ..Rules::default()
            },
        );
        // Work that would end too late is not begun. What is there already may still be had.
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
            Entry::MayStart
        } else {
            Entry::OnlyReturn
        };
        match self.visit(paid, expires, entry).await? {
            Visited::Start(lease) => {
                first.keep(lease);
                let checked = self.checked(checked)?;
                let open = match OpenWork::take(&self.inner, &job) {
                    Ok(open) => open,
                    Err(error) => {
                        self.free(lease).await;
                        return Err(error);
                    }
                };
                match paid.gate.verify(checked).await {
                    Ok(verified) => {
                        self.take(lease, &[Step::Verify, Step::Begin]).await?;
                        let permit = Permit::bought(job, paid.key.clone(), &verified, open);
                        Ok(Admission::Work(lease, Box::new(permit), verified))
                    }
                    Err(error) => {
                        self.free(lease).await;
                        Err(payment_error(&self.quote, error))
                    }
                }
            }
            Visited::Retry { lease, resource } => {
                first.keep(lease);
                let verified = match self.checked(checked) {
                    Ok(checked) => {
                        let verified = paid.gate.verify(checked).await;
                        verified.map_err(|error| payment_error(&self.quote, error))
                    }
                    Err(refusal) => Err(refusal),
                };
                match verified {
                    Ok(verified) => Ok(Admission::Retry(lease, resource, verified)),
                    Err(error) => {
                        // No step: the lease goes back, the result stays.
                        self.take(lease, &[]).await?;
                        Err(error)
                    }
                }
            }
            Visited::Settle(unsettled) => {
                first.keep(unsettled.lease);
                Ok(Admission::Settle(unsettled))
            }
            Visited::Sold(sold) => Ok(Admission::Sold(sold)),
            Visited::Used => Err(refused(&self.quote, Refusal::DuplicateNonce)),
            Visited::Unknown => Err(refused(&self.quote, too_late.unwrap_or(Refusal::Expired))),
            Visited::Wait => Err(Error::Ended),
        }
    }

    /// Shows the payment to the store, until no other process is at it.
    pub(super) async fn visit(&self, paid: &Paid, expires: i64, entry: Entry) -> Result<Visited, Error> {
        let deadline = tokio::time::Instant::now() + LONGEST_WAIT;
        loop {
            let (key, id, lease) = (self.key, self.id, millis(paid.timing.lease));
            let Identity { fingerprint, request } = self.identity;
            let (skill, resource) = (self.quote.product().skill(), self.quote.resource().to_string());
            let visited = self.inner.db.call(move |store| {
                let now = now_ms();
                let visit = Visit {
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
                store.visit(&visit, entry)
            });
            match visited.await? {
                Visited::Wait if tokio::time::Instant::now() < deadline => {
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

fn payment_error(quote: &Quote<Sale>, error: PaymentError) -> Error {
    match error {
        PaymentError::Malformed(bad) => Error::PaymentMalformed(bad),
        PaymentError::Refused(refusal) => refused(quote, refusal),
        PaymentError::Unavailable(outage) => Error::FacilitatorUnavailable(outage),
    }
}

fn seconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)
}
