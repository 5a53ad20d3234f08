//! What belongs to a project: rivals, notes, people, keys, log.

use super::projects::{page_of, scope};
use crate::answer_tables;
use crate::extract::{Asked, AuthenticatedThen, JsonObject, ProjectCaller, Query};
use crate::problem::ApiError;
use crate::respond::{Answer, SamePath, attachment, handle, private};
use actix_web::http::StatusCode;
use actix_web::{Handler, HttpResponse, web};
use ibid_model::contract::routes::{
    ADD_ACTION, ADD_ANNOTATION, ADD_DESTINATION, ADD_PERSON, DELETE_ACTION, DELETE_ANNOTATION,
    DELETE_DESTINATION, DELETE_RIVAL, EDIT_ACTION, HIDE_BADGE, LIST_ACTIONS, LIST_ANNOTATIONS,
    LIST_DESTINATIONS, LIST_FEED_KEYS, LIST_PEOPLE, LIST_PROJECT_KEYS, LIST_RIVALS, MAKE_FEED_KEY,
    MAKE_PROJECT_KEY, PUT_RIVAL, READ_ACTION, READ_ANSWER_TABLE, READ_ANSWER_WORKBOOK, READ_AUDIT_LOG,
    READ_AUDIT_TABLE, READ_MOVES, READ_SOURCES, REMOVE_PERSON, REVOKE_FEED_KEY, REVOKE_PROJECT_KEY,
    SHOW_BADGE, TEST_DESTINATION,
};
use ibid_model::{FaultCode, Faults};
use ibid_service::{
    ActionView, AnnotationRecord, ApiKeyRecord, DestinationView, Done, Error, ProjectCommand as Command,
    ProjectEvent, ProjectPerson, ProjectScope, Right, Service, change_document, feed_key_document,
    scheduled_run_document,
};
use ibid_web::csv::{self, ChangeRow};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// Mounts the routes.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    app.service(
        SamePath::of(&LIST_RIVALS, List::Rivals.handler())
            .and(&PUT_RIVAL, List::Rivals.after_body(Command::PutRival))
            .resource(),
    )
    .service(handle(&DELETE_RIVAL, List::Rivals.after(Command::DeleteRival)))
    .service(handle(&READ_MOVES, moves))
    .service(handle(&READ_SOURCES, sources))
    .service(
        SamePath::of(&LIST_ANNOTATIONS, List::Notes.handler())
            .and(&ADD_ANNOTATION, List::Notes.after_body(Command::Note))
            .resource(),
    )
    .service(handle(&DELETE_ANNOTATION, List::Notes.after(Command::DeleteNote)))
    .service(
        SamePath::of(&LIST_ACTIONS, List::Actions.handler())
            .and(&ADD_ACTION, List::Actions.after_body(Command::AddAction))
            .resource(),
    )
    .service(
        SamePath::of(&READ_ACTION, action)
            .and(&EDIT_ACTION, edit_action)
            .and(&DELETE_ACTION, List::Actions.after(Command::DeleteAction))
            .resource(),
    )
    .service(
        SamePath::of(&LIST_PEOPLE, List::People.handler())
            .and(&ADD_PERSON, List::People.after_body(Command::Invite))
            .resource(),
    )
    .service(handle(&REMOVE_PERSON, List::People.after(Command::RemovePerson)))
    .service(
        SamePath::of(&LIST_PROJECT_KEYS, List::Keys.handler())
            .and(&MAKE_PROJECT_KEY, List::Keys.after_body(Command::MakeKey))
            .resource(),
    )
    .service(handle(&REVOKE_PROJECT_KEY, List::Keys.after(Command::RevokeKey)))
    .service(
        SamePath::of(&SHOW_BADGE, ordered(|| Command::Badge(true)))
            .and(&HIDE_BADGE, ordered(|| Command::Badge(false)))
            .resource(),
    )
    .service(
        SamePath::of(&LIST_FEED_KEYS, List::FeedKeys.handler())
            .and(&MAKE_FEED_KEY, List::FeedKeys.after_body(Command::MakeFeedKey))
            .resource(),
    )
    .service(handle(
        &REVOKE_FEED_KEY,
        List::FeedKeys.after(Command::RevokeFeedKey),
    ))
    .service(handle(&READ_ANSWER_TABLE, answer_table))
    .service(handle(&READ_ANSWER_WORKBOOK, answer_workbook))
    .service(
        SamePath::of(&LIST_DESTINATIONS, List::Destinations.handler())
            .and(
                &ADD_DESTINATION,
                List::Destinations.after_body(Command::AddDestination),
            )
            .resource(),
    )
    .service(handle(
        &DELETE_DESTINATION,
        List::Destinations.after(Command::DeleteDestination),
    ))
    .service(handle(&TEST_DESTINATION, test_destination))
    .service(handle(&READ_AUDIT_TABLE, log_table))
    .service(handle(&READ_AUDIT_LOG, log));
}

/// A list of a project, which also answers a change that makes nothing new.
#[derive(Clone, Copy)]
pub(super) enum List {
    Rivals,
    Notes,
    Actions,
    Destinations,
    People,
    Keys,
    FeedKeys,
}

/// What a project's handlers take: the caller with the rest of the request, the path, and the service.
type Args<C, P> = (C, web::Path<P>, web::Data<Service>);

impl List {
    const fn right(self) -> Right {
        match self {
            Self::Rivals | Self::Notes | Self::Actions => Right::ReadProject,
            Self::Destinations => Right::EditProject,
            Self::People | Self::Keys | Self::FeedKeys => Right::AdminProject,
        }
    }

    async fn document(self, service: &Service, scope: &ProjectScope) -> Result<Value, Error> {
        let projects = &service.projects;
        Ok(match self {
            Self::Rivals => projects.rivals_over_time(scope).await?.document(),
            Self::Notes => listed("annotations", &projects.annotations(scope).await?, annotation),
            Self::Actions => listed("actions", &projects.actions(scope).await?, ActionView::document),
            Self::Destinations => {
                let all = projects.destinations(scope).await?;
                listed("destinations", &all, DestinationView::document)
            }
            Self::People => listed("people", &projects.people(scope).await?, person),
            Self::Keys => listed("keys", &projects.keys(scope).await?, key),
            Self::FeedKeys => listed("feedKeys", &projects.feed_keys(scope).await?, feed_key_document),
        })
    }

    /// Reads the list.
    fn handler(self) -> impl Handler<Args<ProjectCaller, String>, Output = Answer> {
        move |caller: ProjectCaller, id: web::Path<String>, service: web::Data<Service>| async move {
            let scope = scope(&service, &caller, &id, self.right()).await?;
            Ok(private(StatusCode::OK, &self.document(&service, &scope).await?))
        }
    }

    /// Carries out the command of a body.
    fn after_body(
        self,
        command: fn(Map<String, Value>) -> Command,
    ) -> impl Handler<Args<AuthenticatedThen<ProjectCaller, JsonObject>, String>, Output = Answer> {
        move |AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ProjectCaller, JsonObject>,
              id: web::Path<String>,
              service: web::Data<Service>| async move {
            change(&service, &caller, &id, command(body), Some(self)).await
        }
    }

    /// Carries out the command for what the end of the path names.
    fn after(
        self,
        command: fn(String) -> Command,
    ) -> impl Handler<Args<ProjectCaller, (String, String)>, Output = Answer> {
        move |caller: ProjectCaller, path: web::Path<(String, String)>, service: web::Data<Service>| async move {
            let (id, named) = path.into_inner();
            change(&service, &caller, &id, command(named), Some(self)).await
        }
    }
}

fn listed<T>(name: &str, rows: &[T], row: fn(&T) -> Value) -> Value {
    let rows: Vec<Value> = rows.iter().map(row).collect();
    json!({name: rows})
}

/// Carries out a command that needs no more than the project.
pub(super) fn ordered(
    command: fn() -> Command,
) -> impl Handler<Args<ProjectCaller, String>, Output = Answer> {
    move |caller: ProjectCaller, id: web::Path<String>, service: web::Data<Service>| async move {
        change(&service, &caller, &id, command(), None).await
    }
}

/// Carries a command out and answers with what it made, or else with the list that it changed.
pub(super) async fn change(
    service: &Service,
    caller: &ProjectCaller,
    id: &str,
    command: Command,
    list: Option<List>,
) -> Answer {
    let (scope, done) = service.projects.carry_out(caller.0, id, command).await?;
    let (status, made) = match done {
        Done::Nothing => match list {
            Some(list) => (StatusCode::OK, list.document(service, &scope).await?),
            None => (StatusCode::OK, json!({})),
        },
        Done::Project(view) => (StatusCode::OK, view.document()),
        Done::Deleted(contents) => (StatusCode::OK, json!(contents)),
        Done::Run(run) => (StatusCode::ACCEPTED, scheduled_run_document(&run)),
        Done::Note(note) => (StatusCode::CREATED, annotation(&note)),
        Done::Action(action) => (StatusCode::CREATED, action.document()),
        Done::Destination(added) => (StatusCode::CREATED, added.document()),
        Done::Person(added) => {
            let person = json!({"accountId": added.account, "link": added.path});
            (StatusCode::CREATED, person)
        }
        Done::Key(key) => {
            let made = json!({"keyId": key.id, "key": key.reveal()});
            (StatusCode::CREATED, made)
        }
        Done::Feed(key) => {
            let made = json!({"feedKeyId": key.id, "key": key.reveal()});
            (StatusCode::CREATED, made)
        }
    };
    Ok(private(status, &made))
}

async fn edit_action(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ProjectCaller, JsonObject>,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Answer {
    let (id, action) = path.into_inner();
    let mut edited = change(&service, &caller, &id, Command::EditAction(action, body), None).await?;
    *edited.status_mut() = StatusCode::OK;
    Ok(edited)
}

async fn test_destination(
    caller: ProjectCaller,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Answer {
    let (id, named) = path.into_inner();
    let command = Command::TestDestination(named);
    let mut sent = change(&service, &caller, &id, command, Some(List::Destinations)).await?;
    *sent.status_mut() = StatusCode::ACCEPTED;
    Ok(sent)
}

async fn moves(
    caller: ProjectCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    let moves = service.projects.moves(&scope).await?;
    Ok(private(StatusCode::OK, &json!(moves)))
}

async fn sources(Asked(caller, id, service): Asked<ProjectCaller>) -> Answer {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    let sources = service.projects.sources(&scope).await?;
    Ok(private(StatusCode::OK, &sources.document()))
}

fn annotation(note: &AnnotationRecord) -> Value {
    json!({"annotationId": note.id, "kind": note.kind.as_str(), "day": note.day, "text": note.text})
}

async fn action(Asked(caller, path, service): Asked<ProjectCaller, (String, String)>) -> Answer {
    let scope = scope(&service, &caller, &path.0, Right::ReadProject).await?;
    let action = service.projects.action(&scope, &path.1).await?;
    Ok(private(StatusCode::OK, &action.document()))
}

fn person(person: &ProjectPerson) -> Value {
    json!({
        "accountId": person.account,
        "email": person.email,
        "organisationRole": person.organisation_role.as_str(),
        "role": person.role.map(ibid_service::ProjectRole::as_str),
        "waits": person.waits,
    })
}

fn key(key: &ApiKeyRecord) -> Value {
    json!({
        "keyId": key.id,
        "name": key.name,
        "access": key.access.as_str(),
        "ofOrganisation": key.of_organisation,
        "createdAt": time(key.created_at),
        "usedAt": key.used_at.map(time),
        "expiresAt": key.expires_at.map(time),
    })
}

async fn answer_table(Asked(caller, id, service): Asked<ProjectCaller>) -> Answer {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    answer_tables::table(&service, &scope).await
}

async fn answer_workbook(Asked(caller, id, service): Asked<ProjectCaller>) -> Answer {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    answer_tables::workbook(&service, &scope).await
}

async fn log(Asked(caller, id, service): Asked<ProjectCaller>, query: Query) -> Answer {
    let scope = scope(&service, &caller, &id, Right::AdminProject).await?;
    let access = about_access(&query)?;
    let page = match query.0.text("page") {
        "" => 1,
        text => page_of(text)?,
    };
    let (changes, more) = service.projects.log(&scope, page, access).await?;
    let changes: Vec<Value> = changes.iter().map(change_document).collect();
    Ok(private(
        StatusCode::OK,
        &json!({"changes": changes, "more": more}),
    ))
}

async fn log_table(Asked(caller, id, service): Asked<ProjectCaller>, query: Query) -> Answer {
    let scope = scope(&service, &caller, &id, Right::AdminProject).await?;
    let access = about_access(&query)?;
    Ok(change_table(&service.projects.whole_log(&scope, access).await?))
}

/// Whether only changes of access are asked for.
pub(crate) fn about_access(query: &Query) -> Result<bool, Error> {
    match query.0.text("about") {
        "" => Ok(false),
        "access" => Ok(true),
        _ => Err(Error::Invalid(Faults::one(
            "/about",
            FaultCode::Invalid,
            "about must be access",
        ))),
    }
}

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
    attachment(csv::CONTENT_TYPE, "audit-log.csv").body(csv::changes(&rows))
}

fn time(millis: i64) -> String {
    ibid_model::time::text(Timestamp::from_millisecond(millis).unwrap_or_default())
}
