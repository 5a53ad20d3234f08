//! Pages about errors: the one a person meets, and the list of codes that programs meet.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::contract::{PROBLEMS, Problem};

/// A request that got no page.
#[derive(Clone, Copy, Debug)]
pub struct FailurePage<'a> {
    /// HTTP status.
    pub status: u16,
    /// The problem in a few words.
    pub title: &'a str,
    /// The consequence for the reader, in a sentence.
    pub detail: &'a str,
    /// Id that leads to the log entry.
    pub request_id: Option<&'a str>,
    /// The link that the page offers.
    pub way_out: WayOut,
}

/// The link that an error page offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayOut {
    Home,
    SignIn,
    History,
    NewScan,
}

impl WayOut {
    fn path(self) -> &'static str {
        match self {
            Self::Home => "/",
            Self::SignIn => "/sign-in",
            Self::History => "/workspace/scans",
            Self::NewScan => "/workspace",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Home => "Go to the start",
            Self::SignIn => "Sign in",
            Self::History => "Go to your scans",
            Self::NewScan => "Go to the workspace",
        }
    }
}

#[derive(Template)]
#[template(path = "failure.html")]
struct FailureTemplate<'a> {
    shell: Shell<'a>,
    page: &'a FailurePage<'a>,
}

#[derive(Template)]
#[template(path = "error_codes.html")]
struct ErrorCodesTemplate<'a> {
    shell: Shell<'a>,
    codes: Vec<CodeRow>,
}

struct CodeRow {
    entry: &'static Problem,
    meaning: crate::chart::Markup,
    remedy: crate::chart::Markup,
}

/// Renders the page of a failed request.
pub fn failure(frame: &Frame<'_>, page: &FailurePage<'_>) -> Result<String, RenderError> {
    render(
        "failure",
        &FailureTemplate {
            shell: Shell::new(frame, page.title, Tab::None),
            page,
        },
    )
}

/// Renders the list of error codes. Each has the anchor that the `type` of a problem points to.
pub fn error_codes(frame: &Frame<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Error codes", Tab::Docs).indexed();
    let codes = PROBLEMS
        .iter()
        .map(|entry| CodeRow {
            entry,
            meaning: super::docs::inline(entry.meaning),
            remedy: super::docs::inline(entry.remedy),
        })
        .collect();
    render("error-codes", &ErrorCodesTemplate { shell, codes })
}
