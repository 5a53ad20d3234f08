//! What the website's own data say: imports into a project, and how they agree with its samples.

use super::projects::{is_dry, scope};
use crate::extract::{Asked, FileBytes, JsonObject, ProjectCaller, Proof, Query, Sent};
use crate::problem::ApiError;
use crate::respond::{Answer, SamePath, handle, private};
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, HttpResponse, web};
use ibid_model::contract::routes::{DELETE_OWN_DATA, IMPORT_OWN_DATA, IMPORT_OWN_ROWS, READ_OWN_DATA};
use ibid_service::{MOST_OWN_DATA, OwnDataFile, OwnDataTurn, OwnDataUse, ProjectScope, Right, Service};
use std::future::Future;
use std::pin::Pin;

/// Most bytes of daily rows: 20,000 rows with long addresses.
const MOST_ROWS: usize = 8 << 20;

/// Mounts the routes.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    app.service(
        SamePath::of(&READ_OWN_DATA, read)
            .and(&IMPORT_OWN_DATA, import)
            .resource(),
    )
    .service(handle(&IMPORT_OWN_ROWS, import_rows))
    .service(handle(&DELETE_OWN_DATA, delete));
}

/// A caller with a key who may import now. The import counts before the body is read.
struct Importer {
    caller: ProjectCaller,
    turn: OwnDataTurn,
}

impl Proof for Importer {}

impl FromRequest for Importer {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let caller = ProjectCaller::from_request(request, payload);
        let service = request.app_data::<web::Data<Service>>().cloned();
        Box::pin(async move {
            let caller = caller.await?;
            let service = service.ok_or(ApiError::NotReady)?;
            let turn = service.projects.begin_own_data(caller.0)?;
            Ok(Self { caller, turn })
        })
    }
}

async fn read(Asked(caller, id, service): Asked<ProjectCaller>) -> Answer {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    own_data(&service, &scope).await
}

async fn import(
    Sent(importer, FileBytes(file), id, service): Sent<Importer, FileBytes<MOST_OWN_DATA>, String>,
    query: Query,
) -> Answer {
    let scope = scope(&service, &importer.caller, &id, Right::EditProject).await?;
    let text = |name: &str| query.0.text(name).to_owned();
    let file = OwnDataFile {
        name: text("name"),
        format: text("format"),
        until: text("until"),
        bytes: Some(file.into()),
    };
    let read = service
        .projects
        .read_own_data(&scope, importer.turn, file, purpose(&query));
    Ok(private(StatusCode::OK, &read.await?.document()))
}

async fn import_rows(
    Sent(importer, JsonObject(body), id, service): Sent<Importer, JsonObject<MOST_ROWS>, String>,
    query: Query,
) -> Answer {
    let scope = scope(&service, &importer.caller, &id, Right::EditProject).await?;
    let imported = service
        .projects
        .import_own_rows(&scope, importer.turn, body, purpose(&query));
    Ok(private(StatusCode::OK, &imported.await?))
}

fn purpose(query: &Query) -> OwnDataUse {
    match is_dry(query) {
        true => OwnDataUse::Check,
        false => OwnDataUse::Import {
            lower: query.0.text("lower") == "true",
        },
    }
}

async fn delete(Asked(caller, path, service): Asked<ProjectCaller, (String, String)>) -> Answer {
    let scope = scope(&service, &caller, &path.0, Right::EditProject).await?;
    service.projects.delete_own_data(&scope, &path.1).await?;
    own_data(&service, &scope).await
}

async fn own_data(service: &Service, scope: &ProjectScope) -> Result<HttpResponse, ApiError> {
    let own = service.projects.own_data(scope).await?;
    Ok(private(StatusCode::OK, &own.document()))
}
