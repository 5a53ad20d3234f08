//! What most handlers take: who asks, what the path names, the service, and a body.
//!
//! A caller is authenticated before its body is read.

use super::api_caller::ApiCaller;
use super::authenticated::Authenticated;
use super::project_caller::ProjectCaller;
use super::same_origin::SameOrigin;
use super::session::SignedInCaller;
use crate::problem::ApiError;
use crate::web::SignedIn;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use ibid_service::Service;
use serde::de::DeserializeOwned;
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

/// A caller, what the path names, and the service.
pub(crate) struct Asked<C, P = String>(
    pub(crate) C,
    pub(crate) web::Path<P>,
    pub(crate) web::Data<Service>,
);

impl<C: FromRequest<Error = ApiError>, P: DeserializeOwned> FromRequest for Asked<C, P> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let caller = C::from_request(&request, &mut Payload::None).await?;
            let (path, service) = place(&request).await?;
            Ok(Self(caller, path, service))
        })
    }
}

/// A caller, a body that is read after the caller is known, what the path names, and the service.
pub(crate) struct Sent<C, B, P = ()>(
    pub(crate) C,
    pub(crate) B,
    pub(crate) web::Path<P>,
    pub(crate) web::Data<Service>,
);

impl<C, B, P: DeserializeOwned> FromRequest for Sent<C, B, P>
where
    AuthenticatedThen<C, B>: FromRequest<Error = ApiError>,
{
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let AuthenticatedThen(caller, body) =
                AuthenticatedThen::from_request(&request, &mut payload).await?;
            let (path, service) = place(&request).await?;
            Ok(Self(caller, body, path, service))
        })
    }
}

/// The same for a form, which only a page of this server may send.
pub(crate) struct Posted<C, B, P = ()>(
    pub(crate) C,
    pub(crate) B,
    pub(crate) web::Path<P>,
    pub(crate) web::Data<Service>,
);

impl<C, B, P> FromRequest for Posted<C, B, P>
where
    Sent<C, B, P>: FromRequest<Error = ApiError>,
{
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            SameOrigin::from_request(&request, &mut Payload::None).await?;
            let Sent(caller, body, path, service) = Sent::from_request(&request, &mut payload).await?;
            Ok(Self(caller, body, path, service))
        })
    }
}

async fn place<P: DeserializeOwned>(
    request: &HttpRequest,
) -> Result<(web::Path<P>, web::Data<Service>), ApiError> {
    let path = web::Path::extract(request).await;
    let service = request.app_data::<web::Data<Service>>().cloned();
    Ok((
        path.map_err(|_| ApiError::NoSuchPath)?,
        service.ok_or(ApiError::NotReady)?,
    ))
}
