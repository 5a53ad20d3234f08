//! Competitors of a project over its runs.

use super::action_link;
use crate::chart::Markup;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use askama::filters::Safe;
use ibid_service::{ProjectRivals, Rival, RivalPoint, RivalRecord, RivalState};
use jiff::Timestamp;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Width and height of a competitor's line, in its own units.
const LINE: (f64, f64) = (160.0, 32.0);

/// Fewest answers of a run for a share; below it the range would be most of the scale.
const LEAST_ANSWERS: u32 = 10;

/// Competitors of a project, for `GET /workspace/projects/{id}/rivals`. Its forms post to `…/{id}/rival` and
/// `…/{id}/merge`.
#[derive(Clone, Copy, Debug)]
pub struct RivalsPage<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub rivals: &'a ProjectRivals,
    /// Whether the reader may change the project.
    pub may_write: bool,
}

#[derive(Template)]
#[template(path = "project_rivals.html")]
struct RivalsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a RivalsPage<'a>,
    rows: Vec<RivalRow<'a>>,
    /// Whether a run has enough answers for a share of its own.
    has_shares: bool,
}

/// A competitor, as people keep it, with its share at the end of each run that has enough answers.
struct RivalRow<'a> {
    rival: &'a Rival,
    kept: Option<&'a RivalRecord>,
    points: Vec<(Timestamp, &'a RivalPoint)>,
}

impl RivalsTemplate<'_> {
    /// Returns the address of a form that makes an action for the questions that a competitor wins.
    fn action(&self, rival: &Rival) -> String {
        let questions = rival.wins.iter().map(|win| win.question.as_str());
        action_link(
            self.page.id,
            &format!("Win questions from {}", rival.name),
            questions,
        )
    }

    fn has_wins(&self) -> bool {
        self.rows.iter().any(|row| !row.rival.wins.is_empty())
    }

    fn ignored(&self) -> Vec<&str> {
        let kept = self.page.rivals.kept.iter();
        let ignored = kept.filter(|rival| rival.state == RivalState::Ignored);
        ignored.map(|rival| rival.name.as_str()).collect()
    }
}

impl<'a> RivalRow<'a> {
    fn of(
        rivals: &'a ProjectRivals,
        ends: &HashMap<ibid_model::ScanId, Timestamp>,
        rival: &'a Rival,
    ) -> Self {
        let points = rival.points.iter().filter(|point| point.answers >= LEAST_ANSWERS);
        Self {
            rival,
            kept: rival.kept.and_then(|at| rivals.kept.get(at)),
            points: points
                .filter_map(|point| Some((*ends.get(&point.scan)?, point)))
                .collect(),
        }
    }

    /// The website that answers give, else that which people gave, or an empty text.
    fn domain(&self) -> &str {
        let kept = || self.kept?.domains.first();
        self.rival
            .domain
            .as_ref()
            .or_else(kept)
            .map_or("", String::as_str)
    }

    /// Other names that count as it.
    fn names(&self) -> String {
        self.kept.map_or_else(String::new, |kept| kept.aliases.join(", "))
    }

    fn share(&self) -> String {
        let last = self.points.last();
        last.map_or_else(
            || figure::DASH.to_owned(),
            |(_, point)| figure::percent(point.share),
        )
    }

    fn range(&self) -> String {
        let last = self.points.last();
        last.map_or_else(String::new, |(_, point)| {
            figure::percent_interval(&point.interval)
        })
    }

    /// The first and the last share in words, for those who do not see the line.
    fn line_in_words(&self) -> String {
        match (self.points.first(), self.points.last()) {
            (Some((start, first)), Some((end, last))) if self.points.len() > 1 => format!(
                "{} on {}, {} on {}",
                figure::percent(first.share),
                figure::date(*start),
                figure::percent(last.share),
                figure::date(*end)
            ),
            _ => String::new(),
        }
    }

    fn line(&self) -> Markup {
        line(&self.points)
    }
}

/// Draws shares by their time on a scale from 0 to 1, with the band of their likely ranges.
fn line(points: &[(Timestamp, &RivalPoint)]) -> Markup {
    let (width, height) = LINE;
    let mut svg =
        format!(r#"<svg class="trend" aria-hidden="true" viewBox="0 0 {width:.0} {height:.0}" width="160">"#);
    let first = points.first().map_or(0.0, |(at, _)| at.as_second() as f64);
    let span = points
        .last()
        .map_or(1.0, |(at, _)| (at.as_second() as f64 - first).max(1.0));
    let x = |at: &Timestamp| (at.as_second() as f64 - first) / span * width;
    let y = |share: f64| (1.0 - share.clamp(0.0, 1.0)) * (height - 4.0) + 2.0;
    let path = |points: Vec<(f64, f64)>| {
        let points = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}"));
        points.collect::<Vec<_>>().join("L")
    };
    let upper = points.iter().map(|(at, point)| (x(at), y(point.interval.high)));
    let lower = points
        .iter()
        .rev()
        .map(|(at, point)| (x(at), y(point.interval.low)));
    let shares = points.iter().map(|(at, point)| (x(at), y(point.share)));
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
    let ends: HashMap<_, _> = page.rivals.runs.iter().copied().collect();
    let rows = page.rivals.counts.rows.iter();
    let rows: Vec<_> = rows
        .map(|rival| RivalRow::of(page.rivals, &ends, rival))
        .collect();
    let template = RivalsTemplate {
        shell,
        page,
        has_shares: rows.iter().any(|row| !row.points.is_empty()),
        rows,
    };
    render("project-rivals", &template)
}
