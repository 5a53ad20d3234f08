//! Moving the money, once.

use super::{Due, Paid, millis, now_ms};
use crate::Error;
use crate::service::Inner;
use ibid_model::{Product, ReceiptId, Transaction};
use ibid_store::{Lease, Settled, Step, StoreError, Unsettled};
use ibid_x402::{Asked, Evidence, Held, Quote, Refusal, Sale, SettleFailure, SettleResponse, Settlement};
use jiff::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// First pause between two requests to settle; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// Longest pause of the background between two tries.
const MINUTE: Duration = Duration::from_secs(60);

/// A held result to be settled.
pub(super) struct Settling {
    lease: Lease,
    /// Nothing if the signed payload was forgotten: the outcome of its settlement is then unknown for good.
    held: Option<Held>,
    asked: Asked,
    /// Whether it is written down already that the request to settle is about to leave.
    begun: bool,
    resource: String,
    tries: u32,
}

/// How it ended.
pub(super) enum Ended {
    /// The money has moved.
    Settled(SettleResponse),
    /// It has not, for certain.
    Refused(Refusal, SettleResponse),
    /// Nobody knows yet.
    Unknown(Duration),
    /// Somebody else has taken the settlement over: this process was too slow.
    TakenOver,
}

impl Settling {
    /// A settlement that nobody can have asked for before.
    pub(super) fn first(lease: Lease, held: Held, resource: String) -> Self {
        Self {
            lease,
            held: Some(held),
            asked: Asked::Never,
            begun: false,
            resource,
            tries: 0,
        }
    }

    /// The same, of which it is written down with the result that it begins.
    pub(super) fn begun(lease: Lease, held: Held, resource: String) -> Self {
        Self {
            begun: true,
            ..Self::first(lease, held, resource)
        }
    }

    /// One that was left behind.
    pub(super) fn again(unsettled: Unsettled) -> Self {
        let Unsettled {
            lease,
            held,
            sent,
            transaction,
            tries,
            resource,
        } = unsettled;
        let asked = if sent {
            Asked::Before { transaction }
        } else {
            Asked::Never
        };
        Self {
            lease,
            held: serde_json::from_slice(&held).ok(),
            asked,
            begun: false,
            resource,
            tries,
        }
    }
}

impl Ended {
    /// The settlement, or what the buyer is told instead.
    pub(super) fn or_due(self, quote: &Quote<Sale>) -> Result<SettleResponse, Error> {
        match self {
            Self::Settled(response) => Ok(response),
            Self::Refused(refusal, response) => {
                let due = Due::Sale(Box::new(quote.clone()));
                Err(Error::SettlementRefused {
                    due,
                    code: refusal.code(),
                    response: Box::new(response),
                })
            }
            Self::Unknown(retry_after) => Err(Error::SettlementUnknown { retry_after }),
            Self::TakenOver => Err(Error::SettlementUnknown {
                retry_after: Duration::from_secs(1),
            }),
        }
    }
}

/// Asks to settle, with the same bytes again while the outcome is unknown, and writes down what comes of it.
///
/// # Errors
/// The store failed before anything was sent. Once something may have been sent, a failing store is
/// [`Ended::Unknown`]: the payment is found again as it was left.
pub(super) async fn settle(inner: &Inner, settling: Settling) -> Result<Ended, Error> {
    let Settling {
        lease,
        held,
        mut asked,
        begun,
        resource,
        tries,
    } = settling;
    let paid = inner.paid.as_ref().ok_or(Error::PaidDisabled)?;
    let wait = (paid.timing.retry * 2_u32.saturating_pow(tries.min(16))).min(MINUTE);
    let Some(held) = held else {
        return Ok(Ended::Unknown(MINUTE));
    };
    if !begun {
        let begins = inner
            .db
            .call(move |store| store.take(&lease, &[Step::Settle], now_ms()));
        match begins.await {
            Ok(()) => {}
            Err(StoreError::Lost) => return Ok(Ended::TakenOver),
            Err(error) => return Err(error.into()),
        }
    }
    let deadline = Instant::now() + paid.timing.settle;
    let mut pause = FIRST_PAUSE;
    let failure = loop {
        match paid.gate.settle(&held, &asked).await {
            Ok(settlement) => {
                let kept = keep(inner, lease, &settlement, resource).await;
                return Ok(match kept {
                    Ok(()) => Ended::Settled(settlement.response()),
                    Err(StoreError::Lost) => Ended::TakenOver,
                    Err(_) => Ended::Unknown(wait),
                });
            }
            Err(failure @ (SettleFailure::Refused(_) | SettleFailure::Doubtful(_))) => break failure,
            Err(failure) => {
                asked = asked.after(&failure);
                if Instant::now() + pause >= deadline {
                    break failure;
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    };
    tracing::warn!(error = %failure, tries, "a settlement has not succeeded");
    let response = held.failed(&failure);
    match failure {
        SettleFailure::Refused(reason) => {
            let written = inner
                .db
                .call(move |store| store.take(&lease, &[Step::Refuse], now_ms()))
                .await;
            if let Err(error) = written {
                if matches!(error, StoreError::Lost) {
                    return Ok(Ended::TakenOver);
                }
                tracing::error!(%error, "a refused settlement could not be written down");
                return Ok(Ended::Unknown(wait));
            }
            Ok(Ended::Refused(Refusal::Facilitator(reason), response))
        }
        SettleFailure::Doubtful(_) | SettleFailure::Pending { .. } | SettleFailure::Unknown(_) => {
            put_off(inner, paid, lease, asked, wait, held.expires()).await;
            Ok(Ended::Unknown(wait))
        }
    }
}

/// Leaves the payment to whoever tries next.
async fn put_off(inner: &Inner, paid: &Paid, lease: Lease, asked: Asked, wait: Duration, expires: Timestamp) {
    let over = Timestamp::now() > expires;
    let next_try = now_ms()
        + if over {
            millis(MINUTE * 30)
        } else {
            millis(wait.max(paid.timing.retry))
        };
    let written = inner.db.call(move |store| match asked {
        Asked::Never => store.take(&lease, &[Step::Unsent], now_ms()),
        Asked::Before { transaction } => store.pend(&lease, transaction.as_ref(), next_try, now_ms()),
    });
    if let Err(error) = written.await {
        tracing::warn!(%error, "an unknown settlement could not be put off; it is found when its lease ends");
    }
}

/// Writes the receipt. Afterwards the result may be released.
async fn keep(
    inner: &Inner,
    lease: Lease,
    settlement: &Settlement,
    resource: String,
) -> Result<(), StoreError> {
    let scan_id = match settlement.product {
        Product::Scan | Product::Radius | Product::Full => Some(lease.run),
        Product::Audit => None,
    };
    let receipt = settlement.receipt(ReceiptId::random(), resource, scan_id, Timestamp::now());
    let inferred = match settlement.evidence {
        Evidence::Reported => false,
        Evidence::Inferred => true,
    };
    let transaction = settlement
        .transaction
        .as_ref()
        .map(Transaction::as_str)
        .unwrap_or_default()
        .to_owned();
    let kept = inner.db.call(move |store| {
        store.settle(
            &lease,
            &Settled {
                receipt: &receipt,
                inferred,
            },
            now_ms(),
        )?;
        Ok(receipt)
    });
    match kept.await {
        Ok(receipt) => {
            tracing::info!(receipt.id = %receipt.id, product = %receipt.product, amount = %receipt.amount, transaction, inferred, "settled");
            Ok(())
        }
        Err(error) => {
            tracing::error!(%error, transaction, "the money has moved and the receipt could not be written here");
            Err(error)
        }
    }
}
