//! The account of the reader: its data, and its end.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;

/// The account of the reader. The form of its end posts `password` to `/workspace/account/delete`.
#[derive(Clone, Copy, Debug)]
pub struct AccountPage<'a> {
    /// Its address.
    pub email: &'a str,
    /// The word of its role.
    pub role: &'a str,
    /// Credits left.
    pub credits: u32,
    /// Whether signing in asks for a code.
    pub two_step: bool,
    /// The reason of a refusal, in a sentence.
    pub error: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "account.html")]
struct AccountTemplate<'a> {
    shell: Shell<'a>,
    page: &'a AccountPage<'a>,
}

/// Renders the account of the reader.
///
/// # Errors
/// See [`RenderError`].
pub fn account(frame: &Frame<'_>, page: &AccountPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Your account", Tab::None);
    render("account", &AccountTemplate { shell, page })
}
