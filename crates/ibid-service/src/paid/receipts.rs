//! What a wallet has bought, for a caller who can sign as it.

use super::offer::PaymentOffer;
use super::sales::Sales;
use crate::clock::{millis, now_ms};
use crate::error::Error;
use crate::payment_due::PaymentDue;
use ibid_model::contract::field::{CURSOR, LIMIT};
use ibid_model::{FaultCode, Faults, ObjectReader, Receipt, ReceiptId, ScanId, Skill, Wallet};
use ibid_store::{ClaimMode, ClaimOutcome, PaymentClaim, PaymentStep};
use ibid_x402::{PaymentError, PriceQuote, Proof, Refusal, Rules, Signer, SignerRule};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use tokio::sync::oneshot;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiptsOrder {
    /// The receipt after which the page starts; the latest receipt comes first.
    pub cursor: Option<ReceiptId>,
    /// Most receipts, 1 to 100.
    pub limit: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptPage {
    pub wallet: Wallet,
    /// The receipts, the latest first.
    pub receipts: Vec<Receipt>,
    /// The cursor of the next page, or `null` at the end.
    #[serde(rename = "nextCursor")]
    pub next: Option<ReceiptId>,
}

impl ReceiptsOrder {
    /// Reads `cursor` and `limit`.
    ///
    /// # Errors
    /// Their faults.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Faults> {
        let mut fields = ObjectReader::new(body);
        let cursor = fields.text::<String>(&CURSOR).and_then(|text| {
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
        let limit = fields.whole(&LIMIT).unwrap_or(LIMIT.bounds().1);
        fields.finish(Some(Self {
            cursor,
            limit: limit.into(),
        }))
    }
}

impl Sales {
    /// Finds the receipts for the wallet that signed. The chain never sees a proof's nonce, so the store claims it: a proof
    /// works once.
    ///
    /// # Errors
    /// Every fault of a payment.
    pub(crate) async fn receipts(
        self: &Arc<Self>,
        offer: PaymentOffer,
        order: ReceiptsOrder,
    ) -> Result<ReceiptPage, Error> {
        let (sales, caller) = (Arc::clone(self), offer.caller);
        let found = async {
            let (sender, found) = oneshot::channel();
            // A task, so that a hang-up leaves no claim.
            self.runs.spawn(async move {
                // The caller may have hung up.
                let _ = sender.send(sales.find_receipts(offer, order).await);
            });
            found.await.unwrap_or(Err(Error::Ended))
        };
        self.bound_refusals(caller, found).await
    }

    async fn find_receipts(&self, offer: PaymentOffer, order: ReceiptsOrder) -> Result<ReceiptPage, Error> {
        let (paid, db) = (&self.settings, &self.runs.db);
        let quote = PriceQuote::proof(self.terms()?, Arc::clone(&offer.listing));
        let Some(payment) = offer.payment else {
            return Err(Error::PaymentRequired(PaymentDue::proof(&quote)));
        };
        let refused = |refusal| Error::PaymentRefused {
            due: PaymentDue::proof(&quote),
            refusal,
        };
        let matched = payment.matching(&quote, SignerRule::AnySigner).map_err(refused)?;
        // Taken before the claim, as for orders.
        let place = match matched.signer() {
            Signer::KeyHolder => None,
            Signer::Unproven => Some(self.unproven_place(offer.caller)?),
        };
        let checked = matched
            .in_time(Timestamp::now(), Rules::default())
            .map_err(refused)?;
        let (key, fingerprint, expires) = (
            *checked.key(),
            checked.fingerprint(),
            checked.expires().as_millisecond(),
        );
        let (request, caller, lease) = (offer.request, offer.caller, millis(paid.timing.lease));
        let resource = quote.resource().to_string();
        let visited = db.call(move |store| {
            let now = now_ms();
            let claim = PaymentClaim {
                key: &key,
                fingerprint: fingerprint.as_bytes(),
                request: request.as_bytes(),
                skill: Skill::MyReceipts,
                identifier: None,
                resource: &resource,
                caller: caller.network(),
                run: ScanId::random(),
                expires,
                now,
                lease_until: now + lease,
            };
            store.claim(&claim, ClaimMode::MayStart)
        });
        let ClaimOutcome::Start(lease) = visited.await? else {
            return Err(refused(Refusal::DuplicateNonce));
        };
        let wallet = match paid.gate.identify(checked).await {
            Ok(wallet) => wallet,
            Err(error) => {
                self.apply_payment_steps(lease, &[PaymentStep::Free]).await?;
                return Err(proof_error(&quote, error));
            }
        };
        drop(place);
        let found = db.call(move |store| {
            store.apply_steps(&lease, &[PaymentStep::Prove], now_ms())?;
            store.receipts(&wallet, order.cursor, order.limit)
        });
        let found = found.await?;
        Ok(ReceiptPage {
            wallet,
            receipts: found.receipts,
            next: found.next,
        })
    }
}

fn proof_error(quote: &PriceQuote<Proof>, error: PaymentError) -> Error {
    match error {
        PaymentError::Malformed(bad) => Error::PaymentMalformed(bad),
        PaymentError::Refused(refusal) => Error::PaymentRefused {
            due: PaymentDue::proof(quote),
            refusal,
        },
        PaymentError::Unavailable(outage) => Error::FacilitatorUnavailable(outage),
    }
}
