//! JSON objects from request bodies of limited size.

use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use actix_web::{FromRequest, HttpRequest};
use futures_util::StreamExt;
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::Pin;

/// A JSON object of at most `MOST` bytes. No `Debug`: it may hold a key.
pub(crate) struct JsonObject<const MOST: usize = 65_536>(pub(crate) Map<String, Value>);

impl<const MOST: usize> FromRequest for JsonObject<MOST> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = JsonBytes::<MOST>::from_request(request, payload);
        Box::pin(async move { parse(&bytes.await?.0).map(Self) })
    }
}

/// A JSON object as [`JsonObject`]. An empty body counts as an object without members.
pub(crate) struct OptionalObject<const MOST: usize = 65_536>(pub(crate) Map<String, Value>);

impl<const MOST: usize> FromRequest for OptionalObject<MOST> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let json = is_json(request);
        let mut payload = payload.take();
        Box::pin(async move {
            let body = read::<MOST>(&mut payload).await?;
            if body.trim_ascii().is_empty() {
                return Ok(Self(Map::new()));
            }
            if !json {
                return Err(ApiError::ContentType("application/json"));
            }
            parse(&body).map(Self)
        })
    }
}

/// A body of at most `MOST` bytes that is declared as JSON, not yet parsed.
pub(crate) struct JsonBytes<const MOST: usize>(pub(crate) Vec<u8>);

impl<const MOST: usize> FromRequest for JsonBytes<MOST> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let json = is_json(request);
        let mut payload = payload.take();
        Box::pin(async move {
            if !json {
                return Err(ApiError::ContentType("application/json"));
            }
            read::<MOST>(&mut payload).await.map(Self)
        })
    }
}

pub(super) async fn read<const MOST: usize>(payload: &mut Payload) -> Result<Vec<u8>, ApiError> {
    let mut body = Vec::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| ApiError::Malformed("The body ended early."))?;
        if body.len() + chunk.len() > MOST {
            return Err(ApiError::TooLarge { most: MOST });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn parse(body: &[u8]) -> Result<Map<String, Value>, ApiError> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(ApiError::Malformed("The body must be a JSON object.")),
        Err(_) => Err(ApiError::Malformed("The body is not valid JSON.")),
    }
}

/// Whether the body is declared as JSON and not compressed. A body without a type counts as JSON.
fn is_json(request: &HttpRequest) -> bool {
    let coding = request.headers().get(CONTENT_ENCODING);
    if coding.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return false;
    }
    let Some(value) = request.headers().get(CONTENT_TYPE) else {
        return true;
    };
    let Ok(text) = value.to_str() else { return false };
    let kind = text.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json") || {
        let kind = kind.to_ascii_lowercase();
        kind.starts_with("application/") && kind.ends_with("+json")
    }
}
