//! `GET /workspace/projects/{id}/rivals` and `…/sources`: counted from what the runs name and cite.

use super::super::signed_in::SignedIn;
use super::access::scope;
use crate::extract::Asked;
use crate::respond::Answer;
use actix_web::http::StatusCode;
use ibid_service::Right;
use ibid_web::pages::{self, RivalsPage, SourcesPage};

pub(crate) async fn rivals(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let rivals = service.projects.rivals_over_time(&scope).await?;
    let page = RivalsPage {
        id: &id,
        name: &view.record.name,
        rivals: &rivals,
        may_write: scope.may(Right::EditProject),
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::project_rivals(frame, &page))
}

pub(crate) async fn sources(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let sources = service.projects.sources(&scope).await?;
    let page = SourcesPage {
        id: &id,
        name: &view.record.name,
        sources: &sources,
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::project_sources(frame, &page))
}
