//! Runs one extractor after another: a caller is authenticated before the body is read.

use super::api_caller::ApiCaller;
use super::authenticated::Authenticated;
use super::project_caller::ProjectCaller;
use super::session::SignedInCaller;
use crate::problem::ApiError;
use crate::web::SignedIn;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use std::future::Future;
use std::pin::Pin;

/// A proof of a key or a session.
pub(crate) trait Proof {}

impl Proof for ApiCaller {}
impl Proof for ProjectCaller {}
impl Proof for SignedIn {}
impl Proof for SignedInCaller {}

/// Runs extractor `B` only after `A` has succeeded. Separate extractors run at the same time, and the first error wins.
pub(crate) struct AuthenticatedThen<A, B>(pub(crate) A, pub(crate) B);

impl<A, B> FromRequest for AuthenticatedThen<A, B>
where
    A: FromRequest<Error = ApiError> + Proof,
    B: FromRequest<Error = ApiError>,
{
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let first = A::from_request(&request, &mut Payload::None).await?;
            request.extensions_mut().insert(Authenticated);
            let second = B::from_request(&request, &mut payload).await?;
            Ok(Self(first, second))
        })
    }
}
