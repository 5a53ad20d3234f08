//! What belongs to a project: rivals, notes, people, keys, log.

use super::projects::{document, scope};
use crate::answer_tables;
use crate::extract::{AuthenticatedThen, JsonObject, ProjectCaller};
use crate::problem::ApiError;
use crate::respond::{SamePath, handle};
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use actix_web::{HttpResponse, web};
use ibid_model::contract::routes::{
    ADD_ACTION, ADD_ANNOTATION, ADD_DESTINATION, ADD_PERSON, DELETE_ACTION, DELETE_ANNOTATION,
    DELETE_DESTINATION, DELETE_RIVAL, EDIT_ACTION, HIDE_BADGE, LIST_ACTIONS, LIST_ANNOTATIONS,
    LIST_DESTINATIONS, LIST_FEED_KEYS, LIST_PEOPLE, LIST_PROJECT_KEYS, LIST_RIVALS, MAKE_FEED_KEY,
    MAKE_PROJECT_KEY, PUT_RIVAL, READ_ACTION, READ_ANSWER_TABLE, READ_ANSWER_WORKBOOK, READ_AUDIT_LOG,
    READ_AUDIT_TABLE, READ_SOURCES, REMOVE_PERSON, REVOKE_FEED_KEY, REVOKE_PROJECT_KEY, SHOW_BADGE,
    TEST_DESTINATION,
};
use ibid_service::{
    ActionDraft, ActionView, AnnotationDraft, AnnotationRecord, ApiKeyRecord, DestinationView, Error,
    ProjectEvent, ProjectPerson, ProjectScope, Right, RivalDraft, Service, change_document,
    feed_key_document,
};
use ibid_web::csv::{self, ChangeRow};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Mounts the routes.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    app.service(
        SamePath::of(&LIST_RIVALS, rivals)
            .and(&PUT_RIVAL, put_rival)
            .resource(),
    )
    .service(handle(&DELETE_RIVAL, delete_rival))
    .service(handle(&READ_SOURCES, sources))
    .service(
        SamePath::of(&LIST_ANNOTATIONS, annotations)
            .and(&ADD_ANNOTATION, annotate)
            .resource(),
    )
    .service(handle(&DELETE_ANNOTATION, delete_annotation))
    .service(
        SamePath::of(&LIST_ACTIONS, actions)
            .and(&ADD_ACTION, add_action)
            .resource(),
    )
    .service(
        SamePath::of(&READ_ACTION, action)
            .and(&EDIT_ACTION, edit_action)
            .and(&DELETE_ACTION, delete_action)
            .resource(),
    )
    .service(
        SamePath::of(&LIST_PEOPLE, people)
            .and(&ADD_PERSON, add_person)
            .resource(),
    )
    .service(handle(&REMOVE_PERSON, remove_person))
    .service(
        SamePath::of(&LIST_PROJECT_KEYS, keys)
            .and(&MAKE_PROJECT_KEY, make_key)
            .resource(),
    )
    .service(handle(&REVOKE_PROJECT_KEY, revoke_key))
    .service(
        SamePath::of(&SHOW_BADGE, show_badge)
            .and(&HIDE_BADGE, hide_badge)
            .resource(),
    )
    .service(
        SamePath::of(&LIST_FEED_KEYS, feed_keys)
            .and(&MAKE_FEED_KEY, make_feed_key)
            .resource(),
    )
    .service(handle(&REVOKE_FEED_KEY, revoke_feed_key))
    .service(handle(&READ_ANSWER_TABLE, answer_table))
    .service(handle(&READ_ANSWER_WORKBOOK, answer_workbook))
    .service(
        SamePath::of(&LIST_DESTINATIONS, destinations)
            .and(&ADD_DESTINATION, add_destination)
            .resource(),
    )
    .service(handle(&DELETE_DESTINATION, delete_destination))
    .service(handle(&TEST_DESTINATION, test_destination))
    .service(handle(&READ_AUDIT_TABLE, log_table))
    .service(handle(&READ_AUDIT_LOG, log));
}

async fn rivals(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    rival_list(&service, &scope).await
}

async fn put_rival(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ProjectCaller, JsonObject>,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::EditProject).await?;
    let draft = RivalDraft::read(&body).map_err(Error::Invalid)?;
    service.projects.put_rival(&scope, draft).await?;
    rival_list(&service, &scope).await
}

async fn delete_rival(
    caller: ProjectCaller,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &path.0, Right::EditProject).await?;
    service.projects.delete_rival(&scope, &path.1).await?;
    rival_list(&service, &scope).await
}

async fn rival_list(service: &Service, scope: &ProjectScope) -> Result<HttpResponse, ApiError> {
    let rivals = service.projects.rivals_over_time(scope).await?;
    Ok(document(StatusCode::OK, &rivals.document()))
}

async fn sources(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    let sources = service.projects.sources(&scope).await?;
    Ok(document(StatusCode::OK, &sources.document()))
}

async fn annotations(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    annotation_list(&service, &scope).await
}

async fn annotate(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ProjectCaller, JsonObject>,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::EditProject).await?;
    let draft = AnnotationDraft::read(&body).map_err(Error::Invalid)?;
    let note = service.projects.annotate(&scope, draft).await?;
    Ok(document(StatusCode::CREATED, &annotation(&note)))
}

async fn delete_annotation(
    caller: ProjectCaller,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &path.0, Right::EditProject).await?;
    service.projects.delete_annotation(&scope, &path.1).await?;
    annotation_list(&service, &scope).await
}

async fn annotation_list(service: &Service, scope: &ProjectScope) -> Result<HttpResponse, ApiError> {
    let notes = service.projects.annotations(scope).await?;
    let notes: Vec<Value> = notes.iter().map(annotation).collect();
    Ok(document(StatusCode::OK, &json!({"annotations": notes})))
}

fn annotation(note: &AnnotationRecord) -> Value {
    json!({"annotationId": note.id, "kind": note.kind.as_str(), "day": note.day, "text": note.text})
}

async fn actions(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    action_list(&service, &scope).await
}

async fn add_action(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ProjectCaller, JsonObject>,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::EditProject).await?;
    let draft = ActionDraft::read(&body).map_err(Error::Invalid)?;
    let action = service.projects.add_action(&scope, draft).await?;
    Ok(document(StatusCode::CREATED, &action.document()))
}

async fn action(
    caller: ProjectCaller,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &path.0, Right::ReadProject).await?;
    let action = service.projects.action(&scope, &path.1).await?;
    Ok(document(StatusCode::OK, &action.document()))
}

async fn edit_action(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ProjectCaller, JsonObject>,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &path.0, Right::EditProject).await?;
    let draft = ActionDraft::read(&body).map_err(Error::Invalid)?;
    let action = service.projects.edit_action(&scope, &path.1, draft).await?;
    Ok(document(StatusCode::OK, &action.document()))
}

async fn delete_action(
    caller: ProjectCaller,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &path.0, Right::EditProject).await?;
    service.projects.delete_action(&scope, &path.1).await?;
    action_list(&service, &scope).await
}

async fn action_list(service: &Service, scope: &ProjectScope) -> Result<HttpResponse, ApiError> {
    let actions = service.projects.actions(scope).await?;
    let actions: Vec<Value> = actions.iter().map(ActionView::document).collect();
    Ok(document(StatusCode::OK, &json!({"actions": actions})))
}

async fn show_badge(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    set_badge(&service, &caller, &id, true).await
}

async fn hide_badge(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    set_badge(&service, &caller, &id, false).await
}

async fn set_badge(
    service: &Service,
    caller: &ProjectCaller,
    id: &str,
    shown: bool,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, caller, id, Right::EditProject).await?;
    let view = service.projects.show_badge(&scope, shown).await?;
    Ok(document(StatusCode::OK, &view.document()))
}

async fn destinations(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::EditProject).await?;
    destination_list(StatusCode::OK, &service, &scope).await
}

async fn add_destination(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ProjectCaller, JsonObject>,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::EditProject).await?;
    let added = service.projects.add_destination(&scope, &body).await?;
    Ok(document(StatusCode::CREATED, &added.document()))
}

async fn delete_destination(
    caller: ProjectCaller,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &path.0, Right::EditProject).await?;
    service.projects.delete_destination(&scope, &path.1).await?;
    destination_list(StatusCode::OK, &service, &scope).await
}

async fn test_destination(
    caller: ProjectCaller,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &path.0, Right::EditProject).await?;
    service.projects.test_destination(&scope, &path.1).await?;
    destination_list(StatusCode::ACCEPTED, &service, &scope).await
}

async fn destination_list(
    status: StatusCode,
    service: &Service,
    scope: &ProjectScope,
) -> Result<HttpResponse, ApiError> {
    let destinations = service.projects.destinations(scope).await?;
    let destinations: Vec<Value> = destinations.iter().map(DestinationView::document).collect();
    Ok(document(status, &json!({"destinations": destinations})))
}

async fn people(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::AdminProject).await?;
    person_list(&service, &scope).await
}

async fn add_person(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ProjectCaller, JsonObject>,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::AdminProject).await?;
    let added = service.projects.add_person(&scope, &body).await?;
    let person = json!({"accountId": added.account, "link": added.path});
    Ok(document(StatusCode::CREATED, &person))
}

async fn remove_person(
    caller: ProjectCaller,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &path.0, Right::AdminProject).await?;
    service.projects.remove_person(&scope, &path.1).await?;
    person_list(&service, &scope).await
}

async fn person_list(service: &Service, scope: &ProjectScope) -> Result<HttpResponse, ApiError> {
    let person = |person: &ProjectPerson| {
        json!({
            "accountId": person.account,
            "email": person.email,
            "organisationRole": person.organisation_role.as_str(),
            "role": person.role.map(ibid_service::ProjectRole::as_str),
            "waits": person.waits,
        })
    };
    let people = service.projects.people(scope).await?;
    let people: Vec<Value> = people.iter().map(person).collect();
    Ok(document(StatusCode::OK, &json!({"people": people})))
}

async fn keys(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::AdminProject).await?;
    key_list(&service, &scope).await
}

async fn make_key(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ProjectCaller, JsonObject>,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::AdminProject).await?;
    let key = service.projects.make_key(&scope, &body).await?;
    let made = json!({"keyId": key.id, "key": key.reveal()});
    Ok(document(StatusCode::CREATED, &made))
}

async fn revoke_key(
    caller: ProjectCaller,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &path.0, Right::AdminProject).await?;
    service.projects.revoke_key(&scope, &path.1).await?;
    key_list(&service, &scope).await
}

async fn key_list(service: &Service, scope: &ProjectScope) -> Result<HttpResponse, ApiError> {
    let key = |key: &ApiKeyRecord| {
        json!({
            "keyId": key.id,
            "name": key.name,
            "access": key.access.as_str(),
            "ofOrganisation": key.of_organisation,
            "createdAt": time(key.created_at),
            "usedAt": key.used_at.map(time),
            "expiresAt": key.expires_at.map(time),
        })
    };
    let keys = service.projects.keys(scope).await?;
    let keys: Vec<Value> = keys.iter().map(key).collect();
    Ok(document(StatusCode::OK, &json!({"keys": keys})))
}

async fn feed_keys(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::AdminProject).await?;
    feed_key_list(&service, &scope).await
}

async fn make_feed_key(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ProjectCaller, JsonObject>,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::AdminProject).await?;
    let key = service.projects.make_feed_key(&scope, &body).await?;
    let made = json!({"feedKeyId": key.id, "key": key.reveal()});
    Ok(document(StatusCode::CREATED, &made))
}

async fn revoke_feed_key(
    caller: ProjectCaller,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &path.0, Right::AdminProject).await?;
    service.projects.revoke_feed_key(&scope, &path.1).await?;
    feed_key_list(&service, &scope).await
}

async fn feed_key_list(service: &Service, scope: &ProjectScope) -> Result<HttpResponse, ApiError> {
    let keys = service.projects.feed_keys(scope).await?;
    let keys: Vec<Value> = keys.iter().map(feed_key_document).collect();
    Ok(document(StatusCode::OK, &json!({"feedKeys": keys})))
}

async fn answer_table(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    answer_tables::table(&service, &scope).await
}

async fn answer_workbook(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    answer_tables::workbook(&service, &scope).await
}

async fn log(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::AdminProject).await?;
    let changes = service.projects.log(&scope).await?;
    let changes: Vec<Value> = changes.iter().map(change_document).collect();
    Ok(document(StatusCode::OK, &json!({"changes": changes})))
}

async fn log_table(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::AdminProject).await?;
    Ok(change_table(&service.projects.log(&scope).await?))
}

/// The log of a project as a table.
pub(crate) fn change_table(changes: &[ProjectEvent]) -> HttpResponse {
    let times: Vec<String> = changes.iter().map(|change| time(change.at)).collect();
    let rows: Vec<ChangeRow<'_>> = changes
        .iter()
        .zip(&times)
        .map(|(change, at)| ChangeRow {
            at,
            actor: change.email.as_deref().unwrap_or(&change.actor),
            action: &change.action,
            members: change.members.as_deref().unwrap_or_default(),
        })
        .collect();
    HttpResponse::Ok()
        .content_type(csv::CONTENT_TYPE)
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"audit-log.csv\""))
        .body(csv::changes(&rows))
}

fn time(millis: i64) -> String {
    ibid_model::time::text(Timestamp::from_millisecond(millis).unwrap_or_default())
}
