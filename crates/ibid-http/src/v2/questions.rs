//! `/api/v2/question-sets` and `/api/v2/questions`: questions in callers' own words.

use crate::extract::{ApiCaller, Asked, AuthenticatedThen, Byok, FileBytes, OrderObject, Query, Sent};
use crate::problem::ApiError;
use crate::respond::{Answer, SamePath, attachment, handle, private};
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ETAG, IF_MATCH, LOCATION};
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_model::contract::routes::{
    ADD_QUESTION_SET, CHECK_QUESTIONS, DELETE_QUESTION_SET, IMPORT_QUESTIONS, LIST_QUESTION_SETS,
    PROPOSE_QUESTIONS, READ_QUESTION_SET, REPLACE_QUESTION_SET,
};
use ibid_model::{FaultCode, Faults, QuestionSetName};
use ibid_service::{Error, QuestionSetDraft, QuestionSetView, Service, question_set_document};
use ibid_web::csv;
use serde_json::{Value, json};

/// Mounts the routes.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    let all = SamePath::of(&ADD_QUESTION_SET, add).and(&LIST_QUESTION_SETS, list);
    let one = SamePath::of(&READ_QUESTION_SET, read)
        .and(&REPLACE_QUESTION_SET, replace)
        .and(&DELETE_QUESTION_SET, delete);
    app.service(all.resource())
        .service(one.resource())
        .service(handle(&IMPORT_QUESTIONS, import))
        .service(handle(&CHECK_QUESTIONS, check))
        .service(handle(&PROPOSE_QUESTIONS, propose));
}

async fn add(
    AuthenticatedThen(caller, OrderObject(body)): AuthenticatedThen<ApiCaller, OrderObject>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let draft = QuestionSetDraft::read(&body).map_err(Error::Invalid)?;
    let view = service.questions.add(caller.id(), draft, "written").await?;
    Ok(document(StatusCode::CREATED, &view))
}

async fn list(caller: ApiCaller, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let sets = service.questions.all(caller.id()).await?;
    let sets: Vec<Value> = sets.iter().map(question_set_document).collect();
    Ok(private(StatusCode::OK, &json!({"questionSets": sets})))
}

async fn read(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let Some(table) = id.strip_suffix(".csv") else {
        let view = service.questions.get(caller.id(), parse(&id)?).await?;
        return Ok(document(StatusCode::OK, &view));
    };
    let view = service.questions.get(caller.id(), parse(table)?).await?;
    let name = format!("{}.csv", view.name().replace('@', "-"));
    Ok(attachment(csv::CONTENT_TYPE, &name).body(view.csv()))
}

async fn replace(
    Sent(caller, OrderObject(body), id, service): Sent<ApiCaller, OrderObject, String>,
    request: HttpRequest,
) -> Answer {
    let name = parse(&id)?;
    let draft = QuestionSetDraft::read(&body).map_err(Error::Invalid)?;
    let expected = expected(&request)?;
    let view = service
        .questions
        .replace(caller.id(), name, expected, draft, "written")
        .await?;
    Ok(document(StatusCode::OK, &view))
}

async fn delete(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let name = parse(&id)?;
    let view = service.questions.get(caller.id(), name).await?;
    service.questions.delete(caller.id(), name).await?;
    Ok(document(StatusCode::OK, &view))
}

async fn import(
    Sent(caller, FileBytes(file), id, service): Sent<ApiCaller, FileBytes, String>,
    Query(query): Query,
) -> Answer {
    let is_set = |name: &str| query.text(name) == "true";
    let dry = is_set("dryRun");
    let imported = service
        .questions
        .import(caller.id(), parse(&id)?, file, (dry, is_set("info")))
        .await?;
    Ok(private(StatusCode::OK, &imported.document(dry)))
}

async fn check(
    AuthenticatedThen(_, OrderObject(body)): AuthenticatedThen<ApiCaller, OrderObject>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let report = service.questions.check(&body).await?;
    Ok(private(StatusCode::OK, &report))
}

async fn propose(
    AuthenticatedThen(caller, OrderObject(body)): AuthenticatedThen<ApiCaller, OrderObject>,
    byok: Byok,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let key = byok.of_header().map_err(Error::Invalid)?;
    let order = service.questions.proposal_order(&body)?;
    let proposal = service.questions.propose(caller.id(), order, key).await?;
    Ok(private(StatusCode::OK, &proposal.document()))
}

/// Parses the name of a set. A malformed name is answered like an unknown one.
fn parse(name: &str) -> Result<QuestionSetName, ApiError> {
    name.parse().map_err(|_| Error::QuestionSetNotFound.into())
}

/// The version that `If-Match` names; `None` without the header and for `*`.
fn expected(request: &HttpRequest) -> Result<Option<u32>, Error> {
    let Some(value) = request.headers().get(IF_MATCH) else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let version = text.trim_start_matches("W/").trim_matches('"').parse();
    version.map(Some).map_err(|_| {
        let message = "If-Match must be the number of a version in quotes, such as \"4\"";
        Error::Invalid(Faults::one("If-Match", FaultCode::Invalid, message))
    })
}

fn document(status: StatusCode, view: &QuestionSetView) -> HttpResponse {
    let mut response = HttpResponse::build(status);
    response
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .insert_header((ETAG, format!("\"{}\"", view.version.version)));
    if status == StatusCode::CREATED {
        let id = view.name();
        let id = id.split('@').next().unwrap_or(&id).to_owned();
        response.insert_header((LOCATION, format!("/api/v2/question-sets/{id}")));
    }
    response.json(view.document())
}
