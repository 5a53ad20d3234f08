//! What the website's own data say, under the scores of a project.

use crate::chart::Markup;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::{fault_of, invalid};
use crate::strips::{self, Days};
use askama::Template;
use ibid_model::{Faults, Interval};
use jiff::Timestamp;
use jiff::civil::Date;

/// Days of the table under the bars.
const TABLE_DAYS: usize = 92;

/// The own data of a project, for `GET /workspace/projects/{id}/own-data`.
#[derive(Clone, Debug)]
pub struct OwnDataPage<'a> {
    /// The id of the project.
    pub id: &'a str,
    pub name: &'a str,
    /// The imports, the latest first.
    pub imports: &'a [OwnImportRow<'a>],
    /// Daily rows of all imports, and the most that a project keeps.
    pub rows: (u64, u64),
    /// The scores of the runs.
    pub scores: &'a [(Timestamp, f64)],
    /// Measures by day.
    pub series: &'a [OwnSeries<'a>],
    /// The measures of the table of pages.
    pub columns: &'a [&'static str],
    pub pages: &'a [OwnPageRow<'a>],
    /// Further pages.
    pub more_pages: usize,
    /// Topics with their citations.
    pub topics: &'a [(&'a str, f64)],
    /// Queries that are no questions of the project yet: the words, and citations, clicks and impressions.
    pub queries: &'a [(&'a str, [f64; 3])],
    /// The agreement of the samples with each measure.
    pub agreements: &'a [OwnAgreementRow<'a>],
    pub answers: u64,
    /// What was seen in assistants, beside what was asked.
    pub seen: SeenAnswersView<'a>,
    /// Formats that a person may choose.
    pub formats: &'a [(&'a str, &'a str)],
    /// The file that was read a moment ago.
    pub read: Option<OwnFileView<'a>>,
    /// The faults of the form.
    pub faults: &'a Faults,
    /// Whether the reader may import.
    pub may_write: bool,
}

/// What was seen in assistants that people use, beside what was asked over the API.
#[derive(Clone, Debug, Default)]
pub struct SeenAnswersView<'a> {
    /// The days that both rest on.
    pub days: i32,
    /// The assistants; empty where nothing was seen.
    pub interfaces: Vec<(&'a str, CitedShareView)>,
    pub models: Vec<(&'a str, CitedShareView)>,
    /// Questions on both sides, with a share for each assistant and one of all models.
    pub questions: Vec<(&'a str, Vec<CitedShareView>, CitedShareView)>,
    /// Further such questions, and those that were only seen.
    pub more: (u64, u64),
}

/// The share of some answers that cites the website.
#[derive(Clone, Copy, Debug)]
pub struct CitedShareView {
    /// Answers, and those that cite the website.
    pub answers: (u64, u64),
    /// The likely range; `None` where the answers are too few.
    pub interval: Option<Interval>,
}

impl CitedShareView {
    /// "32 %", or a dash without a range.
    fn share(&self) -> String {
        match self.interval {
            Some(_) => figure::percent(self.answers.1 as f64 / self.answers.0.max(1) as f64),
            None => figure::DASH.to_owned(),
        }
    }

    /// "16–48 %, 20 answers".
    fn rest(&self) -> String {
        let answers = figure::plural(self.answers.0, "answer", "answers");
        match (self.interval, self.answers.0) {
            (_, 0) => "no answer".to_owned(),
            (Some(range), _) => format!("likely {}, {answers}", figure::percent_interval(&range)),
            (None, _) => format!("not enough: {answers}"),
        }
    }
}

#[derive(Clone, Debug)]
pub struct OwnImportRow<'a> {
    pub id: String,
    /// The name of the file.
    pub name: &'a str,
    /// The tools that it comes from.
    pub sources: String,
    pub days: Option<(&'a str, &'a str)>,
    pub rows: u64,
    /// The time of the import.
    pub at: Timestamp,
    /// Who imported it.
    pub by: &'a str,
}

/// A measure by day.
#[derive(Clone, Debug)]
pub struct OwnSeries<'a> {
    pub label: &'static str,
    /// The days with their values.
    pub days: &'a [(Date, f64)],
    /// What happened in these days to what is counted, as sentences.
    pub breaks: Vec<String>,
}

/// A page of the website.
#[derive(Clone, Debug)]
pub struct OwnPageRow<'a> {
    pub page: &'a str,
    /// The share of sampled answers that cite it.
    pub share: f64,
    /// A value for each column.
    pub values: Vec<Option<f64>>,
}

/// The agreement of the samples with a measure.
#[derive(Clone, Debug)]
pub struct OwnAgreementRow<'a> {
    /// The measure in words.
    pub label: &'static str,
    /// Whether topics are compared, not pages.
    pub of_topics: bool,
    pub pairs: usize,
    /// The correlation and its range; `None` where there is none.
    pub measured: Option<(f64, f64, f64)>,
    /// Whether the pairs are enough.
    pub enough: bool,
    /// Why no value counts, as a sentence.
    pub void: Option<String>,
    /// With a value there, and cited in no sampled answer.
    pub only_there: &'a [(&'a str, f64)],
    /// Cited in sampled answers, with their share, and without a value there.
    pub only_here: &'a [(&'a str, f64)],
    /// Those that the two lists leave out.
    pub more: (usize, usize),
}

/// What was understood of a file.
#[derive(Clone, Debug)]
pub struct OwnFileView<'a> {
    /// The id under which it is kept until it is imported; `None` if there is nothing to import.
    pub id: Option<String>,
    pub name: &'a str,
    pub formats: Vec<&'static str>,
    pub days: Option<(String, String)>,
    /// Rows read, rows used, and daily rows.
    pub rows: (u64, u64, u64),
    /// Reasons for which rows were refused, how many, and the first lines.
    pub refused: Vec<(&'static str, u64, String)>,
    /// What a reader should know.
    pub notes: &'a [String],
    /// The time at which the same file was imported before.
    pub known_since: Option<Timestamp>,
    /// Totals that it changes, as "clicks: 120 → 57", and whether one falls.
    pub changes: Vec<(String, bool)>,
}

impl OwnFileView<'_> {
    fn falls(&self) -> bool {
        self.changes.iter().any(|(_, falls)| *falls)
    }
}

#[derive(Template)]
#[template(path = "project_own_data.html")]
struct OwnDataTemplate<'a> {
    shell: Shell<'a>,
    page: &'a OwnDataPage<'a>,
    days: Option<Days>,
    /// The latest days, each with a value for every measure.
    table: Vec<(String, Vec<String>)>,
    /// Those of citations, clicks and impressions that any query has.
    query_columns: Vec<(usize, &'static str)>,
}

impl OwnDataTemplate<'_> {
    fn invalid(&self, field: &str) -> Markup {
        invalid(self.page.faults, field)
    }

    fn fault(&self, field: &str) -> String {
        fault_of(self.page.faults, field)
    }

    fn day(day: &str) -> String {
        super::one::note_day(day)
    }

    fn span<D: AsRef<str>>(days: &(D, D)) -> String {
        let (first, last) = (days.0.as_ref(), days.1.as_ref());
        match first == last {
            true => Self::day(first),
            false => format!("{} to {}", Self::day(first), Self::day(last)),
        }
    }

    fn date(at: &Timestamp) -> String {
        figure::date(*at)
    }

    fn count(rows: &u64) -> String {
        figure::count(*rows)
    }

    fn number(value: &f64) -> String {
        strips::number(*value)
    }

    fn maybe(value: &Option<f64>) -> String {
        value.map_or_else(|| figure::DASH.to_owned(), strips::number)
    }

    fn percent(share: &f64) -> String {
        figure::percent(*share)
    }

    fn bars(&self, series: &OwnSeries<'_>) -> Option<Markup> {
        Some(self.days.as_ref()?.bars(series.days))
    }

    fn dots(&self) -> Option<Markup> {
        Some(self.days.as_ref()?.dots(self.page.scores)).filter(|dots| dots.0.contains("circle"))
    }

    fn axis(&self) -> Option<Markup> {
        Some(self.days.as_ref()?.labels())
    }

    fn sum(series: &OwnSeries<'_>) -> String {
        strips::in_words(series.days)
    }

    fn query_value(values: &[f64; 3], at: &usize) -> String {
        values
            .get(*at)
            .map_or_else(String::new, |value| strips::number(*value))
    }
}

/// A correlation: "0.62", "−0.10".
fn hundredths(value: f64) -> String {
    format!("{value:.2}").replace('-', "\u{2212}")
}

impl OwnAgreementRow<'_> {
    fn things(&self) -> &'static str {
        match self.of_topics {
            true => "topics",
            false => "pages",
        }
    }

    fn verdict(&self) -> String {
        let things = self.things();
        if let Some(why) = &self.void {
            return format!("No value counts. {why}");
        }
        match (self.enough, self.measured) {
            (false, _) => format!("Not enough: {} {things}, eight are needed.", self.pairs),
            (true, None) => format!(
                "Cannot be told: all {} {things} have the same value on one side.",
                self.pairs
            ),
            (true, Some((_, low, high))) if low > 0.0 || high < 0.0 => match low > 0.0 {
                true => format!("They agree: {things} that samples cite more have more here, too."),
                false => format!("They disagree: {things} that samples cite more have less here."),
            },
            (true, Some(_)) => "Cannot be told yet: the range holds both agreement and none.".to_owned(),
        }
    }

    fn correlation(&self) -> String {
        match self.measured {
            Some((rho, low, high)) if self.enough => format!(
                "{} (likely {} to {}), {} {}",
                hundredths(rho),
                hundredths(low),
                hundredths(high),
                self.pairs,
                self.things()
            ),
            _ => figure::DASH.to_owned(),
        }
    }
}

fn table(series: &[OwnSeries<'_>]) -> Vec<(String, Vec<String>)> {
    let all = series.iter().flat_map(|series| series.days);
    let mut days: Vec<Date> = all.map(|(day, _)| *day).collect();
    days.sort_unstable_by(|a, b| b.cmp(a));
    days.dedup();
    days.truncate(TABLE_DAYS);
    let row = |day: Date| {
        let value = |series: &OwnSeries<'_>| {
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

fn query_columns(queries: &[(&str, [f64; 3])]) -> Vec<(usize, &'static str)> {
    let has = |at: usize| {
        let mut values = queries.iter().filter_map(|(_, values)| values.get(at));
        values.any(|value| *value > 0.0)
    };
    let columns = [
        (0, "Citations at Bing"),
        (1, "Clicks in search"),
        (2, "Impressions in search"),
    ];
    columns.into_iter().filter(|(at, _)| has(*at)).collect()
}

pub fn project_own_data(frame: &Frame<'_>, page: &OwnDataPage<'_>) -> Result<String, RenderError> {
    let title = format!("Own data of {}", page.name);
    let shell = Shell::new(frame, &title, Tab::Projects);
    let days = page
        .series
        .iter()
        .flat_map(|series| series.days)
        .map(|(day, _)| *day);
    let days = Days::of(days);
    let template = OwnDataTemplate {
        shell,
        page,
        days,
        table: table(page.series),
        query_columns: query_columns(page.queries),
    };
    render("project-own-data", &template)
}
