//! A public link that asks for a password.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;

/// Asks for the password. It posts `password`, urlencoded, to its own address.
#[derive(Clone, Copy, Debug)]
pub struct ShareLockPage<'a> {
    pub path: &'a str,
    /// Why it was refused, in a sentence.
    pub error: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "share_lock.html")]
struct ShareLockTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ShareLockPage<'a>,
}

/// Renders the form.
pub fn share_lock(frame: &Frame<'_>, page: &ShareLockPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Shared report", Tab::None);
    render("share-lock", &ShareLockTemplate { shell, page })
}
