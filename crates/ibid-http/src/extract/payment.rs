//! A payment in either header.

use crate::extract::ClientAddress;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use ibid_service::{Caller, Error};
use ibid_x402::{PAYMENT_SIGNATURE, Payment, PaymentError, X_PAYMENT};
use std::future::{Ready, ready};

/// The payment that a caller sent, if any. Only its form has been checked.
pub(crate) struct PaymentHeader {
    pub(crate) payment: Option<Payment>,
    /// The caller, whose refused payments are limited.
    pub(crate) caller: Caller,
}

impl FromRequest for PaymentHeader {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let values = |name: &'static str| request.headers().get_all(name).map(|value| value.as_bytes());
        let read = Payment::from_headers(values(X_PAYMENT), values(PAYMENT_SIGNATURE));
        let caller = ClientAddress::from_request(request, payload).into_inner();
        let caller = caller.map(|address| Caller::at(address.0));
        let paying = |payment| caller.map(|caller| Self { payment, caller });
        ready(
            read.map_err(|error| match error {
                PaymentError::Malformed(bad) => Error::PaymentMalformed(bad).into(),
                // Parsing refuses no payment and asks no facilitator.
                PaymentError::Refused(_) | PaymentError::Unavailable(_) => Error::Ended.into(),
            })
            .and_then(paying),
        )
    }
}
