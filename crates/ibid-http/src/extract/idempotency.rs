//! A request that its caller may repeat, by its key.

use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use ibid_model::{FaultCode, Faults};
use ibid_service::{CallerId, Error, RepeatableRequest, RequestHash};
use std::future::{Ready, ready};

const HEADER: &str = "Idempotency-Key";
const MOST: usize = 255;

/// The header `Idempotency-Key`, if it was sent.
pub(crate) struct IdempotencyKey(Option<String>);

impl IdempotencyKey {
    /// Returns what a caller may repeat; `None` without a key. The hash is that of a body without a provider key.
    pub(crate) fn of(
        &self,
        caller: &CallerId,
        hash: impl FnOnce() -> RequestHash,
    ) -> Option<RepeatableRequest> {
        let key = self.0.as_deref()?;
        Some(RepeatableRequest::new(caller.clone(), key, hash()))
    }
}

impl FromRequest for IdempotencyKey {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let mut values = request.headers().get_all(HEADER);
        let Some(value) = values.next() else {
            return ready(Ok(Self(None)));
        };
        let key = value.to_str().unwrap_or_default();
        let usable = (1..=MOST).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        ready(if usable && values.next().is_none() {
            Ok(Self(Some(key.to_owned())))
        } else {
            let message = "Idempotency-Key takes 1 to 255 visible ASCII characters, once";
            Err(Error::Invalid(Faults::one(HEADER, FaultCode::Invalid, message)).into())
        })
    }
}
