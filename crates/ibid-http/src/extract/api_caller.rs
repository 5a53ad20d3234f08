//! The bearer key of the v1 API.

use crate::config::HttpConfig;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};
use ibid_service::CallerId;
use std::future::{Ready, ready};

/// A caller that sent the bearer key. A value of this type is the proof.
pub(crate) struct ApiCaller(CallerId);

impl ApiCaller {
    pub(crate) fn id(&self) -> &CallerId {
        &self.0
    }
}

impl FromRequest for ApiCaller {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let config = request.app_data::<web::Data<HttpConfig>>();
        let key = config.and_then(|config| config.api_key.as_ref());
        let valid = bearer(request)
            .zip(key)
            .is_some_and(|(token, key)| key.matches(token));
        ready(if valid {
            Ok(Self(CallerId::api()))
        } else {
            Err(ApiError::Unauthenticated {
                contact: config.and_then(|config| config.contact_email.clone()),
            })
        })
    }
}

/// Returns the token of `Authorization: Bearer …`, with the scheme in upper or lower case (RFC 9110 section 11.1). Two
/// headers count as none.
fn bearer(request: &HttpRequest) -> Option<&[u8]> {
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
