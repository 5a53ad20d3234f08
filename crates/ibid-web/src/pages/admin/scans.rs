//! The queued and running scans of all owners.

use super::PAGES;
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_service::OpenScan;

/// The scans that have not ended. The forms post `id` to `/workspace/admin/scans/cancel`.
#[derive(Clone, Copy, Debug)]
pub struct OpenScansPage<'a> {
    /// The scans, the oldest first.
    pub scans: &'a [OpenScan],
    /// Whether there are more than these.
    pub more: bool,
}

#[derive(Template)]
#[template(path = "admin_scans.html")]
struct ScansTemplate<'a> {
    shell: Shell<'a>,
    page: &'a OpenScansPage<'a>,
    at: &'static str,
}

/// Renders the queued and running scans.
pub fn admin_scans(frame: &Frame<'_>, page: &OpenScansPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Open scans", Tab::Admin);
    let at = "/workspace/admin/scans";
    render("admin-scans", &ScansTemplate { shell, page, at })
}
