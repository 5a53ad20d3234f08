//! Two scans side by side, with the verdict of the test between them.

use crate::chart::{self, Markup};
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::Fact;
use askama::Template;
use ibid_model::result::{self, Competitor, CompetitorKind, ScanResult, Verdict};
use ibid_model::{Interval, ModelAlias, ScanId};
use jiff::Timestamp;

/// Two scans and what the test says. Asked for with `GET /workspace/compare?scan={id}&scan={id}`.
#[derive(Clone, Copy, Debug)]
pub struct ComparePage<'a> {
    /// The older scan.
    pub first: Side<'a>,
    /// The newer scan.
    pub second: Side<'a>,
    /// What the test says.
    pub comparison: &'a Comparison,
}

/// One of two scans.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The scan.
    pub id: ScanId,
    /// Its result.
    pub result: &'a ScanResult,
}

/// A paired comparison over cells (model version, question, place) that are valid in both scans.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The verdict over all cells.
    pub verdict: Change,
    /// The verdict in a sentence or two.
    pub sentence: String,
    /// What limits the comparison, each in a sentence.
    pub notes: Vec<String>,
    /// Cells valid in both.
    pub cells: u32,
    /// Cells whose scores differ.
    pub non_zero: u32,
    /// Mean difference in points, second minus first; `None` without cells.
    pub mean: Option<f64>,
    /// 95 % bootstrap interval of the mean difference, in points.
    pub interval: Option<Interval>,
    /// Two-sided p of the sign-flip permutation test.
    pub p_value: Option<f64>,
    /// The smallest difference in points that this many cells could show.
    pub detectable: Option<f64>,
    /// Exact McNemar p of being cited at all.
    pub presence_p: Option<f64>,
    /// One row a model in either scan; verdicts are Holm-corrected.
    pub models: Vec<ModelChange>,
}

/// What the test says about one model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelChange {
    /// The model.
    pub model: ModelAlias,
    /// The verdict.
    pub verdict: Change,
}

/// Whether two measurements differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// They do: p under 0.05, and the interval excludes zero.
    Changed,
    /// The difference is no larger than chance makes it.
    WithinNoise,
    /// Too few cells, or another model behind the alias.
    NotComparable,
}

impl From<Verdict> for Change {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Changed => Self::Changed,
            Verdict::WithinNoise => Self::WithinNoise,
            Verdict::NotComparable => Self::NotComparable,
        }
    }
}

impl From<&result::Comparison> for Comparison {
    fn from(comparison: &result::Comparison) -> Self {
        let overall = &comparison.overall;
        let notes = comparison.reasons.iter().map(|reason| {
            let still = reason.still_comparable.as_ref();
            let still = still.map_or_else(String::new, |still| {
                format!(" What may still be compared: {still}.")
            });
            format!("{}.{still}", capital(&reason.message))
        });
        let models = comparison.models.iter().map(|model| ModelChange {
            model: model.model.clone(),
            verdict: model.difference.verdict.into(),
        });
        Self {
            verdict: comparison.verdict.into(),
            sentence: comparison.sentence.clone(),
            notes: notes.collect(),
            cells: overall.pairs,
            non_zero: overall.differing,
            mean: overall.mean,
            interval: overall.interval,
            p_value: overall.p_value,
            detectable: overall.detectable,
            presence_p: overall.cited.and_then(|cited| cited.p_value),
            models: models.collect(),
        }
    }
}

/// A phrase as the beginning of a sentence.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect());
    first + chars.as_str()
}

impl Change {
    fn label(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::WithinNoise => "within noise",
            Self::NotComparable => "not comparable",
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Changed => "is-changed",
            Self::WithinNoise => "is-noise",
            Self::NotComparable => "is-incomparable",
        }
    }
}

struct SideRow {
    key: &'static str,
    label: &'static str,
    id: ScanId,
    at: Timestamp,
    domain: String,
    keyword: String,
    place: Option<String>,
    score: String,
    interval: String,
}

struct ModelRow {
    label: String,
    note: Option<String>,
    chart: Markup,
    before: String,
    after: String,
    change: String,
    verdict: &'static str,
}

struct RivalRow {
    own: bool,
    name: String,
    chart: Markup,
    before: String,
    after: String,
    change: String,
}

#[derive(Template)]
#[template(path = "compare.html")]
struct CompareTemplate<'a> {
    shell: Shell<'a>,
    sides: [SideRow; 2],
    notes: Vec<String>,
    verdict: &'static str,
    verdict_class: &'static str,
    mean: String,
    mean_of: &'static str,
    sentence: String,
    chart: Option<Markup>,
    facts: Vec<Fact>,
    models: Vec<ModelRow>,
    rivals: Vec<RivalRow>,
}

/// Renders the comparison of two scans.
///
/// # Errors
/// See [`RenderError`].
pub fn compare(frame: &Frame<'_>, page: &ComparePage<'_>) -> Result<String, RenderError> {
    let ComparePage {
        first,
        second,
        comparison,
    } = page;
    let template = CompareTemplate {
        shell: Shell::new(frame, "Two scans compared", Tab::History),
        sides: [
            side("before", "First scan", first),
            side("after", "Second scan", second),
        ],
        verdict: match comparison.verdict {
            Change::Changed => "Changed",
            Change::WithinNoise => "Within noise",
            Change::NotComparable => "Not comparable",
        },
        verdict_class: comparison.verdict.class(),
        mean: comparison
            .mean
            .map_or_else(|| figure::DASH.to_owned(), figure::signed),
        sentence: comparison.sentence.clone(),
        notes: comparison.notes.clone(),
        chart: comparison
            .mean
            .map(|mean| chart::difference(mean, comparison.interval.as_ref(), reach(comparison))),
        mean_of: if comparison.cells > 0 {
            "points, mean over shared cells"
        } else {
            "points, over all questions of each"
        },
        facts: facts(comparison),
        models: model_rows(first.result, second.result, comparison),
        rivals: rival_rows(first.result, second.result),
    };
    render("compare", &template)
}

fn side(key: &'static str, label: &'static str, side: &Side<'_>) -> SideRow {
    let result = side.result;
    SideRow {
        key,
        label,
        id: side.id,
        at: result.finished_at,
        domain: result.domain.to_unicode(),
        keyword: result.keyword.to_string(),
        place: result.location.as_ref().map(figure::short_place),
        score: figure::score(result.overall_score),
        interval: result
            .interval
            .as_ref()
            .map_or_else(String::new, figure::interval),
    }
}

fn facts(comparison: &Comparison) -> Vec<Fact> {
    let p = |value: f64| {
        if value < 0.001 {
            "<\u{a0}0.001".to_owned()
        } else {
            format!("{value:.3}")
        }
    };
    let paired = comparison.cells > 0;
    let test = |of_pairs| {
        if paired {
            of_pairs
        } else {
            "permutation of whole questions"
        }
    };
    let mut facts = Vec::new();
    if paired {
        facts.push(Fact::with_note(
            "Pairs",
            figure::count(comparison.cells.into()),
            format!("{} differ", figure::count(comparison.non_zero.into())),
        ));
    }
    if let Some(value) = comparison.p_value.filter(|value| value.is_finite()) {
        facts.push(Fact::with_note(
            "p of the scores",
            p(value),
            test("paired sign-flip permutation"),
        ));
    }
    if let Some(value) = comparison.presence_p.filter(|value| value.is_finite()) {
        facts.push(Fact::with_note(
            "p of being cited",
            p(value),
            test("exact McNemar"),
        ));
    }
    if let Some(points) = comparison.detectable.filter(|points| points.is_finite()) {
        facts.push(Fact::with_note(
            "Smallest visible",
            figure::decimal(points),
            "points",
        ));
    }
    facts
}

/// A round scale that holds the difference and its interval.
fn reach(comparison: &Comparison) -> f64 {
    let ends = [
        comparison.mean.unwrap_or_default(),
        comparison.interval.map_or(0.0, |range| range.low),
        comparison.interval.map_or(0.0, |range| range.high),
    ];
    let widest = ends
        .into_iter()
        .filter(|end| end.is_finite())
        .fold(0.0, |widest: f64, end| widest.max(end.abs()));
    [5.0, 10.0, 20.0, 50.0]
        .into_iter()
        .find(|reach| widest <= *reach)
        .unwrap_or(100.0)
}

fn model_rows(first: &ScanResult, second: &ScanResult, comparison: &Comparison) -> Vec<ModelRow> {
    let mut aliases: Vec<&ModelAlias> = Vec::new();
    for model in first.models.iter().chain(&second.models) {
        if !aliases.contains(&&model.model) {
            aliases.push(&model.model);
        }
    }
    let rows = aliases.into_iter().map(|alias| {
        let of = |result: &'_ ScanResult| result.models.iter().find(|model| model.model == *alias).cloned();
        let (before, after) = (of(first), of(second));
        let score = |model: &Option<result::ModelResult>| {
            model
                .as_ref()
                .filter(|model| model.coverage > 0.0)
                .map(|model| model.score.get())
        };
        let (from, to) = (score(&before), score(&after));
        let resolved = |model: &Option<result::ModelResult>| {
            model.as_ref().and_then(|model| model.resolved_model.clone())
        };
        let note = match (resolved(&before), resolved(&after)) {
            (Some(before), Some(after)) if before != after => Some(format!("{before}, then {after}")),
            _ => None,
        };
        ModelRow {
            label: after
                .as_ref()
                .or(before.as_ref())
                .map_or_else(|| alias.to_string(), |model| model.model_label.clone()),
            note,
            chart: chart::dumbbell(from, to),
            before: from.map_or_else(|| figure::DASH.to_owned(), figure::decimal),
            after: to.map_or_else(|| figure::DASH.to_owned(), figure::decimal),
            change: from
                .zip(to)
                .map_or_else(|| figure::DASH.to_owned(), |(from, to)| figure::signed(to - from)),
            verdict: comparison
                .models
                .iter()
                .find(|change| change.model == *alias)
                .map_or("not comparable", |change| change.verdict.label()),
        }
    });
    rows.collect()
}

/// Rivals shown.
const RIVALS: usize = 12;

fn rival_rows(first: &ScanResult, second: &ScanResult) -> Vec<RivalRow> {
    let same = |a: &Competitor, b: &Competitor| {
        (a.is_self && b.is_self) || a.name == b.name || (a.domain.is_some() && a.domain == b.domain)
    };
    let rivals = |result: &ScanResult| {
        let rows = result.radius.top_competitors.iter();
        rows.filter(|row| row.kind == CompetitorKind::Rival || row.is_self)
            .cloned()
            .collect::<Vec<_>>()
    };
    let (first, second) = (rivals(first), rivals(second));
    let gone = first
        .iter()
        .filter(|row| !second.iter().any(|other| same(row, other)));
    let mut pairs: Vec<(&Competitor, Option<f64>, Option<f64>)> = second
        .iter()
        .map(|row| {
            (
                row,
                first
                    .iter()
                    .find(|other| same(row, other))
                    .map(|other| other.score),
                Some(row.score),
            )
        })
        .chain(gone.map(|row| (row, Some(row.score), None)))
        .collect();
    let weight =
        |pair: &(&Competitor, Option<f64>, Option<f64>)| pair.1.unwrap_or(0.0).max(pair.2.unwrap_or(0.0));
    pairs.sort_by(|a, b| {
        weight(b)
            .total_cmp(&weight(a))
            .then_with(|| a.0.name.cmp(&b.0.name))
    });
    let mut shown = 0;
    pairs.retain(|(row, _, _)| {
        shown += usize::from(!row.is_self);
        row.is_self || shown <= RIVALS
    });
    pairs
        .into_iter()
        .map(|(row, before, after)| RivalRow {
            own: row.is_self,
            name: row.name.clone(),
            chart: chart::dumbbell(before, after),
            before: before.map_or_else(|| figure::DASH.to_owned(), figure::decimal),
            after: after.map_or_else(|| figure::DASH.to_owned(), figure::decimal),
            change: figure::signed(after.unwrap_or(0.0) - before.unwrap_or(0.0)),
        })
        .collect()
}
