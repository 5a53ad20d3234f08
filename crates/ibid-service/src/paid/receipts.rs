//! A wallet's own purchases, for whoever can sign as that wallet.

use super::{Due, Offer, millis, now_ms};
use crate::Error;
use crate::service::Inner;
use ibid_model::{FaultCode, Faults, Fields, Receipt, ReceiptId, ScanId, Skill, Wallet};
use ibid_store::{Entry, Step, Visit, Visited};
use ibid_x402::{PaymentError, Proof, Quote, Refusal, Rules, SignerRule};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A proof, and which receipts are wanted.
pub(crate) struct ProofOffer {
    pub(crate) offer: Offer,
    pub(crate) order: ReceiptsOrder,
}

/// Which receipts are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiptsOrder {
    /// After which receipt; the latest first.
    pub cursor: Option<ReceiptId>,
    /// Most receipts, 1 to 100.
    pub limit: u16,
}

/// A page of receipts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptPage {
    /// Whose they are.
    pub wallet: Wallet,
    /// The receipts, the latest first.
    pub receipts: Vec<Receipt>,
    /// What to ask with for the next page; `None` at the end.
    #[serde(rename = "nextCursor")]
    pub next: Option<ReceiptId>,
}

/// Most receipts of a page, and the usual number.
const MOST: u8 = 100;

impl ReceiptsOrder {
    /// Reads `cursor` and `limit`.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Faults> {
        let mut fields = Fields::new(body);
        let cursor = fields.text::<String>("cursor").and_then(|text| {
            let cursor = text.parse::<ReceiptId>();
            if cursor.is_err() {
                fields.fault(
                    "/cursor",
                    FaultCode::Invalid,
                    "cursor is no nextCursor of an answer",
                );
            }
            cursor.ok()
        });
        let limit = fields.whole("limit", 1, MOST).unwrap_or(MOST);
        fields.finish(Some(Self {
            cursor,
            limit: limit.into(),
        }))
    }
}

/// Finds the receipts of whoever signed. The chain never sees the nonce, so it is claimed here: a proof works once.
pub(crate) async fn receipts(inner: &Arc<Inner>, wanted: ProofOffer) -> Result<ReceiptPage, Error> {
    let worker = Arc::clone(inner);
    // A task: whoever hangs up in the middle leaves no claim behind.
    let task = inner.runtime.spawn(
        inner
            .runs
            .track_future(async move { find(&worker, wanted).await }),
    );
    task.await.unwrap_or(Err(Error::Ended))
}

async fn find(inner: &Inner, wanted: ProofOffer) -> Result<ReceiptPage, Error> {
    let ProofOffer { offer, order } = wanted;
    let paid = inner.paid.as_ref().ok_or(Error::PaidDisabled)?;
    let quote = Quote::proof(Arc::clone(&paid.terms), Arc::clone(&offer.listing));
    let Some(payment) = offer.payment else {
        return Err(Error::PaymentRequired(Due::Proof(Box::new(quote))));
    };
    let refused = |refusal| Error::PaymentRefused {
        due: Due::Proof(Box::new(quote.clone())),
        refusal,
    };
    let checked = payment.matching(&quote, SignerRule::Anybody).map_err(refused)?;
    let checked = checked
        .in_time(Timestamp::now(), Rules::default())
        .map_err(refused)?;
    let (key, fingerprint, expires) = (
        *checked.key(),
        checked.fingerprint(),
        checked.expires().as_millisecond(),
    );
    let (request, lease) = (offer.request, millis(paid.timing.lease));
    let resource = quote.resource().to_string();
    let visited = inner.db.call(move |store| {
        let now = now_ms();
        let visit = Visit {
            key: &key,
            fingerprint: fingerprint.as_bytes(),
            request: request.as_bytes(),
            skill: Skill::MyReceipts,
            resource: &resource,
            run: ScanId::random(),
            expires,
            now,
            lease_until: now + lease,
        };
        store.visit(&visit, Entry::MayStart)
    });
    let Visited::Start(lease) = visited.await? else {
        return Err(refused(Refusal::DuplicateNonce));
    };
    let wallet = match paid.gate.identify(checked).await {
        Ok(wallet) => wallet,
        Err(error) => {
            inner
                .db
                .call(move |store| store.take(&lease, &[Step::Free], now_ms()))
                .await?;
            return Err(proof_error(&quote, error));
        }
    };
    let found = inner.db.call(move |store| {
        store.take(&lease, &[Step::Prove], now_ms())?;
        store.receipts(&wallet, order.cursor, order.limit)
    });
    let found = found.await?;
    Ok(ReceiptPage {
        wallet,
        receipts: found.receipts,
        next: found.next,
    })
}

fn proof_error(quote: &Quote<Proof>, error: PaymentError) -> Error {
    match error {
        PaymentError::Malformed(bad) => Error::PaymentMalformed(bad),
        PaymentError::Refused(refusal) => Error::PaymentRefused {
            due: Due::Proof(Box::new(quote.clone())),
            refusal,
        },
        PaymentError::Unavailable(outage) => Error::FacilitatorUnavailable(outage),
    }
}
