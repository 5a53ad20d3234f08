//! From a payment to a run.

mod claim;
mod complete;

use super::offer::PaymentOffer;
use super::sales::Sales;
use super::settle::SettleOutcome;
use super::single_flight::{Entered, Identity, Phase};
use crate::clock::now_ms;
use crate::error::Error;
use crate::failure::chain;
use crate::job::Job;
use crate::payment_due::PaymentDue;
use crate::request_hash::RequestHash;
use crate::runs::permit::SoldPermit;
use crate::runs::run::{Finished, Run, log_failure};
use crate::runs::watch::RunFeed;
use crate::tasks::Caller;
use ibid_model::{PaymentKey, ScanId, Wallet, X402Version};
use ibid_store::{Lease, OwedWork, PaymentStep, SoldResult, StoreError, UnsettledPayment};
use ibid_x402::{
    Matched, PaymentIdentifier, PriceQuote, Refusal, Sale, SettleResponse, Signer, SignerRule, Verified,
};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tracing::Instrument;

/// The longest wait for another request.
/// Longer than any run and its settlement.
const LONGEST_WAIT: Duration = Duration::from_secs(660);

/// Called with the id of the run after the payment is admitted and before any work. If it returns false, the payment
/// is freed and no work starts.
pub(crate) type MayBegin = Box<dyn Fn(ScanId) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

impl Sales {
    /// Buys a job.
    /// Returns when the run has begun, or when it certainly will not.
    ///
    /// # Errors
    /// Every fault of a payment, up to the facilitator's verdict; [`Error::Ended`] if `may_begin` returned false.
    pub(crate) async fn purchase(
        self: &Arc<Self>,
        job: Job,
        offer: PaymentOffer,
        may_begin: Option<MayBegin>,
    ) -> Result<Run, Error> {
        let quote = self.quote_job(&job, &offer.listing);
        let (caller, request) = (offer.caller, offer.request);
        let Some(payment) = offer.payment else {
            return Err(Error::PaymentRequired(PaymentDue::sale(&quote?)));
        };
        let presented = Presented {
            identifier: payment.identifier().cloned(),
            request,
            caller,
        };
        let identities = payment.identities(&self.settings.terms);
        let taken = async {
            let matched = quote.and_then(|quote| match payment.matching(&quote, SignerRule::AnySigner) {
                // In version 1, a payment that is signed for another token names only the chain.
                Ok(matched) if matched.signer() == Signer::Unproven && !identities.is_empty() => {
                    Err(refused(&quote, Refusal::Signer))
                }
                Ok(matched) => Ok((quote, matched)),
                Err(refusal) => Err(refused(&quote, refusal)),
            });
            match matched {
                Ok((quote, matched)) => self.take_payment(job, quote, matched, presented, may_begin).await,
                Err(error) => self.bought(identities, request, caller, error).await,
            }
        };
        self.bound_refusals(caller, taken).await
    }

    async fn take_payment(
        self: &Arc<Self>,
        job: Job,
        quote: PriceQuote<Sale>,
        matched: Matched,
        presented: Presented,
        may_begin: Option<MayBegin>,
    ) -> Result<Run, Error> {
        let id = ScanId::random();
        let (run, end) = Run::new((id, self.runs.feeds.of(id)), &job, None);
        let span = tracing::info_span!("service.purchase", scan.id = %id, product = %job.product());
        let (sender, admitted) = oneshot::channel();
        let purchase = Purchase {
            sales: Arc::clone(self),
            key: *matched.key(),
            identity: Identity {
                fingerprint: matched.fingerprint(),
                request: presented.request,
            },
            version: matched.version(),
            job: Some(job),
            quote,
            id,
            arrived: None,
            identifier: presented.identifier,
            caller: presented.caller,
            may_begin,
        };
        let ends = BuyerEnds {
            admitted: Some(sender),
            end,
        };
        // A task from here on, so a hang-up during a claim leaves no half-done work.
        self.runs
            .spawn(purchase.carry_out(matched, ends).instrument(span));
        let joined = admitted.await.unwrap_or(Err(Error::Ended))?;
        Ok(run.joined(joined))
    }
}

/// What comes with a payment.
struct Presented {
    identifier: Option<PaymentIdentifier>,
    request: RequestHash,
    caller: Caller,
}

/// One request with a payment.
struct Purchase {
    sales: Arc<Sales>,
    key: PaymentKey,
    identity: Identity,
    version: X402Version,
    /// The work, until it begins.
    job: Option<Job>,
    quote: PriceQuote<Sale>,
    id: ScanId,
    /// The newest block when the payment arrived, unused.
    arrived: Option<u64>,
    /// The buyer's own identifier of the order.
    identifier: Option<PaymentIdentifier>,
    /// The address that it came from.
    caller: Caller,
    may_begin: Option<MayBegin>,
}

/// Which run a payment was admitted for, and its progress.
type Admitted = (ScanId, Arc<RunFeed>);

/// The buyer's ends: first the admission, then the run.
struct BuyerEnds {
    /// `None` once the admission was reported.
    admitted: Option<oneshot::Sender<Result<Admitted, Error>>>,
    end: oneshot::Sender<Result<Finished, Error>>,
}

enum Admission {
    /// The work may start.
    Work(Lease, Box<SoldPermit>, Verified),
    /// The work may start once the payment is settled.
    Settled(Lease, Box<SoldPermit>, Verified),
    /// The payment was settled, and there is no result.
    Owed(OwedWork),
    /// There is a result that is not settled.
    Settle(UnsettledPayment),
    /// There is a result whose settlement was refused.
    /// The payment was verified again.
    Retry(Lease, String, Verified),
    /// The chain has decided a settlement that was refused.
    Decided(ScanId, SettleOutcome),
    /// The result was bought before.
    Sold(SoldResult),
}

impl BuyerEnds {
    /// Reports the run to a waiting buyer.
    /// A buyer who hung up does not listen.
    fn admit(&mut self, run: ScanId, feed: Arc<RunFeed>) {
        if let Some(admitted) = self.admitted.take() {
            let _ = admitted.send(Ok((run, feed)));
        }
    }

    /// Reports a failure, before or after the admission.
    fn fail(self, error: Arc<Error>) {
        let error = Arc::try_unwrap(error).unwrap_or_else(Error::Duplicate);
        match self.admitted {
            Some(admitted) => drop(admitted.send(Err(error))),
            None => drop(self.end.send(Err(error))),
        }
    }
}

impl Purchase {
    async fn carry_out(mut self, matched: Matched, mut caller: BuyerEnds) {
        let deadline = tokio::time::Instant::now() + LONGEST_WAIT;
        let first = loop {
            let failed = match self.sales.single_flight.enter(self.key, self.identity) {
                Entered::First(first) => break first,
                Entered::Duplicate(phase) => wait(phase, Some(&mut caller), deadline).await,
                Entered::Conflict(phase) => wait(phase, None, deadline).await,
            };
            if let Some(error) = failed {
                return caller.fail(Arc::new(error));
            }
        };
        let admission = self.admit(matched, &first).await;
        if let Ok(admission) = &admission
            && let Some(may_begin) = &self.may_begin
            && !may_begin(admission.run()).await
        {
            self.give_back(admission).await;
            // A request that conflicts with this one continues.
            drop(first);
            return caller.fail(Arc::new(Error::Ended));
        }
        let outcome = match admission {
            Ok(admission) => {
                let run = admission.run();
                first.report(Phase::Running(run));
                caller.admit(run, self.sales.runs.feeds.of(run));
                self.complete(admission).await
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok(mut finished) => {
                self.sign(&mut finished);
                drop(first);
                if caller.end.send(Ok(finished)).is_ok() {
                    self.note_delivery().await;
                }
            }
            Err(error) => {
                let error = Arc::new(if_lost(error));
                log_failure(&error);
                first.report(Phase::Failed(Arc::clone(&error)));
                drop(first);
                caller.fail(error);
            }
        }
    }

    /// Adds a signed receipt for a buyer of version 2, if there is a key to sign with.
    fn sign(&self, finished: &mut Finished) {
        if self.version == X402Version::V2
            && let Some(settlement) = &mut finished.settlement
        {
            let terms = self.quote.terms();
            settlement.extensions = terms.signed_receipt(settlement, self.quote.resource());
        }
    }

    /// Frees a claim.
    /// If that fails, the claim is free when its lease ends.
    async fn free(&self, lease: Lease) {
        if let Err(error) = self.sales.apply_payment_steps(lease, &[PaymentStep::Free]).await {
            tracing::warn!(error = chain(&error), "payment.claim.not_freed");
        }
    }

    /// Frees a claim whose work failed, and counts the failure. If that cannot be stored, the claim is free when its
    /// lease ends.
    async fn fail(&self, lease: Lease) {
        let stored = self.sales.runs.db.call(move |store| store.fail(&lease, now_ms()));
        if let Err(error) = stored.await {
            tracing::warn!(%error, "payment.claim.not_freed");
        }
    }

    /// Returns a payment to its state before the claim.
    /// A result stays stored.
    async fn give_back(&self, admission: &Admission) {
        let (lease, steps): (Lease, &'static [PaymentStep]) = match admission {
            Admission::Work(lease, ..) | Admission::Settled(lease, ..) => (*lease, &[PaymentStep::Free]),
            Admission::Retry(lease, ..) => (*lease, &[]),
            Admission::Settle(unsettled) => (unsettled.lease, &[]),
            Admission::Sold(_) | Admission::Owed(_) | Admission::Decided(..) => return,
        };
        if let Err(error) = self.sales.apply_payment_steps(lease, steps).await {
            tracing::warn!(error = chain(&error), "payment.claim.not_returned");
        }
    }
}

/// Waits for the first request.
/// A duplicate receives its run's id and shares its failure; a conflict only waits.
async fn wait(
    mut phase: watch::Receiver<Phase>,
    mut duplicate: Option<&mut BuyerEnds>,
    deadline: tokio::time::Instant,
) -> Option<Error> {
    loop {
        let now = phase.borrow_and_update().clone();
        match (now, duplicate.as_deref_mut()) {
            (Phase::Claiming, _) | (Phase::Running(_), None) => {}
            // The first request shows the progress.
            (Phase::Running(run), Some(caller)) => caller.admit(run, Arc::default()),
            (Phase::Failed(error), Some(_)) => return Some(Error::Duplicate(error)),
            (Phase::Failed(_), None) | (Phase::Ended, _) => return None,
        }
        match tokio::time::timeout_at(deadline, phase.changed()).await {
            Ok(Ok(())) => {}
            // The first request ended without a report; the store has the outcome.
            Ok(Err(_)) => return None,
            Err(_) => return Some(Error::Ended),
        }
    }
}

/// Turns a lost lease into [`Error::Overloaded`]: another process took the payment over while this one was stuck.
/// No sale was made, and the buyer may come back with the same payment.
fn if_lost(error: Error) -> Error {
    match error {
        Error::Store(StoreError::Lost) => Error::Overloaded {
            retry_after: Duration::from_secs(2),
        },
        other => other,
    }
}

impl Admission {
    fn run(&self) -> ScanId {
        match self {
            Self::Work(lease, ..) | Self::Settled(lease, ..) | Self::Retry(lease, ..) => lease.run,
            Self::Owed(owed) => owed.lease.run,
            Self::Settle(unsettled) => unsettled.lease.run,
            Self::Sold(sold) => sold.run,
            Self::Decided(run, _) => *run,
        }
    }
}

/// The settlement that a receipt proves.
pub(crate) fn settlement_of(receipt: &ibid_model::Receipt, payer: Wallet) -> SettleResponse {
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
        extensions: None,
    }
}

fn refused(quote: &PriceQuote<Sale>, refusal: Refusal) -> Error {
    Error::PaymentRefused {
        due: PaymentDue::sale(quote),
        refusal,
    }
}
