//! `/api/v2/projects`: projects, their runs and their history. [`super::project_parts`] has what belongs to one.

use super::project_parts::{change, ordered};
use crate::extract::{Asked, AuthenticatedThen, FileBytes, OrderObject, ProjectCaller, Query, Sent};
use crate::problem::ApiError;
use crate::respond::{Answer, SamePath, attachment, created, handle, json as json_type, private};
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpResponse, web};
use ibid_model::contract::routes::{
    ADD_PROJECT, DELETE_PROJECT, EDIT_PROJECT, IMPORT_PROJECT, LIST_PROJECT_RUNS, LIST_PROJECTS,
    READ_PROJECT, READ_PROJECT_ARCHIVE, READ_PROJECT_HISTORY, READ_PROJECT_QUESTIONS, READ_PROJECT_RUN,
    START_PROJECT_RUN, STOP_PROJECT_RUN,
};
use ibid_model::{FaultCode, Faults};
use ibid_service::{
    AskedQuestion, Error, ProjectCommand, ProjectScope, ProjectView, Right, RunOwner, Service, run_document,
};
use serde_json::{Value, json};

/// Most bytes of an archive: a year with weekly runs, 300 questions to four models, has some 30 MB.
pub(crate) const MOST_ARCHIVE: usize = 48 << 20;

/// Mounts the routes.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    let all = SamePath::of(&ADD_PROJECT, add).and(&LIST_PROJECTS, list);
    let one = SamePath::of(&READ_PROJECT, read)
        .and(&EDIT_PROJECT, edit)
        .and(&DELETE_PROJECT, delete);
    let runs =
        SamePath::of(&LIST_PROJECT_RUNS, runs).and(&START_PROJECT_RUN, ordered(|| ProjectCommand::Run));
    let run = SamePath::of(&READ_PROJECT_RUN, result).and(&STOP_PROJECT_RUN, stop);
    // Their paths look like that of a project.
    super::project_imports::mount(app);
    app.service(handle(&IMPORT_PROJECT, import))
        .service(handle(&READ_PROJECT_ARCHIVE, archive))
        .service(all.resource())
        .service(one.resource())
        .service(runs.resource())
        .service(run.resource())
        .service(handle(&READ_PROJECT_QUESTIONS, questions))
        .service(handle(&READ_PROJECT_HISTORY, history));
}

async fn add(
    AuthenticatedThen(caller, OrderObject(body)): AuthenticatedThen<ProjectCaller, OrderObject>,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    if is_dry(&query) {
        let draft = service.projects.draft(caller.0, &body).await?;
        let forecast = json!({"forecast": draft.forecast.document()});
        return Ok(private(StatusCode::OK, &forecast));
    }
    let view = service.projects.add(caller.0, &body).await?;
    Ok(made(&view, &view.document()))
}

async fn import(
    AuthenticatedThen(caller, FileBytes(file)): AuthenticatedThen<ProjectCaller, FileBytes<MOST_ARCHIVE>>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let view = service.projects.import(caller.0, file.into()).await?;
    Ok(made(&view, &view.document()))
}

pub(super) fn made(view: &ProjectView, body: &Value) -> HttpResponse {
    created(format!("/api/v2/projects/{}", view.record.id), body)
}

async fn archive(Asked(caller, id, service): Asked<ProjectCaller>) -> Answer {
    let scope = scope(&service, &caller, &id, Right::EditProject).await?;
    archive_file(&service, &scope).await
}

/// Sends a project's archive, to be saved as a file.
pub(crate) async fn archive_file(service: &Service, scope: &ProjectScope) -> Result<HttpResponse, ApiError> {
    let name = format!("ibid-project-{}.jsonl.gz", scope.project());
    let archive = service.projects.archive(scope).await?;
    Ok(attachment("application/gzip", &name).body(archive))
}

async fn list(caller: ProjectCaller, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let views = service.projects.all(caller.0).await?;
    let projects: Vec<Value> = views.iter().map(ProjectView::document).collect();
    Ok(private(StatusCode::OK, &json!({"projects": projects})))
}

async fn read(Asked(caller, id, service): Asked<ProjectCaller>) -> Answer {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    Ok(private(StatusCode::OK, &view.document()))
}

async fn edit(
    Sent(caller, OrderObject(body), id, service): Sent<ProjectCaller, OrderObject, String>,
) -> Answer {
    change(&service, &caller, &id, ProjectCommand::Edit(body), None).await
}

async fn delete(Asked(caller, id, service): Asked<ProjectCaller>, query: Query) -> Answer {
    if !is_dry(&query) {
        return change(&service, &caller, &id, ProjectCommand::Delete, None).await;
    }
    let scope = scope(&service, &caller, &id, ProjectCommand::Delete.right()).await?;
    let contents = service.projects.contents(&scope).await?;
    Ok(private(StatusCode::OK, &json!(contents)))
}

async fn runs(Asked(caller, id, service): Asked<ProjectCaller>, query: Query) -> Answer {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    let page = match query.0.text("page") {
        "" => 1,
        text => page_of(text)?,
    };
    let (runs, more) = service.projects.run_page(&scope, page).await?;
    let runs: Vec<Value> = runs.iter().map(|run| run_document(&id, run)).collect();
    Ok(private(StatusCode::OK, &json!({"runs": runs, "more": more})))
}

async fn result(Asked(caller, path, service): Asked<ProjectCaller, (String, String)>) -> Answer {
    let (id, scan) = path.into_inner();
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    let scan = scan.parse().map_err(|_| Error::ProjectNotFound)?;
    let reader = service.projects.run_reader(&scope, scan).await.map_err(no_run)?;
    let stored = service.scans.stored(scan, &reader).await.map_err(no_run)?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, json_type()))
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .body(stored.document))
}

async fn stop(Asked(caller, path, service): Asked<ProjectCaller, (String, String)>) -> Answer {
    let (id, scan) = path.into_inner();
    let scope = scope(&service, &caller, &id, Right::RunProject).await?;
    let scan = scan.parse().map_err(|_| Error::ProjectNotFound)?;
    let owner = RunOwner::Project(scope.project());
    let stopped = service.scans.cancel_queued(&owner, scan).await.map_err(no_run)?;
    let (ended, answered) = (stopped.run.ended_at.is_some(), stopped.run.stored);
    let stopped = json!({"scanId": scan, "ended": ended, "answered": answered});
    Ok(private(StatusCode::ACCEPTED, &stopped))
}

async fn questions(Asked(caller, id, service): Asked<ProjectCaller>) -> Answer {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    let (view, asked) = service.projects.asked(&scope).await?;
    let project = view.document();
    let asked: Vec<Value> = asked.iter().map(AskedQuestion::document).collect();
    let found = json!({
        "questionSet": project["questionSet"],
        "questionsPerModel": project["questionsPerModel"],
        "questions": asked,
    });
    Ok(private(StatusCode::OK, &found))
}

async fn history(Asked(caller, id, service): Asked<ProjectCaller>) -> Answer {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    let history = service.projects.history(&scope).await?;
    Ok(private(StatusCode::OK, &history.document()))
}

/// The proof that the caller may use a project in a way.
pub(super) async fn scope(
    service: &Service,
    caller: &ProjectCaller,
    id: &str,
    right: Right,
) -> Result<ProjectScope, ApiError> {
    Ok(service.projects.scope(caller.0, id, right).await?)
}

pub(super) fn is_dry(query: &Query) -> bool {
    query.0.text("dryRun") == "true"
}

pub(super) fn page_of(text: &str) -> Result<u32, Error> {
    let page = text.parse().ok().filter(|page| *page > 0);
    let fault = || {
        Faults::one(
            "/page",
            FaultCode::OutOfRange,
            "page must be a whole number from 1",
        )
    };
    page.ok_or_else(|| Error::Invalid(fault()))
}

fn no_run(error: Error) -> Error {
    match error {
        Error::NotFound => Error::ProjectNotFound,
        error => error,
    }
}
