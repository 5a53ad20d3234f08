//! Figures of payments for the operator.

use super::sales::CallTimes;
use super::sales::Sales;
use crate::clock::now_ms;
use crate::error::Error;
use ibid_model::{AtomicUsdc, Skill};
use ibid_store::{PaymentCount, PaymentState};
use std::sync::atomic::Ordering;

/// Figures of payments at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct PaymentFigures {
    /// How many payments there are by state and skill.
    pub counts: Vec<PaymentCount>,
    /// The age in seconds of the oldest payment with an unknown settlement; 0 without one.
    pub oldest_unknown: u64,
    /// Receipts that an earlier version inferred from a used nonce.
    pub inferred: u64,
    /// Receipts of reported settlements whose transfer the chain does not show.
    pub missing: u64,
    /// Transfers without a receipt in the last two days, as of today's look at the chain.
    pub unrecorded: u64,
    /// What the orders that are under way or unpaid are worth.
    pub exposure: AtomicUsdc,
    /// Calls to the facilitator.
    pub calls: [CallTimes; 2],
    /// Whether the facilitator serves the network, as far as known.
    pub served: bool,
}

impl Sales {
    pub(crate) async fn figures(&self) -> Result<PaymentFigures, Error> {
        let db = &self.runs.db;
        let read = db.call(|store| Ok((store.payment_counts()?, store.unproven_payments()?)));
        let (counts, unproven) = read.await?;
        let open = counts.iter().filter(|count| count.state.is_open());
        let prices = self.settings.terms.prices();
        let value = open.map(|count| {
            let skill: Option<Skill> = count.skill.parse().ok();
            let price = skill.map_or(0, |skill| prices.of(skill).get());
            // A refused payment is payable only while its authorization is valid.
            let payments = match count.state {
                PaymentState::Refused => count.valid,
                _ => count.payments,
            };
            price.saturating_mul(payments)
        });
        Ok(PaymentFigures {
            exposure: AtomicUsdc::new(value.sum()),
            oldest_unknown: unproven.unknown_since.map_or(0, |since| {
                u64::try_from((now_ms() - since) / 1_000).unwrap_or_default()
            }),
            inferred: unproven.inferred,
            missing: unproven.missing,
            unrecorded: self.unrecorded.load(Ordering::Relaxed),
            calls: self.latency.now(),
            served: self.is_served(),
            counts,
        })
    }
}
