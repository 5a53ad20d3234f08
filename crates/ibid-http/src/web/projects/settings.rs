//! `GET /workspace/projects/{id}/settings`, and the log of changes as a table.

use super::super::history::time;
use super::super::signed_in::SignedIn;
use super::access::scope;
use super::new;
use crate::extract::Query;
use crate::problem::ApiError;
use crate::v2::{about_access, archive_file, change_table};
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::Faults;
use ibid_service::{
    DestinationView, DigestPeriod, KeyAccess, OrganisationRole, ProjectContents, ProjectPerson, ProjectRole,
    Right, Service, WebhookKind,
};
use ibid_web::pages::{
    self, DestinationRow, FeedKeyRow, PersonLine, ProjectForm, ProjectKeyRow, ProjectSettingsPage,
};
use jiff::Timestamp;

/// What a form on the page made, and its faults.
#[derive(Default)]
pub(super) struct Made {
    /// The form of the project as it was sent; `None` for what the project has.
    pub(super) form: Option<ProjectForm>,
    pub(super) link: Option<String>,
    pub(super) key: Option<String>,
    /// The secret of a new webhook.
    pub(super) secret: Option<String>,
    /// The address of the feeds that a new key opens.
    pub(super) feed: Option<String>,
    pub(super) said: Option<&'static str>,
    pub(super) faults: Faults,
}

pub(crate) async fn show(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    shown(&signed_in, &service, &id, Made::default()).await
}

/// `GET /workspace/projects/{id}/changes.csv`.
pub(crate) async fn changes(
    signed_in: SignedIn,
    id: web::Path<String>,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::AdminProject).await?;
    let access = about_access(&query)?;
    Ok(change_table(&service.projects.whole_log(&scope, access).await?))
}

/// `GET /workspace/projects/{id}/archive.jsonl.gz`.
pub(crate) async fn archive(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    archive_file(&service, &scope).await
}

pub(super) async fn shown(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    mut made: Made,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::EditProject).await?;
    let (manages, now) = (scope.may(Right::AdminProject), Timestamp::now());
    let view = service.projects.get(&scope).await?;
    let (people, keys) = match manages {
        true => (
            service.projects.people(&scope).await?,
            service.projects.keys(&scope).await?,
        ),
        false => (Vec::new(), Vec::new()),
    };
    let contents = words(service.projects.contents(&scope).await?);
    let accounts: Vec<String> = people.iter().map(|person| person.account.to_string()).collect();
    let lines: Vec<PersonLine<'_>> = people
        .iter()
        .zip(&accounts)
        .map(|(person, account)| PersonLine {
            account,
            email: &person.email,
            role: role(person),
            removable: person.role.is_some(),
        })
        .collect();
    let ids: Vec<String> = keys.iter().map(|key| key.id.to_string()).collect();
    let rows: Vec<ProjectKeyRow<'_>> = keys
        .iter()
        .zip(&ids)
        .map(|(key, id)| ProjectKeyRow {
            id,
            name: &key.name,
            access: match key.access {
                KeyAccess::Read => "read",
                KeyAccess::Run => "read and start runs",
                KeyAccess::Write => "change it and start runs",
            },
            of_organisation: key.of_organisation,
            used: key.used_at.map(time),
            rests: key.rests && key.expires_at.is_none_or(|end| time(end) > now),
        })
        .collect();
    let mut form = made.form.take().unwrap_or_else(|| new::of(&view.body()));
    form.project = Some(id.to_owned());
    new::complete(&mut form, signed_in, service).await?;
    let destinations = service.projects.destinations(&scope).await?;
    let texts: Vec<(String, String)> = destinations
        .iter()
        .map(|view| (view.0.id.to_string(), gets(view)))
        .collect();
    let destination_rows: Vec<DestinationRow<'_>> = destinations
        .iter()
        .zip(&texts)
        .map(|(view, (id, gets))| DestinationRow {
            id,
            address: &view.0.address,
            program: program(view),
            gets,
            state: state(view),
            is_active: view.state() == "active",
            of_organisation: view.is_of_organisation(),
        })
        .collect();
    let badge = view.badge_path();
    let feeds = match manages {
        true => service.projects.feed_keys(&scope).await?,
        false => Vec::new(),
    };
    let feed_ids: Vec<String> = feeds.iter().map(|key| key.id.to_string()).collect();
    let feed_rows: Vec<FeedKeyRow<'_>> = feeds
        .iter()
        .zip(&feed_ids)
        .map(|(key, id)| FeedKeyRow {
            id,
            name: &key.name,
            detail: key.detail,
            used: key.used_at.map(time),
            ends: time(key.expires_at),
            has_ended: time(key.expires_at) <= now,
        })
        .collect();
    let page = ProjectSettingsPage {
        id,
        badge: badge.as_deref(),
        manages,
        name: &view.record.name,
        form: &form,
        archived: view.record.archived_at.is_some(),
        people: &lines,
        keys: &rows,
        destinations: &destination_rows,
        sends_mail: service.projects.sends_mail(),
        draws_pdf: service.projects.draws_pdf(),
        settings: &view.record.settings,
        said: made.said,
        link: made.link.as_deref(),
        key: made.key.as_deref(),
        feeds: &feed_rows,
        feed: made.feed.as_deref(),
        secret: made.secret.as_deref(),
        contents: &contents,
        faults: &made.faults,
    };
    let status = match made.faults.is_empty() {
        true => new::status(&form),
        false => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let browser = &signed_in.browser;
    browser.page(status, pages::project_settings(&browser.frame(), &page))
}

/// What a destination gets, in words.
fn gets(view: &DestinationView) -> String {
    let alerts = view.alerts();
    let alerts = match alerts.len() {
        0 => None,
        4 => Some("every alert".to_owned()),
        _ => Some(alerts.join(", ")),
    };
    let digest = view.0.digest.map(|period| match period {
        DigestPeriod::Weekly => "a digest on Mondays".to_owned(),
        DigestPeriod::Monthly => "a digest each month".to_owned(),
    });
    let report = view.0.report.then(|| "with a report as PDF".to_owned());
    let parts: Vec<String> = alerts.into_iter().chain(digest).chain(report).collect();
    parts.join(", ")
}

fn program(view: &DestinationView) -> &'static str {
    match view.0.kind {
        WebhookKind::Slack => "Slack",
        WebhookKind::Discord => "Discord",
        WebhookKind::Teams => "Teams",
        WebhookKind::Standard => "Webhook",
        WebhookKind::Mail | WebhookKind::Task => "Mail",
    }
}

fn state(view: &DestinationView) -> &'static str {
    match view.state() {
        "active" => "active",
        "waiting" => "waits until its reader confirms it",
        "unsubscribed" => "its reader wants no more",
        "gone" => "paused: there is no such address",
        _ => "paused: messages fail",
    }
}

fn role(person: &ProjectPerson) -> &'static str {
    match (person.organisation_role, person.role) {
        (OrganisationRole::Member, Some(_)) if person.waits => "was invited and has not answered",
        (OrganisationRole::Admin, _) => "everything, in every project",
        (OrganisationRole::Member, Some(ProjectRole::Editor)) => "change it",
        (OrganisationRole::Member, Some(ProjectRole::Viewer)) => "read",
        (OrganisationRole::Member, None) => "not see it",
    }
}

fn words(contents: ProjectContents) -> String {
    let count = |number: u64, noun: &str| match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    };
    format!(
        "{}, {}, {}, {}, {}, {}, {} and {}",
        count(contents.runs, "run"),
        count(contents.reports, "result"),
        count(contents.snapshots, "report"),
        match contents.own_files {
            1 => "1 import of own data".to_owned(),
            imports => format!("{imports} imports of own data"),
        },
        count(contents.annotations, "note"),
        count(contents.actions, "action"),
        count(contents.rivals, "rival"),
        count(contents.keys, "key")
    )
}
