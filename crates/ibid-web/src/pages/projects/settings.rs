//! The settings of a project: people, keys, and its end.

use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::ProjectForm;
use askama::Template;
use ibid_model::{Faults, ProjectSettings};
use jiff::Timestamp;

/// The settings of a project, for `GET /workspace/projects/{id}/settings`.
#[derive(Clone, Copy, Debug)]
pub struct ProjectSettingsPage<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// The form of what is measured, and when.
    pub form: &'a ProjectForm,
    /// The path of the badge, while it is shown.
    pub badge: Option<&'a str>,
    /// Whether the reader manages people and keys.
    pub manages: bool,
    pub archived: bool,
    /// The people of the organisation.
    pub people: &'a [PersonLine<'a>],
    /// The keys that open the project.
    pub keys: &'a [KeyRow<'a>],
    /// Where the news of the project goes.
    pub destinations: &'a [DestinationRow<'a>],
    /// Whether the server sends mail.
    pub sends_mail: bool,
    /// Whether the server draws reports as PDF.
    pub draws_pdf: bool,
    /// What the form of the news has set.
    pub settings: &'a ProjectSettings,
    /// What became of a form, in a sentence.
    pub said: Option<&'a str>,
    /// The address of a one-time link that was made just now.
    pub link: Option<&'a str>,
    /// A key that was made just now.
    pub key: Option<&'a str>,
    pub feeds: &'a [FeedKeyRow<'a>],
    /// The secret of a webhook that was added just now.
    pub secret: Option<&'a str>,
    /// The address of the feeds that a key opens which was made just now, with a slash at its end.
    pub feed: Option<&'a str>,
    /// What goes with the project, in words.
    pub contents: &'a str,
    /// The faults of the form that was sent.
    pub faults: &'a Faults,
}

#[derive(Clone, Copy, Debug)]
pub struct PersonLine<'a> {
    pub account: &'a str,
    pub email: &'a str,
    /// What the person may do, in words.
    pub role: &'static str,
    /// Whether the role can be taken away here.
    pub removable: bool,
}

/// A destination of news.
#[derive(Clone, Copy, Debug)]
pub struct DestinationRow<'a> {
    pub id: &'a str,
    /// The address, without its secret part.
    pub address: &'a str,
    /// The program: `Mail`, `Slack`, `Discord`, `Teams` or `Webhook`.
    pub program: &'static str,
    /// What it gets, in words.
    pub gets: &'a str,
    /// Its state in words.
    pub state: &'static str,
    /// Whether messages are sent.
    pub is_active: bool,
    /// Whether it gets the news of every project of the organisation.
    pub of_organisation: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct KeyRow<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// What it may do, in words.
    pub access: &'static str,
    /// Whether it opens every project of the organisation.
    pub of_organisation: bool,
    /// The time of its last use.
    pub used: Option<Timestamp>,
    /// Whether it opens nothing until an admin takes it over.
    pub rests: bool,
}

/// A key to feeds.
#[derive(Clone, Copy, Debug)]
pub struct FeedKeyRow<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// Whether it opens sources and questions, too.
    pub detail: bool,
    /// The time of its last use.
    pub used: Option<Timestamp>,
    /// The time of its end.
    pub ends: Timestamp,
    /// Whether that has passed.
    pub has_ended: bool,
}

#[derive(Template)]
#[template(path = "project_settings.html")]
struct SettingsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ProjectSettingsPage<'a>,
}

impl FeedKeyRow<'_> {
    fn last_use(&self) -> String {
        self.used.map_or_else(|| "never".to_owned(), figure::date)
    }

    fn end(&self) -> String {
        let day = figure::date(self.ends);
        match self.has_ended {
            true => format!("ended {day}"),
            false => day,
        }
    }
}

impl KeyRow<'_> {
    fn last_use(&self) -> String {
        self.used.map_or_else(|| "never".to_owned(), figure::date)
    }
}

pub fn project_settings(frame: &Frame<'_>, page: &ProjectSettingsPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, format!("Settings of {}", page.name), Tab::Projects);
    render("project-settings", &SettingsTemplate { shell, page })
}
