//! From a payment to a run.

mod admit;
mod complete;

use super::gate::{Entered, Identity, Phase};
use super::{Due, Offer, Paid, now_ms};
use crate::admit::Permit;
use crate::run::{Reporter, Run, log_failure};
use crate::service::Inner;
use crate::{Error, Job};
use ibid_model::{PaymentKey, ScanId, Wallet, X402Version};
use ibid_store::{Lease, Sold, Step, StoreError, Unsettled};
use ibid_x402::{Matched, Quote, Refusal, Sale, SettleResponse, SignerRule, Verified};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tracing::Instrument;

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
