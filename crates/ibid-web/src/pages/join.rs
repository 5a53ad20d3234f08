//! The page that joins an account to a person of the OpenID provider.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;

/// The page that joins an account to a person of the OpenID provider. Its form posts to `/workspace/account/openid`.
#[derive(Clone, Copy, Debug)]
pub struct JoinPage<'a> {
    pub host: &'a str,
    pub email: &'a str,
    /// Whether the provider has sent a person with this address here, not long ago.
    pub may_join: bool,
}

#[derive(Template)]
#[template(path = "join.html")]
struct JoinTemplate<'a> {
    shell: Shell<'a>,
    page: &'a JoinPage<'a>,
}

pub fn join(frame: &Frame<'_>, page: &JoinPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Join your sign-in", Tab::None);
    render("join", &JoinTemplate { shell, page })
}
