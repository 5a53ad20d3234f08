//! Answers that were given elsewhere, which come into a project in pieces.

use super::projects::{made, scope};
use crate::extract::{Asked, AuthenticatedThen, FileBytes, JsonObject, ProjectCaller, Sent};
use crate::problem::ApiError;
use crate::respond::{Answer, SamePath, handle, private};
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::contract::routes::{
    BEGIN_ANSWER_IMPORT, DELETE_ANSWER_IMPORT, LIST_ANSWER_IMPORTS, MOVE_IN, PUT_ANSWERS, READ_ANSWER_IMPORT,
};
use ibid_service::{AnswerImportDraft, AnswerImportView, Error, MOST_PART, ProjectScope, Right, Service};
use serde_json::{Value, json};

/// Most bytes of the body that begins an import: 300 questions with their members, 200 competitors, 1,000 lines.
const MOST: usize = 1 << 20;
/// Most bytes of the body that begins an import into a project: 1,000 lines and 200 columns.
const MOST_LINES: usize = 512 << 10;

/// Mounts the routes.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    let all = SamePath::of(&LIST_ANSWER_IMPORTS, list).and(&BEGIN_ANSWER_IMPORT, begin);
    let one = SamePath::of(&READ_ANSWER_IMPORT, read).and(&DELETE_ANSWER_IMPORT, delete);
    app.service(handle(&MOVE_IN, move_in))
        .service(all.resource())
        .service(one.resource())
        .service(handle(&PUT_ANSWERS, put));
}

async fn move_in(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ProjectCaller, JsonObject<MOST>>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (view, import, is_new) = service.projects.move_in(caller.0, &body).await?;
    let moved = json!({"project": view.document(), "import": import.document()});
    if !is_new {
        return Ok(private(StatusCode::OK, &moved));
    }
    Ok(made(&view, &moved))
}

async fn list(Asked(caller, id, service): Asked<ProjectCaller>) -> Answer {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    import_list(&service, &scope).await
}

async fn begin(
    Sent(caller, JsonObject(body), id, service): Sent<ProjectCaller, JsonObject<MOST_LINES>, String>,
) -> Answer {
    let scope = scope(&service, &caller, &id, Right::EditProject).await?;
    let draft = AnswerImportDraft::read(&body).map_err(Error::Invalid)?;
    let import = service.projects.begin_answers(&scope, draft).await?;
    Ok(private(StatusCode::OK, &import.document()))
}

async fn read(Asked(caller, path, service): Asked<ProjectCaller, (String, String)>) -> Answer {
    let scope = scope(&service, &caller, &path.0, Right::ReadProject).await?;
    let import = service.projects.answer_import(&scope, &path.1).await?;
    Ok(private(StatusCode::OK, &import.document()))
}

async fn delete(Asked(caller, path, service): Asked<ProjectCaller, (String, String)>) -> Answer {
    let scope = scope(&service, &caller, &path.0, Right::EditProject).await?;
    service.projects.delete_answers(&scope, &path.1).await?;
    import_list(&service, &scope).await
}

async fn put(
    Sent(caller, FileBytes(part), path, service): Sent<
        ProjectCaller,
        FileBytes<MOST_PART>,
        (String, String, String),
    >,
) -> Answer {
    let (id, import, number) = path.into_inner();
    let scope = scope(&service, &caller, &id, Right::EditProject).await?;
    let import = service
        .projects
        .put_answers(&scope, &import, &number, part.into())
        .await?;
    Ok(private(StatusCode::OK, &import.document()))
}

async fn import_list(service: &Service, scope: &ProjectScope) -> Result<HttpResponse, ApiError> {
    let imports = service.projects.answer_imports(scope).await?;
    let imports: Vec<Value> = imports.iter().map(AnswerImportView::summary).collect();
    Ok(private(StatusCode::OK, &json!({"imports": imports})))
}
