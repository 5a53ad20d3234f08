//! Settings of a project: people, keys, and how to delete it.

use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::ProjectForm;
use askama::Template;
use ibid_model::Faults;
use ibid_service::{
    ApiKeyRecord, DestinationView, DigestPeriod, FeedKeyRecord, KeyAccess, OrganisationRole, ProjectContents,
    ProjectPerson, ProjectRole, ProjectView, WebhookKind,
};
use jiff::Timestamp;

/// Settings of a project, for `GET /workspace/projects/{id}/settings`.
#[derive(Clone, Copy, Debug)]
pub struct ProjectSettingsPage<'a> {
    pub id: &'a str,
    pub project: &'a ProjectView,
    /// What is measured, and when.
    pub form: &'a ProjectForm,
    /// Whether the reader manages people and keys.
    pub manages: bool,
    pub people: &'a [ProjectPerson],
    /// The keys that open the project.
    pub keys: &'a [ApiKeyRecord],
    pub feeds: &'a [FeedKeyRecord],
    /// Where the news of the project goes.
    pub destinations: &'a [DestinationView],
    /// Whether the server sends mail.
    pub sends_mail: bool,
    /// Whether the server draws reports as PDF.
    pub draws_pdf: bool,
    /// What goes with the project.
    pub contents: ProjectContents,
    /// What a form on the page made just now.
    pub made: &'a SettingsMade,
    pub now: Timestamp,
}

/// What a form on the page made, which is shown once, and its faults.
#[derive(Debug, Default)]
pub struct SettingsMade {
    /// What was sent; `None` for what the project has.
    pub form: Option<ProjectForm>,
    pub link: Option<String>,
    pub key: Option<String>,
    pub secret: Option<String>,
    /// Address of the feeds that a new key opens, with a slash at its end.
    pub feed: Option<String>,
    /// What became of a form, in a sentence.
    pub said: Option<&'static str>,
    pub faults: Faults,
}

#[derive(Template)]
#[template(path = "project_settings.html")]
struct SettingsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ProjectSettingsPage<'a>,
}

impl SettingsTemplate<'_> {
    /// Whether a key opens nothing until an admin takes it over.
    fn rests(&self, key: &ApiKeyRecord) -> bool {
        key.rests && key.expires_at.is_none_or(|end| figure::time(end) > self.page.now)
    }

    fn end(&self, key: &FeedKeyRecord) -> String {
        let end = figure::time(key.expires_at);
        match end <= self.page.now {
            true => format!("ended {}", figure::date(end)),
            false => figure::date(end),
        }
    }
}

fn last_use(at: &Option<i64>) -> String {
    at.map_or_else(|| "never".to_owned(), |at| figure::date(figure::time(at)))
}

const fn may(access: KeyAccess) -> &'static str {
    match access {
        KeyAccess::Read => "read",
        KeyAccess::Run => "read and start runs",
        KeyAccess::Write => "change it and start runs",
    }
}

/// What a destination gets, in words.
pub(in crate::pages) fn gets(view: &DestinationView) -> String {
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

pub(in crate::pages) fn state(view: &DestinationView) -> &'static str {
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

fn words(contents: &ProjectContents) -> String {
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

pub fn project_settings(frame: &Frame<'_>, page: &ProjectSettingsPage<'_>) -> Result<String, RenderError> {
    let title = format!("Settings of {}", page.project.record.name);
    let shell = Shell::new(frame, title, Tab::Projects);
    render("project-settings", &SettingsTemplate { shell, page })
}
