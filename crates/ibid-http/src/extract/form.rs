//! The fields of a form that a browser sent.

use super::body::read;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest, HttpRequest};
use std::future::Future;
use std::pin::Pin;

const KIND: &str = "application/x-www-form-urlencoded";

/// Urlencoded fields of at most `MOST` bytes, in order. No `Debug`: they may hold a password.
pub(crate) struct FormFields<const MOST: usize = 16_384>(Vec<(String, String)>);

impl<const MOST: usize> FormFields<MOST> {
    /// The first value of a field; empty if it is not there.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// Every value of a field.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let fields = self.0.iter().filter(move |(known, _)| known == name);
        fields.map(|(_, value)| value.as_str())
    }
}

impl<const MOST: usize> FromRequest for FormFields<MOST> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let kind = request
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
        let is_form = kind.trim().eq_ignore_ascii_case(KIND);
        let mut payload = payload.take();
        Box::pin(async move {
            if !is_form {
                return Err(ApiError::ContentType(KIND));
            }
            let body = read::<MOST>(&mut payload).await?;
            let fields = url::form_urlencoded::parse(&body).into_owned();
            Ok(Self(fields.collect()))
        })
    }
}
