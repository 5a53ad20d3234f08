//! The sign-in page.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;

/// The sign-in form. It posts `email`, `password` and `next`, urlencoded, to `/sign-in`.
#[derive(Clone, Copy, Debug)]
pub struct SignInPage<'a> {
    /// The address entered before, or an empty text.
    pub email: &'a str,
    /// Path to go to afterwards. Its handler checks that it is a path of this service.
    pub next: &'a str,
    /// Why it was refused, in a sentence; the same for a wrong address and a wrong password.
    pub error: Option<&'a str>,
    /// Whether the page has the form of a password.
    pub passwords: bool,
    /// Host of the OpenID provider, and the path that leads there.
    pub provider: Option<(&'a str, &'a str)>,
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInTemplate<'a> {
    shell: Shell<'a>,
    page: &'a SignInPage<'a>,
}

pub fn sign_in(frame: &Frame<'_>, page: &SignInPage<'_>) -> Result<String, RenderError> {
    render(
        "sign-in",
        &SignInTemplate {
            shell: Shell::new(frame, "Sign in", Tab::None),
            page,
        },
    )
}
