//! Runs one extractor after another: a caller is authenticated before the body is read.

use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use std::future::Future;
use std::pin::Pin;

/// Runs extractor `B` only after `A` has succeeded. Separate extractors run at the same time, and the first error wins.
pub(crate) struct Then<A, B>(pub(crate) A, pub(crate) B);

impl<A, B> FromRequest for Then<A, B>
where
    A: FromRequest<Error = ApiError>,
    B: FromRequest<Error = ApiError>,
{
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let first = A::from_request(&request, &mut Payload::None).await?;
            let second = B::from_request(&request, &mut payload).await?;
            Ok(Self(first, second))
        })
    }
}
