//! Service keys for the v1 API.

use super::PAGES;
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_service::ServiceKeyRecord;

/// Every service key. The forms post `name` to `/workspace/admin/keys` and `/workspace/admin/keys/revoke`.
#[derive(Clone, Copy, Debug)]
pub struct KeysPage<'a> {
    /// The keys, ordered by name.
    pub keys: &'a [ServiceKeyRecord],
    /// A key that was just made: its name and the key itself, shown once.
    pub made: Option<(&'a str, &'a str)>,
}

#[derive(Template)]
#[template(path = "admin_keys.html")]
struct KeysTemplate<'a> {
    shell: Shell<'a>,
    page: &'a KeysPage<'a>,
    at: &'static str,
}

/// Renders the service keys.
pub fn admin_keys(frame: &Frame<'_>, page: &KeysPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Service keys", Tab::Admin);
    let at = "/workspace/admin/keys";
    render("admin-keys", &KeysTemplate { shell, page, at })
}
