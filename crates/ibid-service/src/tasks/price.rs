//! What a request costs, and what it is once it is planned.

use super::Tasks;
use super::error::{broken, call_error};
use crate::paid::{Due, Offer, ReceiptsOrder, RequestHash};
use crate::{Error, Job};
use ibid_a2a::{CallError, Request};
use ibid_model::Product;
use ibid_x402::{Payment, Quote};
use serde_json::{Value, json};
use std::sync::Arc;

/// A request that can be done.
pub(super) struct Priced {
    pub(super) wanted: Wanted,
    /// What is asked for it: the value of `x402.payment.required`.
    pub(super) required: Value,
}

/// What is wanted, planned.
pub(super) enum Wanted {
    /// Work.
    Job(Job),
    /// The receipts of whoever signs.
    Receipts(ReceiptsOrder),
}

impl Tasks {
    /// Plans and prices a request. Every fault that can be told without money is told here.
    pub(super) fn price(&self, request: &Request) -> Result<Priced, CallError> {
        self.try_price(request).map_err(|error| call_error(&error))
    }

    fn try_price(&self, request: &Request) -> Result<Priced, Error> {
        let paid = self.inner.paid.as_ref().ok_or(Error::PaidDisabled)?;
        let (skill, fields) = (request.skill(), request.fields());
        let listing = self.listing(skill);
        let (wanted, due) = match skill.product() {
            Some(product) => {
                if matches!(product, Product::Audit | Product::Full) && !self.service.audits() {
                    return Err(Error::AuditUnavailable);
                }
                let job = self.service.job(product, fields)?;
                let quote = paid.quote(&job, listing)?;
                (Wanted::Job(job), Due::Sale(Box::new(quote)))
            }
            None => {
                let order = ReceiptsOrder::read(fields).map_err(Error::Invalid)?;
                let quote = Quote::proof(Arc::clone(&paid.terms), Arc::clone(listing));
                (Wanted::Receipts(order), Due::Proof(Box::new(quote)))
            }
        };
        Ok(Priced {
            wanted,
            required: json!(due.body("payment_required")),
        })
    }

    /// What a purchase of this request brings. The same request of the REST surface has the same hash, so a payment
    /// fetches its result from either.
    pub(super) fn offer(&self, request: &Request, payment: Payment) -> Offer {
        Offer {
            payment: Some(payment),
            listing: Arc::clone(self.listing(request.skill())),
            request: RequestHash::of(request.skill(), request.fields()),
        }
    }
}

/// The payment that a message carries.
pub(super) fn payment(
    submission: &ibid_a2a::Submission,
    header: Option<Payment>,
) -> Result<Payment, CallError> {
    match (submission, header) {
        (ibid_a2a::Submission::InMetadata(payload), _) => Payment::from_json(&payload.expose().to_string())
            .map_err(|error| CallError::misfit("malformed_payment", format!("{error}; nothing was spent"))),
        (ibid_a2a::Submission::InHeader, Some(payment)) => Ok(payment),
        (
            ibid_a2a::Submission::InHeader | ibid_a2a::Submission::Silent | ibid_a2a::Submission::Declined,
            _,
        ) => Err(broken(Error::Ended)),
    }
}
