//! Everybody with an account, and one person.

use super::{PAGES, ROLES};
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::UsdMicros;
use ibid_service::{AccountAction, AccountRecord, LogEntry};

/// Every account. The form of an invitation posts `email`, `credits` and `role` to `/workspace/admin`.
#[derive(Clone, Copy, Debug)]
pub struct PeoplePage<'a> {
    /// The accounts, ordered by address.
    pub people: &'a [AccountRecord],
    /// Where a person who was just invited sets a password.
    pub link: Option<PersonLink<'a>>,
    /// The address entered before, or an empty text.
    pub email: &'a str,
}

/// A one-time link, shown once.
#[derive(Clone, Copy, Debug)]
pub struct PersonLink<'a> {
    pub email: &'a str,
    /// The link in full.
    pub url: &'a str,
}

/// One account with its forms. They post to the path of the page, followed by `credits` (`amount`),
/// `budget` (`dollars`, empty for no budget), `role` (`role`), `disable`, `enable`, `link`, `two-step`
/// and `delete` (`email`, typed again).
#[derive(Clone, Copy, Debug)]
pub struct PersonPage<'a> {
    pub person: &'a AccountRecord,
    /// Whether it is the account that looks at the page.
    pub is_self: bool,
    /// A link that was just made.
    pub link: Option<PersonLink<'a>>,
    pub log: &'a [LogEntry],
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
    let shell = Shell::new(frame, &page.person.email, Tab::Admin);
    let at = "";
    render("admin-person", &PersonTemplate { shell, page, at })
}

/// Returns the monthly budget in dollars, without a sign: "25.00".
fn budget(person: &AccountRecord) -> Option<String> {
    let dollars = UsdMicros::new(person.budget?).dollars();
    Some(format!("{dollars:.2}"))
}

const fn in_words(action: AccountAction) -> &'static str {
    match action {
        AccountAction::Opened => "account opened",
        AccountAction::Credits => "credits changed",
        AccountAction::Password => "password set",
        AccountAction::Disabled => "disabled",
        AccountAction::Enabled => "enabled",
        AccountAction::SignedIn => "signed in",
        AccountAction::SignInRefused => "sign-in refused",
        AccountAction::SignedOut => "signed out",
        AccountAction::Shared => "report shared",
        AccountAction::Unshared => "shared link revoked",
        AccountAction::Role => "role changed",
        AccountAction::Budget => "budget changed",
        AccountAction::Link => "link for a password made",
        AccountAction::ScanDeleted => "scan deleted",
        AccountAction::Exported => "data exported",
        AccountAction::Deleted => "account deleted",
        AccountAction::KeyMade => "service key made",
        AccountAction::KeyRevoked => "service key revoked",
        AccountAction::SecondFactorOn => "two-step sign-in on",
        AccountAction::SecondFactorOff => "two-step sign-in off",
        AccountAction::RecoveryCodeUsed => "recovery code used",
        AccountAction::IdentityJoined => "joined by the identity provider",
        AccountAction::IdentityParted => "parted from the identity provider",
    }
}

impl PeopleTemplate<'_> {
    fn total(&self) -> String {
        figure::plural(self.page.people.len() as u64, "account", "accounts")
    }
}

impl PersonTemplate<'_> {
    fn base(&self) -> String {
        format!("/workspace/admin/people/{}", self.page.person.id)
    }
}
