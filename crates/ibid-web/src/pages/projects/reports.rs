//! Reports of a project: a list, a form that makes one, and a report itself.

use super::one::{TrendMark, note_day_in, trend_marks};
use super::sources::kind_in_words;
use crate::chart::Markup;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::trend::{Trend, TrendPoint, pauses};
use askama::Template;
use ibid_model::result::{
    Level, ProjectReport, ReportCompetitor, ReportModel, ReportNote, ReportNumbers, ReportPart, ReportPoint,
    ReportQuestion, ReportSection,
};
use ibid_model::{Faults, Interval, Locale, Score};
use ibid_service::{MOST_LOGO_BYTES, MOST_NOTE_CHARS, ReportLink, ReportView, STANDARD_ACCENT};
use jiff::Timestamp;
use std::fmt::Write as _;

/// Questions of a report on its page; its file has all.
const MOST_QUESTIONS: usize = 60;

/// Reports of a project, for `GET /workspace/projects/{id}/reports`.
#[derive(Clone, Copy, Debug)]
pub struct ReportsPage<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// The reports, the latest first.
    pub reports: &'a [ReportView],
    /// Whether the reader may make reports.
    pub may_write: bool,
    /// Faults of what was sent.
    pub faults: &'a Faults,
}

#[derive(Template)]
#[template(path = "project_reports.html")]
struct ReportsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ReportsPage<'a>,
}

/// Says when a public link ends, and whether it asks for a password.
fn terms(link: &ReportLink) -> String {
    let until = link.until.map(figure::time);
    let until = until.map_or_else(
        || "without an end".to_owned(),
        |until| format!("until {}", figure::date(until)),
    );
    match link.password {
        Some(_) => format!("{until}, with a password"),
        None => until,
    }
}

pub fn project_reports(frame: &Frame<'_>, page: &ReportsPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, format!("Reports of {}", page.name), Tab::Projects);
    render("project-reports", &ReportsTemplate { shell, page })
}

/// A report, for its public link and its owners.
#[derive(Clone, Copy, Debug)]
pub struct ReportDocumentPage<'a> {
    /// What it says.
    pub report: &'a ProjectReport,
    /// The path below which its files are.
    pub path: &'a str,
    /// Hash of its file in hexadecimal digits.
    pub sha256: &'a str,
    /// Whether this server draws it as PDF.
    pub has_pdf: bool,
}

#[derive(Template)]
#[template(path = "project_report.html")]
struct ReportTemplate<'a> {
    page: &'a ReportDocumentPage<'a>,
    report: &'a ProjectReport,
    marks: Vec<TrendMark>,
    trend: Option<Markup>,
    /// What changed, and why.
    told: (String, String),
    pauses: String,
}

/// Scores over time.
pub(crate) struct ReportSeries {
    pub(crate) points: Vec<TrendPoint>,
    pub(crate) marks: Vec<TrendMark>,
    /// The average, and the time from which it counts.
    pub(crate) level: Option<(Score, Timestamp)>,
}

impl ReportSeries {
    pub(crate) fn of(report: &ProjectReport) -> Self {
        let trend = &report.numbers.trend;
        let history = report.numbers.history.as_ref();
        let runs: Vec<_> = trend.iter().map(|point| (point.scan_id, point.at)).collect();
        let notes = report.notes.iter();
        let notes = notes.map(|note| (note.day.as_str(), note.text.as_str()));
        let points = trend.iter().filter_map(|point| {
            Some(TrendPoint {
                at: point.at,
                score: point.score?,
                interval: point.interval,
            })
        });
        let level = history.and_then(|history| history.level.as_ref());
        let since = level.and_then(|level| runs.iter().find(|(id, _)| Some(*id) == level.since));
        Self {
            points: points.collect(),
            marks: trend_marks(&runs, history, notes),
            level: level.zip(since).map(|(level, (_, at))| (level.score, *at)),
        }
    }
}

/// What changed, and why, in words: a report begins with them.
pub(crate) fn change_and_why(numbers: &ReportNumbers) -> (String, String) {
    let mut changed = numbers.verdict.clone();
    let changes = numbers.history.iter().flat_map(|history| &history.changes);
    let why: Vec<&str> = changes.map(|change| change.why.as_str()).collect();
    for why in why.iter().filter(|why| !why.is_empty()) {
        changed = changed.replacen(&format!(" {why}"), "", 1);
    }
    (changed, why.join(" ").trim().to_owned())
}

impl ReportTemplate<'_> {
    const fn locale(&self) -> &Locale {
        &self.report.project.locale
    }

    fn level(&self) -> Option<&Level> {
        self.report.numbers.history.as_ref()?.level.as_ref()
    }

    fn last(&self) -> Option<&ReportPoint> {
        self.report.numbers.trend.last()
    }

    fn whole(score: &Score) -> String {
        figure::whole(score.get())
    }

    fn number(score: &Option<Score>) -> String {
        score.map_or_else(|| figure::DASH.to_owned(), |score| figure::whole(score.get()))
    }

    fn range(interval: &Option<Interval>) -> String {
        interval.as_ref().map_or_else(String::new, figure::interval)
    }

    fn model_range(row: &ReportModel) -> String {
        Self::range(&row.interval)
    }

    fn share(&self, row: &ReportCompetitor) -> String {
        let percent = |share| figure::percent_in(self.locale(), share);
        row.share.map_or_else(|| figure::DASH.to_owned(), percent)
    }

    fn share_range(&self, row: &ReportCompetitor) -> String {
        let percent = |interval| figure::percent_interval_in(self.locale(), interval);
        row.interval.as_ref().map_or_else(String::new, percent)
    }

    fn kind(kind: &str) -> &'static str {
        kind_in_words(kind)
    }

    fn day(&self, note: &ReportNote) -> String {
        note_day_in(self.locale(), &note.day)
    }

    fn date(&self, at: &Timestamp) -> String {
        figure::date_in(self.locale(), *at)
    }

    fn count(&self, number: &u32) -> String {
        self.locale().count((*number).into())
    }

    fn plural(&self, number: &u32, one: &str, many: &str) -> String {
        figure::plural_in(self.locale(), (*number).into(), one, many)
    }

    fn paragraphs(part: &ReportPart) -> Vec<&str> {
        let lines = part.note.lines().map(str::trim);
        lines.filter(|line| !line.is_empty()).collect()
    }

    fn questions(&self) -> &[ReportQuestion] {
        let all = &self.report.numbers.questions;
        all.get(..MOST_QUESTIONS).unwrap_or(all)
    }

    fn more_questions(&self) -> usize {
        self.report.numbers.questions.len().saturating_sub(MOST_QUESTIONS)
    }
}

/// Renders a report. It has no part of the workspace, so that its readers see its author alone.
pub fn project_report(page: &ReportDocumentPage<'_>) -> Result<String, RenderError> {
    let report = page.report;
    let series = ReportSeries::of(report);
    let at: Vec<Timestamp> = series.marks.iter().map(|mark| mark.at).collect();
    let trend = Trend {
        points: &series.points,
        marks: &at,
        locale: Some(&report.project.locale),
        level: series.level,
        ..Trend::default()
    };
    let template = ReportTemplate {
        page,
        report,
        trend: (series.points.len() > 1).then(|| trend.draw()),
        told: change_and_why(&report.numbers),
        pauses: pauses(&series.points, &report.project.locale),
        marks: series.marks,
    };
    render("project-report", &template)
}

/// Writes a style sheet with a report's colour, which is readable on white. On a dark screen it is mixed with white.
pub fn accent_css(accent: &str) -> String {
    let is_colour = accent.len() == 7
        && accent
            .strip_prefix('#')
            .is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if !is_colour {
        return String::new();
    }
    let rule =
        |colour: &str, wash: &str| format!(":root{{--accent:{colour};--accent-2:{colour};--wash-2:{wash}}}");
    let light = rule(accent, &format!("color-mix(in srgb,{accent} 24%,#fff)"));
    let dark = rule(
        &format!("color-mix(in srgb,{accent} 45%,#fff)"),
        &format!("color-mix(in srgb,{accent} 45%,#131412)"),
    );
    let mut css = light.clone();
    let _ = write!(
        css,
        "@media screen and (prefers-color-scheme:dark){{{dark}}}@media print{{{light}}}"
    );
    css
}
