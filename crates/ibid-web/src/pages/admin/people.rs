//! The people of the workspace, and one of them.

use super::{PAGES, ROLES};
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use jiff::Timestamp;

/// Every account. The form of an invitation posts `email`, `credits` and `role` to `/workspace/admin`.
#[derive(Clone, Copy, Debug)]
pub struct PeoplePage<'a> {
    /// The accounts, ordered by address.
    pub rows: &'a [PersonRow<'a>],
    /// The link of a person who was just invited.
    pub link: Option<PersonLink<'a>>,
    /// The address entered before, or an empty text.
    pub email: &'a str,
}

/// One account.
#[derive(Clone, Copy, Debug)]
pub struct PersonRow<'a> {
    /// Its id, which is the last part of the path of its page.
    pub id: &'a str,
    pub email: &'a str,
    /// The word of its role.
    pub role: &'a str,
    pub disabled: bool,
    /// Credits left.
    pub credits: u32,
    /// Whether signing in asks for a code.
    pub two_step: bool,
    /// When it signed in last.
    pub signed_in: Option<Timestamp>,
    /// When it was opened.
    pub since: Timestamp,
    /// Its budget of a month in dollars, as a number without a sign.
    pub budget: Option<&'a str>,
}

/// A one-time link, shown once.
#[derive(Clone, Copy, Debug)]
pub struct PersonLink<'a> {
    /// The address of the account.
    pub email: &'a str,
    /// The link in full.
    pub url: &'a str,
}

/// One account with its forms. They post to the path of the page, followed by `credits` (`amount`),
/// `budget` (`dollars`, empty for no budget), `role` (`role`), `disable`, `enable`, `link`, `two-step`
/// and `delete` (`email`, typed again).
#[derive(Clone, Copy, Debug)]
pub struct PersonPage<'a> {
    pub person: PersonRow<'a>,
    /// Whether it is the account that looks at the page.
    pub is_self: bool,
    /// A link that was just made.
    pub link: Option<PersonLink<'a>>,
    /// The latest entries of its log.
    pub log: &'a [LogRow<'a>],
}

/// An entry of the log of an account.
#[derive(Clone, Copy, Debug)]
pub struct LogRow<'a> {
    pub at: Timestamp,
    /// The action, in words.
    pub action: &'a str,
    /// The address of the admin who did it.
    pub by: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "admin_people.html")]
struct PeopleTemplate<'a> {
    shell: Shell<'a>,
    page: &'a PeoplePage<'a>,
    at: &'static str,
}

#[derive(Template)]
#[template(path = "admin_person.html")]
struct PersonTemplate<'a> {
    shell: Shell<'a>,
    page: &'a PersonPage<'a>,
    at: &'static str,
}

/// Renders the list of people.
pub fn admin_people(frame: &Frame<'_>, page: &PeoplePage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "People", Tab::Admin);
    let at = "/workspace/admin";
    render("admin-people", &PeopleTemplate { shell, page, at })
}

pub fn admin_person(frame: &Frame<'_>, page: &PersonPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, page.person.email, Tab::Admin);
    let at = "";
    render("admin-person", &PersonTemplate { shell, page, at })
}

impl PeopleTemplate<'_> {
    fn total(&self) -> String {
        figure::plural(self.page.rows.len() as u64, "account", "accounts")
    }
}

impl PersonTemplate<'_> {
    fn base(&self) -> String {
        format!("/workspace/admin/people/{}", self.page.person.id)
    }
}
