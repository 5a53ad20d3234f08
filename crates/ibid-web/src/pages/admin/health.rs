//! How the server and its models are.

use super::PAGES;
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::ProbeRow;
use askama::Template;

/// What the parts of the server report. The form posts to `/workspace/admin/health` and asks each model one question.
#[derive(Clone, Copy, Debug)]
pub struct HealthPage<'a> {
    pub facts: &'a [HealthFact],
    /// Whether the operator has set a key of the model router.
    pub has_key: bool,
    /// How each model answered the last probe; empty before the first one.
    pub probes: &'a [ProbeRow],
}

/// How one part is.
#[derive(Clone, Debug)]
pub struct HealthFact {
    pub part: &'static str,
    /// Whether it works.
    pub good: bool,
    /// Its state, in words.
    pub state: String,
}

#[derive(Template)]
#[template(path = "admin_health.html")]
struct HealthTemplate<'a> {
    shell: Shell<'a>,
    page: &'a HealthPage<'a>,
    at: &'static str,
}

/// Renders the health of the server.
pub fn admin_health(frame: &Frame<'_>, page: &HealthPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Health", Tab::Admin);
    let at = "/workspace/admin/health";
    render("admin-health", &HealthTemplate { shell, page, at })
}
