//! One website: every keyword and place that was scanned, over time.

use crate::chart::{self, Markup};
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::trend::{Trend, TrendPoint};
use askama::Template;
use ibid_model::ScanId;
use ibid_model::result::{Competitor, CompetitorKind, LocationReport, ScanResult};
use jiff::Timestamp;

/// Competitors followed over time.
const COMPETITORS: usize = 8;

/// Scans of one website, for `GET /workspace/websites/{domain}`.
#[derive(Clone, Copy, Debug)]
pub struct WebsitePage<'a> {
    /// The domain, readable form.
    pub domain: &'a str,
    /// One series for each keyword and place, the latest first.
    pub series: &'a [ScanSeries<'a>],
    /// Finished scans that the page leaves out because they are older.
    pub older: u64,
}

/// Finished scans of one keyword and place, the oldest first.
#[derive(Clone, Debug)]
pub struct ScanSeries<'a> {
    pub steps: Vec<SeriesStep<'a>>,
    /// What their history says; empty for one scan.
    pub sentences: &'a [String],
    /// The changes, each with the first scan after it.
    pub changes: &'a [(ScanId, String)],
}

#[derive(Clone, Copy, Debug)]
pub struct SeriesStep<'a> {
    pub id: ScanId,
    pub result: &'a ScanResult,
}

struct Series {
    anchor: String,
    keyword: String,
    place: String,
    /// What the history says.
    words: String,
    trend: Option<Markup>,
    steps: Vec<StepRow>,
    models: Vec<ChangeRow>,
    competitors: Vec<ChangeRow>,
}

struct StepRow {
    id: ScanId,
    at: Timestamp,
    score: String,
    range: String,
    bar: Markup,
    /// The change that begins with this scan; empty if none does.
    change: String,
    /// The reason why the line of the trend is broken before this scan.
    broken: String,
}

struct ChangeRow {
    name: String,
    own: bool,
    chart: Markup,
    first: String,
    last: String,
    change: String,
}

#[derive(Template)]
#[template(path = "website.html")]
struct WebsiteTemplate<'a> {
    shell: Shell<'a>,
    page: &'a WebsitePage<'a>,
    series: Vec<Series>,
}

pub fn website(frame: &Frame<'_>, page: &WebsitePage<'_>) -> Result<String, RenderError> {
    let series = (1..)
        .zip(page.series)
        .filter_map(|(number, series)| of(number, series));
    let template = WebsiteTemplate {
        shell: Shell::new(frame, page.domain, Tab::History),
        page,
        series: series.collect(),
    };
    render("website", &template)
}

impl WebsiteTemplate<'_> {
    fn scans(&self) -> String {
        let scans: usize = self.series.iter().map(|series| series.steps.len()).sum();
        figure::plural(scans as u64, "finished scan", "finished scans")
    }
}

impl Series {
    fn latest(&self) -> Option<&StepRow> {
        self.steps.first()
    }
}

fn of(number: usize, series: &ScanSeries<'_>) -> Option<Series> {
    let (first, last) = (series.steps.first()?.result, series.steps.last()?.result);
    let points = series.steps.iter().map(|step| TrendPoint {
        at: step.result.finished_at,
        score: step.result.overall_score,
        interval: step.result.interval,
    });
    let points: Vec<TrendPoint> = points.collect();
    let breaks: Vec<String> = std::iter::once(String::new())
        .chain(series.steps.windows(2).map(|pair| match pair {
            [before, after] => broken(before.result, after.result),
            _ => String::new(),
        }))
        .collect();
    let rows = series.steps.iter().zip(&breaks).map(|(step, broken)| StepRow {
        id: step.id,
        at: step.result.finished_at,
        score: figure::score(step.result.overall_score),
        range: step
            .result
            .interval
            .as_ref()
            .map_or_else(String::new, figure::interval),
        bar: chart::bar(step.result.overall_score.get(), step.result.interval.as_ref()),
        change: series
            .changes
            .iter()
            .find(|(since, _)| *since == step.id)
            .map_or_else(String::new, |(_, words)| words.clone()),
        broken: broken.clone(),
    });
    let mut steps: Vec<StepRow> = rows.collect();
    steps.reverse();
    let broken: Vec<bool> = breaks.iter().map(|reason| !reason.is_empty()).collect();
    let trend = Trend {
        points: &points,
        broken: &broken,
        ..Trend::default()
    };
    Some(Series {
        anchor: format!("s{number}"),
        keyword: last.keyword.to_string(),
        place: last
            .location
            .as_ref()
            .map_or_else(String::new, LocationReport::short_label),
        words: series.sentences.join(" "),
        trend: (points.len() > 1).then(|| trend.draw()),
        steps,
        models: models(first, last),
        competitors: competitors(first, last),
    })
}

/// Returns the reason why two consecutive scans are not on one line; empty if they are.
fn broken(before: &ScanResult, after: &ScanResult) -> String {
    if before.method.version != after.method.version {
        return format!(
            "method {} instead of {}",
            after.method.version, before.method.version
        );
    }
    let asked = |result: &ScanResult| -> Vec<(String, Option<String>)> {
        let mut models: Vec<_> = result
            .models
            .iter()
            .map(|model| (model.model.to_string(), model.resolved_model.clone()))
            .collect();
        models.sort();
        models
    };
    if asked(before) == asked(after) {
        String::new()
    } else {
        "other models".to_owned()
    }
}

fn models(first: &ScanResult, last: &ScanResult) -> Vec<ChangeRow> {
    let score = |result: &ScanResult, alias: &ibid_model::ModelAlias| {
        let model = result.models.iter().find(|model| model.model == *alias);
        model
            .filter(|model| !model.is_unanswered())
            .map(|model| model.score.get())
    };
    last.models
        .iter()
        .map(|model| {
            let ends = (score(first, &model.model), score(last, &model.model));
            change_row(model.model_label.clone(), false, ends)
        })
        .collect()
}

fn competitors(first: &ScanResult, last: &ScanResult) -> Vec<ChangeRow> {
    let rows = last.radius.top_competitors.iter();
    let rivals = rows.filter(|row| row.kind == CompetitorKind::Rival || row.is_self);
    let before = |row: &Competitor| {
        let table = first.radius.top_competitors.iter();
        let mut known = table.filter(|other| match (row.is_self, &row.domain, &other.domain) {
            (true, _, _) => other.is_self,
            (false, Some(domain), Some(known)) => domain == known,
            (false, _, _) => other.name == row.name,
        });
        known.next().map(|known| known.score)
    };
    let (mut shown, mut own) = (Vec::new(), None);
    for row in rivals {
        let made = change_row(row.name.clone(), row.is_self, (before(row), Some(row.score)));
        if row.is_self && shown.len() >= COMPETITORS {
            own = Some(made);
        } else if shown.len() < COMPETITORS {
            shown.push(made);
        }
    }
    shown.extend(own);
    shown
}

fn change_row(name: String, own: bool, (first, last): (Option<f64>, Option<f64>)) -> ChangeRow {
    let show = |value: Option<f64>| value.map_or_else(|| figure::DASH.to_owned(), figure::decimal);
    ChangeRow {
        name,
        own,
        chart: chart::dumbbell(first, last),
        first: show(first),
        last: show(last),
        change: first.zip(last).map_or_else(
            || figure::DASH.to_owned(),
            |(first, last)| figure::signed(last - first),
        ),
    }
}
