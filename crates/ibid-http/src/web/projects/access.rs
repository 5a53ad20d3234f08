//! Who reads a page of projects, and what its rows say.

use super::super::signed_in::SignedIn;
use crate::problem::ApiError;
use ibid_service::{ProjectReader, ProjectScope, Projects, Right, Service};

pub(super) fn reader(signed_in: &SignedIn) -> ProjectReader {
    Projects::of_member(&signed_in.member)
}

pub(super) async fn scope(
    service: &Service,
    signed_in: &SignedIn,
    id: &str,
    right: Right,
) -> Result<ProjectScope, ApiError> {
    Ok(service.projects.scope(reader(signed_in), id, right).await?)
}
