//! Where a one-time link leads: it sets a password.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;

/// A form for a new password. It posts `password`, urlencoded, to its own address.
#[derive(Clone, Copy, Debug)]
pub struct SetPasswordPage<'a> {
    pub token: &'a str,
    pub email: &'a str,
    /// Why it was refused, in a sentence.
    pub error: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "set_password.html")]
struct SetPasswordTemplate<'a> {
    shell: Shell<'a>,
    page: &'a SetPasswordPage<'a>,
}

/// Renders the form of a new password.
pub fn set_password(frame: &Frame<'_>, page: &SetPasswordPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Open your account", Tab::None);
    render("set-password", &SetPasswordTemplate { shell, page })
}
