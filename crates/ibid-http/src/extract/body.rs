//! JSON objects from request bodies of limited size.

use super::authenticated::Authenticated;
use super::client_address::ClientAddress;
use crate::bodies::{HeldBody, Sender};
use crate::config::HttpConfig;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use futures_util::StreamExt;
use ibid_model::contract::field::QUESTIONS;
use ibid_model::json_lines::is_sparse;
use ibid_model::strict_json;
use serde_json::error::Category;
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::Pin;
use tokio::time::{Instant, timeout_at};

/// A JSON object of at most `MOST` bytes. No `Debug`, because it may hold a key.
pub(crate) struct JsonObject<const MOST: usize = 65_536>(pub(crate) Map<String, Value>);

impl<const MOST: usize> FromRequest for JsonObject<MOST> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = JsonBytes::<MOST>::from_request(request, payload);
        Box::pin(async move { parse(&bytes.await?.0).map(Self) })
    }
}

/// An order as a JSON object: at most 1 MiB if it has questions of the caller, 64 KiB otherwise.
/// A panel of 300 questions with all members is about 300 KiB; half a MiB would not hold one in every script.
pub(crate) struct OrderObject(pub(crate) Map<String, Value>);

impl FromRequest for OrderObject {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = JsonBytes::<1_048_576>::from_request(request, payload);
        Box::pin(async move {
            let bytes = bytes.await?.0;
            let most = 65_536;
            let body = parse(&bytes);
            if bytes.len() <= most {
                return body.map(Self);
            }
            // A schedule has its order in a member.
            let has_questions = |body: &Map<String, Value>| {
                let order = body.get("order").and_then(Value::as_object).unwrap_or(body);
                order.contains_key(QUESTIONS.name)
            };
            let body = body.ok().filter(has_questions);
            body.map(Self).ok_or(ApiError::TooLarge { most })
        })
    }
}

/// A JSON object as [`JsonObject`]. An empty body counts as an object without members.
pub(crate) struct OptionalObject<const MOST: usize = 65_536>(pub(crate) Map<String, Value>);

impl<const MOST: usize> FromRequest for OptionalObject<MOST> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let json = is_json(&request);
            let body = read(&request, &mut payload, MOST).await?;
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

/// A file of any type with at most `MOST` bytes: 5,000 lines with questions have 200 KiB.
pub(crate) struct FileBytes<const MOST: usize = 1_048_576>(pub(crate) Vec<u8>);

impl<const MOST: usize> FromRequest for FileBytes<MOST> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move { read(&request, &mut payload, MOST).await.map(Self) })
    }
}

/// A body of at most `MOST` bytes that is declared as JSON, not yet parsed.
pub(crate) struct JsonBytes<const MOST: usize>(pub(crate) Vec<u8>);

impl<const MOST: usize> FromRequest for JsonBytes<MOST> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            if !is_json(&request) {
                return Err(ApiError::ContentType("application/json"));
            }
            read(&request, &mut payload, MOST).await.map(Self)
        })
    }
}

/// Reads at most `most` bytes within the bounds of [`Bodies`](crate::Bodies).
/// Its bytes count until the request is answered.
///
/// # Errors
/// 413, 408 for a body that arrives too slowly, 503 or 429 where bodies take too much memory, 503 when the server stops
/// before the body is complete.
pub(super) async fn read(
    request: &HttpRequest,
    payload: &mut Payload,
    most: usize,
) -> Result<Vec<u8>, ApiError> {
    if declared(request).is_some_and(|bytes| bytes > most as u64) {
        return Err(ApiError::TooLarge { most });
    }
    let config = request
        .app_data::<web::Data<HttpConfig>>()
        .ok_or(ApiError::NotReady)?;
    let (bodies, start) = (&config.bodies, Instant::now());
    let mut held: HeldBody = bodies.begin(sender(request).await?)?;
    let mut body = Vec::new();
    loop {
        let next = tokio::select! {
            biased;
            next = timeout_at(start + bodies.due(body.len()), payload.next()) => next,
            () = config.shutdown.stopped() => return Err(ApiError::Stopping),
        };
        let chunk = match next {
            Ok(Some(chunk)) => chunk.map_err(|_| ApiError::Malformed("The body ended early."))?,
            Ok(None) => break,
            Err(_) => return Err(ApiError::BodyTooSlow),
        };
        if body.len() + chunk.len() > most {
            return Err(ApiError::TooLarge { most });
        }
        held.grow(chunk.len())?;
        body.extend_from_slice(&chunk);
    }
    held.arrived();
    request.extensions_mut().insert(held);
    Ok(body)
}

fn declared(request: &HttpRequest) -> Option<u64> {
    request.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn sender(request: &HttpRequest) -> Result<Sender, ApiError> {
    if request.extensions().contains::<Authenticated>() {
        return Ok(Sender::Known);
    }
    let ClientAddress(address) = ClientAddress::from_request(request, &mut Payload::None).await?;
    Ok(Sender::Anonymous(ibid_service::network_of(address)))
}

fn parse(body: &[u8]) -> Result<Map<String, Value>, ApiError> {
    if !is_sparse(body) {
        return Err(ApiError::Malformed(
            "The body has too many values for its length.",
        ));
    }
    match strict_json::parse(body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(ApiError::Malformed("The body must be a JSON object.")),
        Err(error) if error.classify() == Category::Data => Err(ApiError::Malformed(
            "An object of the body has the same member twice.",
        )),
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
