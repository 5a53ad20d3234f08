//! What a request costs, and what it is once it is planned.

use super::Tasks;
use super::error::{broken, call_error};
use crate::paid::{Due, Offer, Paid, ReceiptsOrder, RequestHash};
use crate::{Error, Job};
use ibid_a2a::{CallError, Request, Required};
use ibid_model::{Product, Skill};
use ibid_x402::{Payment, Quote};
use std::sync::{Arc, OnceLock};

/// A request that can be done.
pub(super) struct Priced {
    pub(super) wanted: Wanted,
    /// What is asked for it.
    pub(super) required: Required,
}

/// What is wanted, planned.
pub(super) enum Wanted {
    /// Work.
    Job(Job),
    /// The receipts of whoever signs.
    Receipts(ReceiptsOrder),
}

/// What is asked for each skill. Neither prices nor terms change while the service runs, so each is written once.
#[derive(Default)]
pub(super) struct Demands {
    scan: OnceLock<Required>,
    radius: OnceLock<Required>,
    audit: OnceLock<Required>,
    full: OnceLock<Required>,
    my_receipts: OnceLock<Required>,
}

impl Demands {
    const fn of(&self, skill: Skill) -> &OnceLock<Required> {
        match skill {
            Skill::Scan => &self.scan,
            Skill::Radius => &self.radius,
            Skill::Audit => &self.audit,
            Skill::Full => &self.full,
            Skill::MyReceipts => &self.my_receipts,
        }
    }
}

impl Tasks {
    /// Plans and prices a request. Every fault that can be told without money is told here.
    pub(super) fn price(&self, request: &Request) -> Result<Priced, CallError> {
        self.try_price(request).map_err(|error| call_error(&error))
    }

    /// The price of a request alone, for who only asks: as [`Self::price`], without the plan.
    pub(super) fn ask(&self, request: &Request) -> Result<Required, CallError> {
        self.try_ask(request).map_err(|error| call_error(&error))
    }

    fn try_price(&self, request: &Request) -> Result<Priced, Error> {
        let paid = self.seller(request)?;
        let (skill, fields) = (request.skill(), request.fields());
        let wanted = match skill.product() {
            Some(product) => {
                let job = self.service.job(product, fields)?;
                paid.check(product, job.estimate())?;
                Wanted::Job(job)
            }
            None => Wanted::Receipts(ReceiptsOrder::read(fields).map_err(Error::Invalid)?),
        };
        let required = self.required(paid, skill)?;
        Ok(Priced { wanted, required })
    }

    fn try_ask(&self, request: &Request) -> Result<Required, Error> {
        let paid = self.seller(request)?;
        let (skill, fields) = (request.skill(), request.fields());
        match skill.product() {
            Some(product) => {
                let estimate = self.service.estimate(product, fields)?;
                paid.check(product, estimate)?;
            }
            None => drop(ReceiptsOrder::read(fields).map_err(Error::Invalid)?),
        }
        self.required(paid, skill)
    }

    /// What is needed to sell this, if it is sold here.
    fn seller(&self, request: &Request) -> Result<&Paid, Error> {
        let paid = self.inner.paid.as_ref().ok_or(Error::PaidDisabled)?;
        match request.skill().product() {
            Some(Product::Audit | Product::Full) if !self.service.audits() => Err(Error::AuditUnavailable),
            Some(_) | None => Ok(paid),
        }
    }

    fn required(&self, paid: &Paid, skill: Skill) -> Result<Required, Error> {
        let demand = self.demands.of(skill);
        if let Some(required) = demand.get() {
            return Ok(required.clone());
        }
        let (terms, listing) = (Arc::clone(&paid.terms), Arc::clone(self.listing(skill)));
        let due = match skill.product() {
            Some(product) => Due::Sale(Box::new(Quote::sale(product, terms, listing))),
            None => Due::Proof(Box::new(Quote::proof(terms, listing))),
        };
        let written = Required::of(&due.body("payment_required")).map_err(Error::Unwritable)?;
        Ok(demand.get_or_init(|| written).clone())
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
