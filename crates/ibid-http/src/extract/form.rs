//! Forms and query strings as pairs of texts.

use super::body::read;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest, HttpRequest};
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use url::form_urlencoded;

const URLENCODED: &str = "application/x-www-form-urlencoded";

/// Pairs of texts, in order. No `Debug`, because there may be a password among them.
#[derive(Default)]
pub(crate) struct Pairs(Vec<(String, String)>);

impl Pairs {
    fn read(text: &[u8]) -> Self {
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    /// Adds a pair at the end.
    pub(super) fn push(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }

    /// Returns the first value of a name, trimmed; empty if the name is absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default().trim()
    }

    /// Takes the first value of a name out, as it was sent.
    pub(crate) fn take(&mut self, name: &str) -> String {
        let found = self.0.iter_mut().find(|(known, _)| known == name);
        found.map(|(_, value)| std::mem::take(value)).unwrap_or_default()
    }

    /// Every value of a name.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.iter()
            .filter(move |(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Every pair.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// A query. Every text is a valid one.
pub(crate) struct Query(pub(crate) Pairs);

impl FromRequest for Query {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(Pairs::read(request.query_string().as_bytes()))))
    }
}

/// A form without files, with at most `MOST` bytes.
pub(crate) struct Form<const MOST: usize = 65_536>(pub(crate) Pairs);

impl<const MOST: usize> FromRequest for Form<MOST> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let kind = request
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let known = kind.is_some_and(|kind| {
            let kind = kind.split(';').next().unwrap_or_default().trim();
            kind.eq_ignore_ascii_case(URLENCODED)
        });
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            if !known {
                return Err(ApiError::ContentType(URLENCODED));
            }
            Ok(Self(Pairs::read(&read(&request, &mut payload, MOST).await?)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_keep_their_order_and_lose_nothing() {
        let mut pairs = Pairs::read(b"a=1&b=%C3%A6+b&a=+2+&c&=x&password=%20p%20");
        assert_eq!(pairs.all("a").collect::<Vec<_>>(), ["1", " 2 "]);
        assert_eq!(
            (pairs.text("b"), pairs.text("c"), pairs.text("d")),
            ("\u{e6} b", "", "")
        );
        assert_eq!(pairs.take("password"), " p ");
        assert_eq!(pairs.text("password"), "");
        assert_eq!(pairs.iter().count(), 6);
    }
}
