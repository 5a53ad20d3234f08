//! Plans requests and prices them.

use super::error::{call_error, internal_error};
use super::handle::Tasks;
use super::limits::Caller;
use super::purchase::Wanted;
use crate::error::Error;
use crate::paid::{PaymentOffer, ReceiptsOrder};
use crate::payment_due::PaymentDue;
use crate::request_hash::RequestHash;
use ibid_a2a::{CallError, Request, Required};
use ibid_model::ProblemCode;
use ibid_x402::{Payment, PriceQuote};
use std::sync::Arc;

/// A request with its plan and its price.
pub(super) struct Priced {
    pub(super) wanted: Wanted,
    /// The demand for payment.
    pub(super) required: Required,
}

impl Tasks {
    /// Plans and prices a request.
    /// Reports every fault that does not depend on the payment.
    pub(super) async fn price(&self, request: &Request) -> Result<Priced, CallError> {
        self.try_price(request).await.map_err(|error| call_error(&error))
    }

    async fn try_price(&self, request: &Request) -> Result<Priced, Error> {
        let sales = self.service.shop.sales()?;
        let (skill, fields) = (request.skill(), request.fields());
        let wanted = match skill.product() {
            Some(product) => {
                self.service.shop.check_sold(product)?;
                Wanted::Job(self.service.scans.job(product, fields).await?)
            }
            None => Wanted::Receipts(ReceiptsOrder::read(fields)?),
        };

        let listing = Arc::clone(self.listings.get(skill));
        let due = match &wanted {
            Wanted::Job(job) => PaymentDue::Sale(Box::new(sales.quote_job(job, &listing)?)),
            Wanted::Receipts(_) => PaymentDue::Proof(Box::new(PriceQuote::proof(sales.terms()?, listing))),
        };
        let code = ProblemCode::PaymentRequired;
        let required = Required::of(&due.body(code));
        let required = required.and_then(|required| required.with_v2(&due.body_v2(code)));
        let required = required.map_err(Error::Unwritable)?;
        Ok(Priced { wanted, required })
    }

    /// Offers a payment for a request. The same request over REST has the same hash,
    /// so a payment fetches its result from both surfaces.
    pub(super) fn offer(&self, request: &Request, payment: Payment, caller: Caller) -> PaymentOffer {
        PaymentOffer {
            payment: Some(payment),
            caller,
            listing: Arc::clone(self.listings.get(request.skill())),
            request: RequestHash::of(request.skill(), request.fields()),
        }
    }
}

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
        ) => Err(internal_error(Error::Ended)),
    }
}
