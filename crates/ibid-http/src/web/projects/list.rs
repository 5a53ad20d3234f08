//! `GET /workspace/projects`.

use super::super::account::OwnAccount;
use super::super::signed_in::SignedIn;
use super::access::reader;
use crate::extract::SameOrigin;
use crate::problem::ApiError;
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::UsdMicros;
use ibid_service::{OrganisationRole, Service};
use ibid_web::pages::{self, ProjectsPage};

pub(crate) async fn list(signed_in: SignedIn, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let views = service.projects.all(reader(&signed_in)).await?;
    let organisations = service.projects.organisations(signed_in.member.account).await?;
    let own = organisations
        .iter()
        .find(|one| one.role == OrganisationRole::Admin);
    // A person without an organisation gets one with the first project.
    let may_make = signed_in.member.role.may_change() && (own.is_some() || organisations.is_empty());
    let invitations = service.projects.invitations(signed_in.member.account).await?;
    let budget = match own {
        Some(own) => Some(UsdMicros::new(own.budget)),
        None => may_make.then_some(UsdMicros::ZERO),
    };
    let page = ProjectsPage {
        projects: &views,
        invitations: &invitations,
        may_make,
        budget,
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::projects(frame, &page))
}

/// `POST /workspace/invitations/{target}/{answer}`.
pub(crate) async fn answer(
    _site: SameOrigin,
    own: OwnAccount,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (target, answer) = path.into_inner();
    let accepts = match answer.as_str() {
        "accept" => true,
        "decline" => false,
        _ => return Err(ApiError::NoSuchPath),
    };
    let answered = service
        .projects
        .answer_invitation(own.member.account, &target, accepts);
    answered.await?;
    Ok(see_other("/workspace/projects"))
}
