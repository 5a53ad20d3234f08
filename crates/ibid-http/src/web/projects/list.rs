//! `GET /workspace/projects`.

use super::super::account::OwnAccount;
use super::super::history::time;
use super::super::signed_in::SignedIn;
use super::access::reader;
use super::one::attention;
use crate::extract::SameOrigin;
use crate::problem::ApiError;
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::UsdMicros;
use ibid_service::{Attention, OrganisationRole, ProjectStatus, Service};
use ibid_web::pages::{self, InvitationRow, ProjectRow, ProjectsPage};

pub(crate) async fn list(signed_in: SignedIn, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let views = service.projects.all(reader(&signed_in)).await?;
    let organisations = service.projects.organisations(signed_in.member.account).await?;
    let own = organisations
        .iter()
        .find(|one| one.role == OrganisationRole::Admin);
    // A person without an organisation gets one with the first project.
    let may_make = signed_in.member.role.may_change() && (own.is_some() || organisations.is_empty());
    let attention: Vec<Vec<&str>> = views
        .iter()
        .map(|view| attention(view, may_make).map(Attention::words).collect())
        .collect();
    let ids: Vec<String> = views.iter().map(|view| view.record.id.to_string()).collect();
    let rows: Vec<ProjectRow<'_>> = views
        .iter()
        .zip(&attention)
        .zip(&ids)
        .map(|((view, attention), id)| {
            let record = &view.record;
            let level = record.level.map(|level| (level.score, Some(level.interval)));
            let last = record.summary.map(|summary| (summary.score, summary.interval));
            let is_active = view.status() == ProjectStatus::Active;
            ProjectRow {
                id,
                name: &record.name,
                domain: &record.domain,
                keyword: &record.keyword,
                place: record.place.as_deref().unwrap_or_default(),
                status: view.status().as_str(),
                score: level.or(last),
                verdict: record.verdict.as_deref().unwrap_or_default(),
                attention,
                spent: UsdMicros::new(record.spent),
                budget: record.budget.map(UsdMicros::new),
                next: record.next_due.filter(|_| is_active).map(time),
            }
        })
        .collect();
    let invitations = service.projects.invitations(signed_in.member.account).await?;
    let invitations: Vec<InvitationRow<'_>> = invitations
        .iter()
        .map(|invitation| InvitationRow {
            target: invitation.target.to_string(),
            organisation: &invitation.organisation,
            project: invitation.project.as_deref(),
        })
        .collect();
    let budget = match own {
        Some(own) => Some(UsdMicros::new(own.budget)),
        None => may_make.then_some(UsdMicros::ZERO),
    };
    let page = ProjectsPage {
        rows: &rows,
        invitations: &invitations,
        may_make,
        budget,
    };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::projects(&browser.frame(), &page))
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
