//! Keys that open projects.

use super::api_caller::{bearer, unauthenticated};
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use ibid_service::{KEY_PREFIX, ProjectReader, Service};
use std::future::Future;
use std::pin::Pin;

/// A caller that sent a key of a project or of an organisation. A value of this type is the proof. Other keys of this server open no
/// project.
pub(crate) struct ProjectCaller(pub(crate) ProjectReader);

impl FromRequest for ProjectCaller {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let service = request.app_data::<web::Data<Service>>();
            let reader = match (bearer(&request), service) {
                (Some(token), Some(service)) => service.projects.of_key(token).await?,
                (None, _) | (_, None) => None,
            };
            match reader {
                Some(reader) => Ok(Self(reader)),
                None => Err(unauthenticated(&request)),
            }
        })
    }
}

/// Whether a bearer key looks like one for projects. It has not been checked.
pub(crate) fn is_project_key(request: &HttpRequest) -> bool {
    bearer(request).is_some_and(|token| token.starts_with(KEY_PREFIX.as_bytes()))
}
