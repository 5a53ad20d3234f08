//! The page of a scan without a report: it is running, has failed or was stopped.

use crate::assets::File;
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::ScanId;
use jiff::Timestamp;

/// A scan without a report.
///
/// While it runs, the page listens to `GET /workspace/scans/{id}/events` (Server-Sent Events `progress` and
/// `scan_complete`) and goes to the report at the end; without scripts it asks again every five seconds. Stopping
/// posts to `/workspace/scans/{id}/cancel`.
#[derive(Clone, Copy, Debug)]
pub struct ProgressPage<'a> {
    /// The scan.
    pub id: ScanId,
    /// The domain, readable form.
    pub domain: &'a str,
    /// The keyword.
    pub keyword: &'a str,
    /// The place, short.
    pub place: Option<&'a str>,
    /// When it was started.
    pub at: Timestamp,
    /// Its state.
    pub state: ScanProgress<'a>,
}

/// The state of a scan without a report.
#[derive(Clone, Copy, Debug)]
pub enum ScanProgress<'a> {
    /// The scan is asking models.
    Running {
        /// Answers received.
        done: u32,
        /// Questions planned.
        total: u32,
        /// One row for each model, in the order asked.
        models: &'a [RunningRow],
        /// One row for each ring; core questions are ring 0.
        rings: &'a [RunningRow],
        /// Whether the owner can stop it.
        cancellable: bool,
    },
    /// The scan found no answer.
    Failed {
        /// The reason, in a sentence.
        reason: &'a str,
        /// Whether its credit was given back.
        credit_returned: bool,
    },
    /// The owner stopped the scan.
    Cancelled {
        /// Answers received until then.
        done: u32,
        /// Whether its credit was given back.
        credit_returned: bool,
    },
}

/// One model or one ring of a running scan.
#[derive(Clone, Debug)]
pub struct RunningRow {
    /// The alias, or the number of the ring, as events name it.
    pub key: String,
    /// The display name: "OpenAI GPT", "Core questions", "Ring 1, up to 25 km".
    pub label: String,
    /// Questions planned.
    pub total: u32,
    /// Answers received.
    pub done: u32,
    /// Answers that cite the domain.
    pub cited: u32,
}

#[derive(Template)]
#[template(path = "progress_page.html")]
struct ProgressTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ProgressPage<'a>,
}

/// Renders a scan without a report.
///
/// # Errors
/// See [`RenderError`].
pub fn progress_page(frame: &Frame<'_>, page: &ProgressPage<'_>) -> Result<String, RenderError> {
    let shell =
        Shell::new(frame, format!("{}, {}", page.domain, page.keyword), Tab::History).with(&[File::Progress]);
    render("progress_page", &ProgressTemplate { shell, page })
}

impl ProgressTemplate<'_> {
    fn is_running(&self) -> bool {
        matches!(self.page.state, ScanProgress::Running { .. })
    }
}
