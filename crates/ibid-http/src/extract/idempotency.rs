//! The key of a request that its caller may repeat.

use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use ibid_model::{FaultCode, Faults, Skill};
use ibid_service::{CallerId, Error, RepeatableRequest, RequestHash};
use serde_json::{Map, Value};
use std::future::{Ready, ready};

const HEADER: &str = "Idempotency-Key";
/// The most characters of a key.
const MOST: usize = 255;

/// The header `Idempotency-Key`, if it was sent.
pub(crate) struct IdempotencyKey(Option<String>);

impl IdempotencyKey {
    /// The repeatable request of a caller; `None` without a key. The body has no provider key in it.
    pub(crate) fn of(
        &self,
        caller: &CallerId,
        skill: Skill,
        body: &Map<String, Value>,
    ) -> Option<RepeatableRequest> {
        let key = self.0.as_deref()?;
        Some(RepeatableRequest::new(
            caller.clone(),
            key,
            RequestHash::of(skill, body),
        ))
    }
}

impl IdempotencyKey {
    /// As [`Self::of`], for a request that queues scans.
    pub(crate) fn of_queued(
        &self,
        caller: &CallerId,
        body: &Map<String, Value>,
    ) -> Option<RepeatableRequest> {
        let key = self.0.as_deref()?;
        Some(RepeatableRequest::new(
            caller.clone(),
            key,
            RequestHash::of_queued(body),
        ))
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
