//! The first run: the first account of a new server, and what to do next.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;

/// A form that opens the first account.
/// It posts `email`, `password` and `probe` (present: yes), urlencoded, to its own address.
#[derive(Clone, Copy, Debug)]
pub struct FirstRunPage<'a> {
    pub token: &'a str,
    /// The address entered before, or an empty text.
    pub email: &'a str,
    /// Why it was refused, in a sentence.
    pub error: Option<&'a str>,
    /// Whether the operator has set a key of the model router.
    pub has_key: bool,
}

/// The page after the first account was opened.
#[derive(Clone, Copy, Debug)]
pub struct FirstRunDone<'a> {
    pub email: &'a str,
    /// Whether the operator has set a key of the model router.
    pub has_key: bool,
    /// How each model answered a test; `None` where none was asked for.
    pub probes: Option<&'a [ProbeRow]>,
}

/// How one model answered.
#[derive(Clone, Debug)]
pub struct ProbeRow {
    pub name: String,
    /// The word for a failure; `None` for an answer.
    pub error: Option<String>,
    /// Whether it searched the web, in a word.
    pub searched: &'static str,
}

#[derive(Template)]
#[template(path = "first_run.html")]
struct FirstRunTemplate<'a> {
    shell: Shell<'a>,
    page: &'a FirstRunPage<'a>,
}

#[derive(Template)]
#[template(path = "first_run_done.html")]
struct FirstRunDoneTemplate<'a> {
    shell: Shell<'a>,
    page: &'a FirstRunDone<'a>,
}

/// Renders the form of the first account.
pub fn first_run(frame: &Frame<'_>, page: &FirstRunPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "First run", Tab::None);
    render("first-run", &FirstRunTemplate { shell, page })
}

/// Renders the page after the first account was opened.
pub fn first_run_done(frame: &Frame<'_>, page: &FirstRunDone<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Ready", Tab::None);
    render("first-run-done", &FirstRunDoneTemplate { shell, page })
}
