//! `GET /workspace/projects/{id}/settings`, and the log of changes as a table.

use super::super::browser::status_of;
use super::super::signed_in::SignedIn;
use super::access::scope;
use super::new;
use crate::extract::{Asked, Query};
use crate::problem::ApiError;
use crate::respond::Answer;
use crate::v2::{about_access, archive_file, change_table};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use ibid_service::{Right, Service};
use ibid_web::pages::{self, ProjectSettingsPage, SettingsMade};
use jiff::Timestamp;

pub(crate) async fn show(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    shown(&signed_in, &service, &id, SettingsMade::default()).await
}

/// `GET /workspace/projects/{id}/changes.csv`.
pub(crate) async fn changes(Asked(signed_in, id, service): Asked<SignedIn>, query: Query) -> Answer {
    let scope = scope(&service, &signed_in, &id, Right::AdminProject).await?;
    let access = about_access(&query)?;
    Ok(change_table(&service.projects.whole_log(&scope, access).await?))
}

/// `GET /workspace/projects/{id}/archive.jsonl.gz`.
pub(crate) async fn archive(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    archive_file(&service, &scope).await
}

pub(super) async fn shown(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    mut made: SettingsMade,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::EditProject).await?;
    let manages = scope.may(Right::AdminProject);
    let project = service.projects.get(&scope).await?;
    let (people, keys, feeds) = match manages {
        true => (
            service.projects.people(&scope).await?,
            service.projects.keys(&scope).await?,
            service.projects.feed_keys(&scope).await?,
        ),
        false => (Vec::new(), Vec::new(), Vec::new()),
    };
    let mut form = made.form.take().unwrap_or_else(|| new::of(&project.body()));
    form.project = Some(id.to_owned());
    new::complete(&mut form, signed_in, service).await?;
    let page = ProjectSettingsPage {
        id,
        project: &project,
        form: &form,
        manages,
        people: &people,
        keys: &keys,
        feeds: &feeds,
        destinations: &service.projects.destinations(&scope).await?,
        sends_mail: service.projects.sends_mail(),
        draws_pdf: service.projects.draws_pdf(),
        contents: service.projects.contents(&scope).await?,
        made: &made,
        now: Timestamp::now(),
    };
    let status = match made.faults.is_empty() {
        true => status_of(&form.faults),
        false => StatusCode::UNPROCESSABLE_ENTITY,
    };
    signed_in
        .browser
        .show(status, |frame| pages::project_settings(frame, &page))
}
