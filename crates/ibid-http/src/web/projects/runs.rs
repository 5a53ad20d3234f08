//! `GET /workspace/projects/{id}/runs`: all runs of a project, a page at a time.

use super::super::signed_in::SignedIn;
use super::access::scope;
use crate::answer_tables;
use crate::extract::{Asked, Query};
use crate::respond::Answer;
use actix_web::http::StatusCode;
use ibid_service::Right;
use ibid_web::pages::{self, ProjectRunsPage};

/// `GET /workspace/projects/{id}/answers.csv`.
pub(crate) async fn table(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    answer_tables::table(&service, &scope).await
}

/// `GET /workspace/projects/{id}/answers.xlsx`.
pub(crate) async fn workbook(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    answer_tables::workbook(&service, &scope).await
}

pub(crate) async fn show(Asked(signed_in, id, service): Asked<SignedIn>, query: Query) -> Answer {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let number = query.0.text("page").parse().unwrap_or(1).max(1);
    let (runs, more) = service.projects.run_page(&scope, number).await?;
    let page = ProjectRunsPage {
        id: &id,
        project: &view,
        runs: &runs,
        number,
        more,
        may_run: scope.may(Right::RunProject),
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::project_runs(frame, &page))
}
