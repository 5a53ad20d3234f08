//! The reader's account: its data, and how to delete it.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_service::DestinationView;

/// The reader's account. One form deletes it and posts `password` to `/workspace/account/delete`, that of its reports
/// `title`, the file `logo` and `remove` to `/workspace/account/brand`.
#[derive(Clone, Copy, Debug)]
pub struct AccountPage<'a> {
    pub email: &'a str,
    pub role: &'a str,
    /// Credits left.
    pub credits: u32,
    /// Whether signing in asks for a code.
    pub two_step: bool,
    /// Host of the OpenID provider, and whether one of its identities has joined the account.
    pub provider: Option<(&'a str, bool)>,
    /// Title and logo for reports; `None` for a reader who may not change them.
    pub brand: Option<BrandForm<'a>>,
    /// Where digests of all projects go.
    pub digests: &'a [DestinationView],
    /// Whether the server sends mail.
    pub sends_mail: bool,
    /// The reason why no digest was added, in a sentence.
    pub digest_error: Option<&'a str>,
    /// The reason why the account was not deleted, in a sentence.
    pub error: Option<&'a str>,
}

/// Title and logo for an account's reports.
#[derive(Clone, Copy, Debug)]
pub struct BrandForm<'a> {
    /// The title, or an empty text.
    pub title: &'a str,
    /// Longest title, in characters.
    pub most_title: usize,
    /// Whether there is a logo, at `/workspace/account/logo.png`.
    pub logo: bool,
    /// Largest file of a logo, in KiB.
    pub most_logo_kib: usize,
    /// Why it was refused, in a sentence.
    pub error: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "account.html")]
struct AccountTemplate<'a> {
    shell: Shell<'a>,
    page: &'a AccountPage<'a>,
}

/// Renders the account of the reader.
pub fn account(frame: &Frame<'_>, page: &AccountPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Your account", Tab::None);
    render("account", &AccountTemplate { shell, page })
}
