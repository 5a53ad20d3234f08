//! What the website's own data say, under the scores of a project.

use super::imports::first_lines;
use crate::chart::Markup;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::{fault_of, invalid};
use crate::strips::{self, Days};
use askama::Template;
use ibid_model::{Catalog, Faults};
use ibid_service::{
    AskedQuestion, CitedShare, OwnAgreement, OwnCompared, OwnComparison, OwnData, OwnDataRead, OwnFileRecord,
    OwnMeasure, OwnPage, OwnQuery, OwnSeries, OwnSource, Seen, SeenQuestion, TotalChange,
};
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::{BTreeMap, HashSet};

/// Days of the table under the bars.
const TABLE_DAYS: usize = 92;
/// Rows of pages and topics that a table shows.
const MOST_PAGES: usize = 50;
const MOST_TOPICS: usize = 30;
/// Queries to choose from.
const MOST_QUERIES: usize = 100;
/// Names that each list of an agreement shows.
const MOST_NAMES: usize = 20;

/// Own data of a project, for `GET /workspace/projects/{id}/own-data`.
#[derive(Clone, Copy, Debug)]
pub struct OwnDataPage<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub own: &'a OwnData,
    pub scores: &'a [(Timestamp, f64)],
    /// Questions that the project asks already, so they are offered no more.
    pub asked: &'a [AskedQuestion],
    /// What was seen in assistants, beside what was asked.
    pub seen: &'a Seen,
    /// The models, for their names.
    pub catalog: &'a Catalog,
    /// The file that was read a moment ago.
    pub read: Option<&'a OwnDataRead>,
    pub faults: &'a Faults,
    /// Whether the reader may import.
    pub may_write: bool,
}

/// A column for queries: how it takes its value, and its words.
type QueryColumn = (fn(&OwnQuery) -> f64, &'static str);

#[derive(Template)]
#[template(path = "project_own_data.html")]
struct OwnDataTemplate<'a> {
    shell: Shell<'a>,
    page: &'a OwnDataPage<'a>,
    /// Measures by day, with their words.
    series: Vec<(&'static str, &'a OwnSeries)>,
    days: Option<Days>,
    /// The latest days, each with a value for every measure.
    table: Vec<(String, Vec<String>)>,
    /// Measures that pages have.
    columns: BTreeMap<(OwnSource, OwnMeasure), &'static str>,
    /// Pages that answers cite, or of which a tool says something.
    pages: Vec<&'a OwnPage>,
    /// Queries that are no questions of the project yet.
    queries: Vec<&'a OwnQuery>,
    /// Those of citations, clicks and impressions that any query has.
    query_columns: Vec<QueryColumn>,
    /// How well samples agree with each measure that follows from answers.
    agreements: Vec<(&'static str, &'a OwnComparison)>,
}

impl OwnDataTemplate<'_> {
    fn invalid(&self, field: &str) -> Markup {
        invalid(self.page.faults, field)
    }

    fn fault(&self, field: &str) -> String {
        fault_of(self.page.faults, field)
    }

    fn rows(&self) -> u64 {
        let rows = self.page.own.imports.iter();
        rows.map(|import| u64::from(import.row_count)).sum()
    }

    fn bars(&self, series: &OwnSeries) -> Option<Markup> {
        Some(self.days.as_ref()?.bars(&series.days))
    }

    fn dots(&self) -> Option<Markup> {
        Some(self.days.as_ref()?.dots(self.page.scores)).filter(|dots| dots.0.contains("circle"))
    }

    fn axis(&self) -> Option<Markup> {
        Some(self.days.as_ref()?.labels())
    }

    fn model<'b>(&'b self, alias: &'b str) -> &'b str {
        let model = self.page.catalog.resolve(alias);
        model.map_or(alias, |model| model.name.as_str())
    }

    fn questions(&self) -> &[SeenQuestion] {
        first(&self.page.seen.questions, MOST_TOPICS)
    }
}

fn first<T>(rows: &[T], most: usize) -> &[T] {
    rows.get(..most).unwrap_or(rows)
}

/// How many rows [`first`] leaves out.
pub(super) const fn more(rows: usize, most: usize) -> u64 {
    rows.saturating_sub(most) as u64
}

/// "32 %", or a dash without a range.
fn share(share: &CitedShare) -> String {
    match share.interval {
        Some(_) => figure::percent(share.cited as f64 / share.answers.max(1) as f64),
        None => figure::DASH.to_owned(),
    }
}

/// "16–48 %, 20 answers".
fn range(share: &CitedShare) -> String {
    let answers = figure::plural(share.answers, "answer", "answers");
    match (share.interval, share.answers) {
        (_, 0) => "no answer".to_owned(),
        (Some(range), _) => format!("likely {}, {answers}", figure::percent_interval(&range)),
        (None, _) => format!("not enough: {answers}"),
    }
}

pub(super) fn span<D: ToString>(first: &D, last: &D) -> String {
    let [first, last] = [first, last].map(|day| super::one::note_day(&day.to_string()));
    match first == last {
        true => first,
        false => format!("{first} to {last}"),
    }
}

/// The tools that an import comes from.
fn sources(import: &OwnFileRecord) -> String {
    let words = import.formats.split(',').map(|word| match word {
        "bing_ai" => "Bing AI Performance",
        "search_console_ai" => "Search Console, generative AI",
        "search_console" => "Search Console, search",
        "ga4" => "GA4",
        _ => "access log",
    });
    words.collect::<Vec<_>>().join(", ")
}

/// What was understood of a file: reasons for which rows were refused, how many, and the first lines.
fn refused(read: &OwnDataRead) -> impl Iterator<Item = (&'static str, u64, String)> {
    let refused = &read.report.refused;
    refused.counts.iter().map(|(reason, count)| {
        let lines = refused.first.iter().filter(|line| line.reason == *reason);
        let lines = first_lines(*count, lines.map(|line| line.line));
        (reason.words(), *count, lines)
    })
}

fn falls(read: &OwnDataRead) -> bool {
    read.changes.iter().any(TotalChange::falls)
}

/// A measure that says something about answers, in words. Others are in the API.
fn label(source: OwnSource, measure: OwnMeasure) -> Option<&'static str> {
    use OwnMeasure as M;
    Some(match (source, measure) {
        (OwnSource::BingAi, M::Citations) => "Citations at Bing",
        (OwnSource::SearchConsoleAi, M::Impressions) => "Impressions in Google’s AI answers",
        (OwnSource::Ga4, M::Sessions) => "Sessions from assistants, GA4",
        (OwnSource::AccessLog, M::Visits) => "Visits from assistants, log",
        (OwnSource::AccessLog, M::UserFetchesVerified) => "Fetched for an answer, verified",
        (OwnSource::AccessLog, M::UserFetchesClaimed) => "Fetched for an answer, claimed",
        (OwnSource::AccessLog, M::SearchFetchesVerified) => "Fetched for search, verified",
        (OwnSource::AccessLog, M::SearchFetchesClaimed) => "Fetched for search, claimed",
        (OwnSource::AccessLog, M::TrainingFetchesVerified) => "Fetched for training, verified",
        (OwnSource::AccessLog, M::TrainingFetchesClaimed) => "Fetched for training, claimed",
        _ => return None,
    })
}

/// Whether a measure follows from answers: fetches for search and training do not.
fn follows_from_answers(measure: OwnMeasure) -> bool {
    use OwnMeasure as M;
    !matches!(
        measure,
        M::SearchFetchesVerified
            | M::SearchFetchesClaimed
            | M::TrainingFetchesVerified
            | M::TrainingFetchesClaimed
    )
}

/// A correlation: "0.62", "−0.10".
fn hundredths(value: f64) -> String {
    format!("{value:.2}").replace('-', "\u{2212}")
}

fn things(row: &OwnComparison) -> &'static str {
    match row.of {
        OwnCompared::Topics => "topics",
        OwnCompared::Pages => "pages",
    }
}

fn verdict(row: &OwnComparison) -> String {
    let things = things(row);
    match &row.agreement {
        OwnAgreement::Void(found) => format!("No value counts. {}", found.in_words()),
        OwnAgreement::NotEnough { pairs } => format!("Not enough: {pairs} {things}, eight are needed."),
        OwnAgreement::NoOrder { pairs } => {
            format!("Cannot be told: all {pairs} {things} have the same value on one side.")
        }
        OwnAgreement::Measured { low, .. } if *low > 0.0 => {
            format!("They agree: {things} that samples cite more have more here, too.")
        }
        OwnAgreement::Measured { high, .. } if *high < 0.0 => {
            format!("They disagree: {things} that samples cite more have less here.")
        }
        OwnAgreement::Measured { .. } => {
            "Cannot be told yet: the range holds both agreement and none.".to_owned()
        }
    }
}

fn correlation(row: &OwnComparison) -> String {
    let OwnAgreement::Measured {
        pairs,
        rho,
        low,
        high,
    } = row.agreement
    else {
        return figure::DASH.to_owned();
    };
    let [rho, low, high] = [rho, low, high].map(hundredths);
    format!("{rho} (likely {low} to {high}), {pairs} {}", things(row))
}

fn table(series: &[(&str, &OwnSeries)]) -> Vec<(String, Vec<String>)> {
    let all = series.iter().flat_map(|(_, series)| &series.days);
    let mut days: Vec<Date> = all.map(|(day, _)| *day).collect();
    days.sort_unstable_by(|a, b| b.cmp(a));
    days.dedup();
    days.truncate(TABLE_DAYS);
    let row = |day: Date| {
        let value = |(_, series): &(&str, &OwnSeries)| {
            let found = series.days.binary_search_by_key(&day, |(day, _)| *day).ok();
            let found = found.and_then(|at| series.days.get(at));
            found.map_or_else(|| figure::DASH.to_owned(), |(_, value)| strips::number(*value))
        };
        (
            super::one::note_day(&day.to_string()),
            series.iter().map(value).collect(),
        )
    };
    days.into_iter().map(row).collect()
}

pub fn project_own_data(frame: &Frame<'_>, page: &OwnDataPage<'_>) -> Result<String, RenderError> {
    let title = format!("Own data of {}", page.name);
    let summary = &page.own.summary;
    let series = summary.days.iter();
    let series: Vec<_> = series
        .filter_map(|series| Some((label(series.source, series.measure)?, series)))
        .collect();
    let keys = summary.pages.iter().flat_map(|page| page.values.keys());
    let columns: BTreeMap<_, _> = keys
        .filter_map(|key| Some((*key, label(key.0, key.1)?)))
        .collect();
    let is_told =
        |page: &&OwnPage| page.share > 0.0 || page.values.keys().any(|key| columns.contains_key(key));
    let asked = page.asked.iter().map(|question| question.text.to_lowercase());
    let asked: HashSet<String> = asked.collect();
    let is_new = |query: &&OwnQuery| !asked.contains(&query.query.to_lowercase());
    let queries: Vec<&OwnQuery> = summary.queries.iter().filter(is_new).take(MOST_QUERIES).collect();
    let all: [QueryColumn; 3] = [
        (|query| query.citations, "Citations at Bing"),
        (|query| query.clicks, "Clicks in search"),
        (|query| query.impressions, "Impressions in search"),
    ];
    let comparisons = summary.comparisons.iter();
    let comparisons = comparisons.filter(|one| page.own.answers > 0 && follows_from_answers(one.measure));
    let template = OwnDataTemplate {
        shell: Shell::new(frame, &title, Tab::Projects),
        page,
        days: Days::of(
            series
                .iter()
                .flat_map(|(_, series)| &series.days)
                .map(|(day, _)| *day),
        ),
        table: table(&series),
        series,
        pages: summary.pages.iter().filter(is_told).collect(),
        columns,
        query_columns: all
            .into_iter()
            .filter(|(value, _)| queries.iter().any(|query| value(query) > 0.0))
            .collect(),
        queries,
        agreements: comparisons
            .filter_map(|one| Some((label(one.source, one.measure)?, one)))
            .collect(),
    };
    render("project-own-data", &template)
}
