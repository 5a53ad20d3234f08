//! Bearer keys for the v1 API.

use crate::config::HttpConfig;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};
use ibid_service::{CallerId, Service};
use std::future::Future;
use std::pin::Pin;

/// A caller that sent a bearer key: the one of the configuration, or a named service key. A value of this type is the
/// proof.
pub(crate) struct ApiCaller(CallerId);

impl ApiCaller {
    pub(crate) fn id(&self) -> &CallerId {
        &self.0
    }
}

impl FromRequest for ApiCaller {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            match holder(&request).await? {
                Some(caller) => Ok(Self(caller)),
                None => Err(unauthenticated(&request)),
            }
        })
    }
}

/// Refuses a caller without a valid key, and names whom to ask for one.
pub(super) fn unauthenticated(request: &HttpRequest) -> ApiError {
    let config = request.app_data::<web::Data<HttpConfig>>();
    let contact = config.and_then(|config| config.contact_email.clone());
    ApiError::Unauthenticated { contact }
}

async fn holder(request: &HttpRequest) -> Result<Option<CallerId>, ApiError> {
    let Some(token) = bearer(request) else {
        return Ok(None);
    };
    let config = request.app_data::<web::Data<HttpConfig>>();
    let key = config.and_then(|config| config.api_key.as_ref());
    if key.is_some_and(|key| key.matches(token)) {
        return Ok(Some(CallerId::api()));
    }
    match request.app_data::<web::Data<Service>>() {
        Some(service) => Ok(service.accounts.key_holder(token).await?),
        None => Ok(None),
    }
}

/// Returns the token of `Authorization: Bearer …`, with the scheme in upper or lower case (RFC 9110 section 11.1).
/// A request with two of these headers has no token.
pub(super) fn bearer(request: &HttpRequest) -> Option<&[u8]> {
    let mut values = request.headers().get_all(AUTHORIZATION);
    let value = values.next()?.as_bytes();
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_at_checked("Bearer ".len())?;
    scheme
        .eq_ignore_ascii_case(b"Bearer ")
        .then(|| token.trim_ascii())
}
