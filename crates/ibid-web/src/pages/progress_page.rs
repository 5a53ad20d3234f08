//! A scan without a report: it is running, has failed or was stopped.

use crate::assets::File;
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::ScanId;
use jiff::Timestamp;
use std::time::Duration;

/// A scan without a report.
///
/// While it runs, the page listens to `GET /workspace/scans/{id}/events` (Server-Sent Events `progress` and
/// `scan_complete`) and goes to the report at the end; without scripts it asks again every five seconds. Stopping
/// posts to `/workspace/scans/{id}/cancel`.
#[derive(Clone, Copy, Debug)]
pub struct ProgressPage<'a> {
    pub id: ScanId,
    /// The domain, readable form.
    pub domain: &'a str,
    pub keyword: &'a str,
    /// The place, short.
    pub place: Option<&'a str>,
    /// When it was started.
    pub at: Timestamp,
    pub state: ScanProgress<'a>,
}

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
        /// Time since it was started.
        elapsed: Duration,
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
pub fn progress_page(frame: &Frame<'_>, page: &ProgressPage<'_>) -> Result<String, RenderError> {
    let shell =
        Shell::new(frame, format!("{}, {}", page.domain, page.keyword), Tab::History).with(&[File::Progress]);
    render("progress_page", &ProgressTemplate { shell, page })
}

/// Estimates the time until the last answer from those that have come: "about 40 s left".
fn time_left(done: u32, total: u32, elapsed: Duration) -> String {
    if done == 0 {
        return "waiting for the first answer".to_owned();
    }
    let left = elapsed.as_secs_f64() * f64::from(total.saturating_sub(done)) / f64::from(done);
    // To five seconds, as the estimate is rough.
    let seconds = ((left / 5.0).ceil() * 5.0) as u64;
    match seconds {
        0 => "scoring the answers".to_owned(),
        1..90 => format!("about {seconds}\u{a0}s left"),
        _ => format!("about {}\u{a0}min left", seconds.div_ceil(60)),
    }
}

impl ProgressTemplate<'_> {
    fn is_running(&self) -> bool {
        matches!(self.page.state, ScanProgress::Running { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_answers_so_far() {
        for (done, total, seconds, expected) in [
            (0, 9, 30, "waiting for the first answer"),
            (1, 3, 10, "about 20\u{a0}s left"),
            (3, 9, 6, "about 15\u{a0}s left"),
            (1, 10, 60, "about 9\u{a0}min left"),
            (9, 9, 60, "scoring the answers"),
        ] {
            assert_eq!(time_left(done, total, Duration::from_secs(seconds)), expected);
        }
    }
}
