//! From a payment to a run.

use super::gate::{Entered, First, Identity, Phase};
use super::settle::{Ended, Settling, settle};
use super::{Due, Offer, Paid, millis, now_ms};
use crate::admit::{OpenWork, Permit};
use crate::run::{Finished, Output, Reporter, Run, log_failure, work};
use crate::service::Inner;
use crate::{Document, Error, Job};
use ibid_model::{PaymentKey, ScanId, Wallet, X402Version};
use ibid_store::{Entry, Lease, Sold, Step, StoreError, Unsettled, Visit, Visited};
use ibid_x402::{
    Checked, Matched, PaymentError, Quote, Refusal, Rules, SETTLE_MARGIN, Sale, SettleResponse, SignerRule,
    Verified,
};
use jiff::Timestamp;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tracing::Instrument;

/// How often a payment is looked at that another process is at.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// How long one is waited for. Longer than any run and its settlement.
const LONGEST_WAIT: Duration = Duration::from_secs(660);

/// Asked once the payment is admitted and before anything is done for it, with the name of the run: whether whoever
/// wants the result still wants it. A no frees the payment.
pub(crate) type MayBegin = Box<dyn Fn(ScanId) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

/// Buys a job. Returns when the run has begun, or when it is known that it will not; with [`Error::Ended`] if
/// `may_begin` said no.
pub(crate) async fn buy(
    inner: &Arc<Inner>,
    job: Job,
    offer: Offer,
    may_begin: Option<MayBegin>,
) -> Result<Run, Error> {
    let paid = inner.paid.as_ref().ok_or(Error::PaidDisabled)?;
    let quote = paid.quote(&job, &offer.listing)?;
    let Some(payment) = offer.payment else {
        return Err(Error::PaymentRequired(Due::Sale(Box::new(quote))));
    };
    let matched = match payment.matching(&quote, SignerRule::Anybody) {
        Ok(matched) => matched,
        Err(refusal) => return Err(refused(&quote, refusal)),
    };
    let id = ScanId::random();
    let (run, reporter) = Run::new(id, &job, None);
    let (admitted_in, admitted) = oneshot::channel();
    let buyer = Buyer {
        inner: Arc::clone(inner),
        key: *matched.key(),
        identity: Identity {
            fingerprint: matched.fingerprint(),
            request: offer.request,
        },
        quote,
        id,
        may_begin,
    };
    let span = tracing::info_span!("service.buy", scan.id = %id, product = %job.product());
    let task = buyer.go(job, matched, reporter, Admitted(Some(admitted_in)));
    // A task from here on: whoever hangs up in the middle of a claim leaves nothing half done.
    inner
        .runtime
        .spawn(inner.runs.track_future(task.instrument(span)));
    let named = admitted.await.unwrap_or(Err(Error::Ended))?;
    Ok(run.named(named))
}

/// One payment, shown for one thing.
struct Buyer {
    inner: Arc<Inner>,
    key: PaymentKey,
    identity: Identity,
    quote: Quote<Sale>,
    id: ScanId,
    may_begin: Option<MayBegin>,
}

/// A payment that another process took over while this one was stuck is free again: nothing was sold, and the buyer
/// may come back with it.
fn if_lost(error: Error) -> Error {
    match error {
        Error::Store(StoreError::Lost) => Error::Overloaded {
            retry_after: Duration::from_secs(2),
        },
        other => other,
    }
}

/// Tells the caller once whether there is a run.
struct Admitted(Option<oneshot::Sender<Result<ScanId, Error>>>);

/// What became of the claim.
enum Admission {
    /// The work may start.
    Work(Lease, Box<Permit>, Verified),
    /// There is a result; it is not paid.
    Settle(Unsettled),
    /// There is a result, and paying for it was refused; the payment was verified again.
    Retry(Lease, String, Verified),
    /// It was bought before.
    Sold(Sold),
}

impl Admitted {
    fn tell(&mut self, admitted: Result<ScanId, Error>) {
        if let Some(channel) = self.0.take() {
            // The caller may be gone.
            let _ = channel.send(admitted);
        }
    }
}

impl Buyer {
    async fn go(self, job: Job, matched: Matched, reporter: Reporter, mut admitted: Admitted) {
        let deadline = tokio::time::Instant::now() + LONGEST_WAIT;
        let first = loop {
            match self.inner.inflight.enter(self.key, self.identity) {
                Entered::First(first) => break first,
                Entered::Twin(phase) => {
                    if let Some(error) = self.wait(phase, Some(&mut admitted), deadline).await {
                        return Self::fail(Arc::new(error), admitted, reporter);
                    }
                }
                Entered::Stranger(phase) => {
                    if let Some(error) = self.wait(phase, None, deadline).await {
                        return Self::fail(Arc::new(error), admitted, reporter);
                    }
                }
            }
        };
        let admission = self.admit(job, matched, &first).await;
        if let Ok(admission) = &admission
            && let Some(may_begin) = &self.may_begin
            && !may_begin(admission.name()).await
        {
            self.give_back(admission).await;
            // Whoever shows the same payment for something else goes on.
            drop(first);
            return Self::fail(Arc::new(Error::Ended), admitted, reporter);
        }
        let Reporter { progress, end } = reporter;
        let outcome = match admission {
            Ok(admission) => {
                let id = admission.name();
                first.tell(Phase::Running(id));
                admitted.tell(Ok(id));
                self.complete(admission, progress).await
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok(finished) => {
                drop(first);
                if end.send(Ok(finished)).is_ok() {
                    self.delivered().await;
                }
            }
            Err(error) => {
                let error = Arc::new(if_lost(error));
                log_failure(&error);
                first.tell(Phase::Failed(Arc::clone(&error)));
                drop(first);
                let mut last = Some(error);
                let mut own = || {
                    last.take().map_or(Error::Ended, |error| {
                        Arc::try_unwrap(error).unwrap_or_else(Error::Twin)
                    })
                };
                match admitted.0.take() {
                    Some(channel) => drop(channel.send(Err(own()))),
                    None => drop(end.send(Err(own()))),
                }
            }
        }
    }

    /// Ends a twin whose first one failed.
    fn fail(error: Arc<Error>, admitted: Admitted, reporter: Reporter) {
        let error = Arc::try_unwrap(error).unwrap_or_else(Error::Twin);
        match admitted.0 {
            Some(channel) => drop(channel.send(Err(error))),
            None => drop(reporter.end.send(Err(error))),
        }
    }

    /// Waits until the first one is over. A twin learns the name of its run and shares its failure; a stranger only
    /// waits.
    async fn wait(
        &self,
        mut phase: watch::Receiver<Phase>,
        mut twin: Option<&mut Admitted>,
        deadline: tokio::time::Instant,
    ) -> Option<Error> {
        loop {
            let now = phase.borrow_and_update().clone();
            match (now, twin.as_deref_mut()) {
                (Phase::Asking, _) | (Phase::Running(_), None) => {}
                (Phase::Running(id), Some(admitted)) => admitted.tell(Ok(id)),
                (Phase::Failed(error), Some(_)) => return Some(Error::Twin(error)),
                (Phase::Failed(_), None) | (Phase::Over, _) => return None,
            }
            match tokio::time::timeout_at(deadline, phase.changed()).await {
                Ok(Ok(())) => {}
                // The first one is gone without a word: the store knows more.
                Ok(Err(_)) => return None,
                Err(_) => return Some(Error::Ended),
            }
        }
    }

    fn paid(&self) -> Result<&Paid, Error> {
        self.inner.paid.as_ref().ok_or(Error::PaidDisabled)
    }

    /// Claims, and asks the facilitator.
    async fn admit(&self, job: Job, matched: Matched, first: &First) -> Result<Admission, Error> {
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
    async fn visit(&self, paid: &Paid, expires: i64, entry: Entry) -> Result<Visited, Error> {
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

    /// Work, hold, settle.
    async fn complete(
        &self,
        admission: Admission,
        progress: tokio::sync::mpsc::UnboundedSender<ibid_engine::Progress>,
    ) -> Result<Finished, Error> {
        match admission {
            Admission::Work(lease, permit, verified) => {
                let origin = permit.origin.clone();
                // A closed channel means that nobody watches.
                let on = |event| drop(progress.send(event));
                let made = match work(&self.inner, lease.run, *permit, on).await {
                    Ok(made) => made,
                    Err(error) => {
                        // Failed work is never settled, and the payment can be used again.
                        self.free(lease).await;
                        return Err(error.of_the_operator());
                    }
                };
                drop(progress);
                let held = verified.hold();
                let bytes = serde_json::to_vec(&held)?;
                let unpaid = made.keep(&self.inner, lease.run, origin, move |store, scan| {
                    store.hold_to_settle(&lease, scan, &bytes, now_ms())
                });
                let unpaid = unpaid.await?;
                let settling = Settling::begun(lease, held, self.quote.resource().to_string());
                let settlement = self.settle(settling).await?;
                Ok(Finished {
                    settlement: Some(settlement),
                    ..unpaid
                })
            }
            Admission::Settle(unsettled) => {
                drop(progress);
                let run = unsettled.lease.run;
                let settlement = self.settle(Settling::again(unsettled)).await?;
                self.released(run, settlement).await
            }
            Admission::Retry(lease, resource, verified) => {
                drop(progress);
                let held = verified.hold();
                let bytes = serde_json::to_vec(&held)?;
                self.inner
                    .db
                    .call(move |store| store.hold_again(&lease, &bytes, now_ms()))
                    .await?;
                let settling = Settling::first(lease, held, resource);
                let settlement = self.settle(settling).await?;
                self.released(lease.run, settlement).await
            }
            Admission::Sold(Sold { run, reply, receipt }) => {
                drop(progress);
                let settlement = told(&receipt, self.key.payer);
                let document = Document::stored(reply);
                Ok(Finished {
                    id: run,
                    document,
                    output: Output::Stored,
                    settlement: Some(settlement),
                })
            }
        }
    }

    /// Settles, or waits for whoever took that over because this process was too slow.
    async fn settle(&self, mut settling: Settling) -> Result<SettleResponse, Error> {
        loop {
            let ended = settle(&self.inner, settling).await?;
            if !matches!(ended, Ended::TakenOver) {
                return ended.or_due(&self.quote);
            }
            match self.visit(self.paid()?, 0, Entry::OnlyReturn).await? {
                Visited::Sold(sold) => return Ok(told(&sold.receipt, self.key.payer)),
                Visited::Settle(unsettled) => settling = Settling::again(unsettled),
                Visited::Retry { lease, .. } => {
                    self.take(lease, &[]).await?;
                    return ended.or_due(&self.quote);
                }
                Visited::Start(_) | Visited::Wait | Visited::Used | Visited::Unknown => {
                    return ended.or_due(&self.quote);
                }
            }
        }
    }

    /// A result that was just paid for.
    async fn released(&self, run: ScanId, settlement: SettleResponse) -> Result<Finished, Error> {
        let record = self
            .inner
            .db
            .call(move |store| store.scan(run))
            .await?
            .ok_or(Error::NotFound)?;
        let document = Document::stored(record.reply);
        Ok(Finished {
            id: run,
            document,
            output: Output::Stored,
            settlement: Some(settlement),
        })
    }

    async fn delivered(&self) {
        let key = self.key;
        let booked = self
            .inner
            .db
            .call(move |store| store.deliver(&key, now_ms()))
            .await;
        if let Err(error) = booked {
            tracing::error!(%error, "a delivery could not be booked");
        }
    }

    async fn take(&self, lease: Lease, steps: &'static [Step]) -> Result<(), StoreError> {
        self.inner
            .db
            .call(move |store| store.take(&lease, steps, now_ms()))
            .await
    }

    /// Frees a claim. If that fails, it frees itself when its lease ends.
    async fn free(&self, lease: Lease) {
        if let Err(error) = self.take(lease, &[Step::Free]).await {
            tracing::warn!(%error, "a payment could not be freed");
        }
    }

    /// Leaves a payment as if nobody had come; its result, if there is one, stays.
    async fn give_back(&self, admission: &Admission) {
        let (lease, steps): (Lease, &'static [Step]) = match admission {
            Admission::Work(lease, ..) => (*lease, &[Step::Free]),
            Admission::Retry(lease, ..) => (*lease, &[]),
            Admission::Settle(unsettled) => (unsettled.lease, &[]),
            Admission::Sold(_) => return,
        };
        if let Err(error) = self.take(lease, steps).await {
            tracing::warn!(%error, "a payment could not be given back");
        }
    }

    fn checked(&self, checked: Result<Checked, Refusal>) -> Result<Checked, Error> {
        checked.map_err(|refusal| refused(&self.quote, refusal))
    }
}

impl Admission {
    fn name(&self) -> ScanId {
        match self {
            Self::Work(lease, ..) | Self::Retry(lease, ..) => lease.run,
            Self::Settle(unsettled) => unsettled.lease.run,
            Self::Sold(sold) => sold.run,
        }
    }
}

/// What tells a buyer of a receipt.
pub(crate) fn told(receipt: &ibid_model::Receipt, payer: Wallet) -> SettleResponse {
    let version: X402Version = receipt.version;
    SettleResponse {
        success: true,
        error_reason: None,
        transaction: receipt
            .transaction
            .as_ref()
            .map_or_else(String::new, ToString::to_string),
        network: receipt.network.in_version(version).to_owned(),
        payer,
    }
}

fn refused(quote: &Quote<Sale>, refusal: Refusal) -> Error {
    Error::PaymentRefused {
        due: Due::Sale(Box::new(quote.clone())),
        refusal,
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
