//! The competitors of a project over its runs.

use super::action_link;
use crate::chart::Markup;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use askama::filters::Safe;
use ibid_model::Interval;
use jiff::Timestamp;
use std::fmt::Write as _;

/// Width and height of the line of a competitor, in its own units.
const LINE: (f64, f64) = (160.0, 32.0);

/// The competitors of a project, for `GET /workspace/projects/{id}/rivals`. Its forms post to `…/{id}/rival` and
/// `…/{id}/merge`.
#[derive(Clone, Copy, Debug)]
pub struct RivalsPage<'a> {
    /// The id of the project.
    pub id: &'a str,
    pub name: &'a str,
    /// The pinned ones, then those that the recent answers name most.
    pub rows: &'a [RivalRow<'a>],
    /// Names of those that are ignored.
    pub ignored: &'a [&'a str],
    /// The recent runs, and their answers.
    pub recent: (u32, u32),
    /// Further names, each of one answer.
    pub rare: u32,
    /// Runs that are read in a moment.
    pub waiting: u32,
    /// The last run; `None` where it has too few answers for a share of its own.
    pub last: Option<Timestamp>,
    /// Whether the reader may change the project.
    pub may_write: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct RivalRow<'a> {
    pub name: &'a str,
    /// Its website, or an empty text.
    pub domain: &'a str,
    /// Other names that count as it.
    pub aliases: &'a [String],
    /// Whether people pinned it.
    pub pinned: bool,
    /// Recent answers that name it.
    pub named: u32,
    /// The share of answers that name it in each run, with its likely range.
    pub points: &'a [SharePoint],
    /// Questions that it wins against the website.
    pub wins: &'a [WinRow<'a>],
}

/// The share of answers of one run.
#[derive(Clone, Copy, Debug)]
pub struct SharePoint {
    /// The end of the run.
    pub at: Timestamp,
    /// The share, 0..1.
    pub share: f64,
    /// Its likely range, 0..1.
    pub interval: Interval,
}

/// A question that a competitor wins.
#[derive(Clone, Copy, Debug)]
pub struct WinRow<'a> {
    pub question: &'a str,
    pub answers: u32,
    /// Those that name the competitor.
    pub rival: u32,
    /// Those that cite the website.
    pub own: u32,
}

#[derive(Template)]
#[template(path = "project_rivals.html")]
struct RivalsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a RivalsPage<'a>,
}

impl RivalsTemplate<'_> {
    /// The form of an action for the questions that a competitor wins.
    fn action(&self, row: &RivalRow<'_>) -> String {
        let questions = row.wins.iter().map(|win| win.question);
        action_link(
            self.page.id,
            &format!("Win questions from {}", row.name),
            questions,
        )
    }

    fn answers(&self) -> String {
        figure::plural(self.page.recent.1.into(), "answer", "answers")
    }

    fn runs(&self) -> String {
        figure::plural(self.page.recent.0.into(), "run", "runs")
    }

    fn has_wins(&self) -> bool {
        self.page.rows.iter().any(|row| !row.wins.is_empty())
    }
}

impl RivalRow<'_> {
    fn share(&self) -> String {
        let last = self.points.last();
        last.map_or_else(|| figure::DASH.to_owned(), |point| figure::percent(point.share))
    }

    fn range(&self) -> String {
        let last = self.points.last();
        last.map_or_else(String::new, |point| figure::percent_interval(&point.interval))
    }

    fn names(&self) -> String {
        self.aliases.join(", ")
    }

    /// The first and the last share in words, for those who do not see the line.
    fn line_in_words(&self) -> String {
        match (self.points.first(), self.points.last()) {
            (Some(first), Some(last)) if self.points.len() > 1 => format!(
                "{} on {}, {} on {}",
                figure::percent(first.share),
                figure::date(first.at),
                figure::percent(last.share),
                figure::date(last.at)
            ),
            _ => String::new(),
        }
    }

    fn line(&self) -> Markup {
        line(self.points)
    }
}

/// Draws shares by their time on a scale from 0 to 1, with the band of their likely ranges.
fn line(points: &[SharePoint]) -> Markup {
    let (width, height) = LINE;
    let mut svg =
        format!(r#"<svg class="trend" aria-hidden="true" viewBox="0 0 {width:.0} {height:.0}" width="160">"#);
    let seconds = |point: &SharePoint| point.at.as_second() as f64;
    let first = points.first().map_or(0.0, seconds);
    let span = points.last().map_or(1.0, |last| (seconds(last) - first).max(1.0));
    let x = |point: &SharePoint| (seconds(point) - first) / span * width;
    let y = |share: f64| (1.0 - share.clamp(0.0, 1.0)) * (height - 4.0) + 2.0;
    let path = |points: Vec<(f64, f64)>| {
        let points = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}"));
        points.collect::<Vec<_>>().join("L")
    };
    let upper = points.iter().map(|point| (x(point), y(point.interval.high)));
    let lower = points.iter().rev().map(|point| (x(point), y(point.interval.low)));
    let shares = points.iter().map(|point| (x(point), y(point.share)));
    let _ = write!(
        svg,
        r#"<path class="trend-band" d="M{}Z"/><path class="trend-line" d="M{}"/></svg>"#,
        path(upper.chain(lower).collect()),
        path(shares.collect())
    );
    Safe(svg)
}

/// Renders the competitors of a project.
pub fn project_rivals(frame: &Frame<'_>, page: &RivalsPage<'_>) -> Result<String, RenderError> {
    let title = format!("Competitors of {}", page.name);
    let shell = Shell::new(frame, &title, Tab::Projects);
    render("project-rivals", &RivalsTemplate { shell, page })
}
