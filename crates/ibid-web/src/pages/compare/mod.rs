//! Two scans side by side, with the verdict of the test.

mod rows;

use crate::chart::{self, Markup};
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::Fact;
use askama::Template;
use ibid_model::result::{self, ScanResult, Verdict};
use ibid_model::{Interval, ModelAlias, ScanId};
use rows::{CompetitorRow, ModelRow, SideRow, competitor_rows, facts, model_rows, reach, side};

/// Two scans and the result of the test, for `GET /workspace/compare?scan={id}&scan={id}`.
#[derive(Clone, Copy, Debug)]
pub struct ComparePage<'a> {
    pub first: ComparedSide<'a>,
    pub second: ComparedSide<'a>,
    /// The result of the test.
    pub comparison: &'a ComparisonView,
}

/// One of two scans.
#[derive(Clone, Copy, Debug)]
pub struct ComparedSide<'a> {
    pub id: ScanId,
    pub result: &'a ScanResult,
}

/// A paired comparison over cells (model version, question, place) that are valid in both scans.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonView {
    /// The verdict over all cells.
    pub verdict: Change,
    /// The verdict in a sentence or two.
    pub sentence: String,
    /// The limits of the comparison, one sentence each.
    pub notes: Vec<String>,
    /// Number of cells that are valid in both scans.
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
    /// p-value of being cited at all.
    pub presence_p: Option<f64>,
    /// One row for each model in either scan; verdicts are Holm-corrected.
    pub models: Vec<ModelChange>,
}

/// The result of the test for one model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelChange {
    pub model: ModelAlias,
    pub verdict: Change,
}

/// Whether two measurements differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// They differ: p is under 0.05, and the interval excludes zero.
    Changed,
    /// The difference may be due to chance.
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

impl From<&result::Comparison> for ComparisonView {
    fn from(comparison: &result::Comparison) -> Self {
        let overall = &comparison.overall;
        let notes = comparison.reasons.iter().map(|reason| {
            let still = reason.still_comparable.as_ref();
            let still = still.map_or_else(String::new, |still| format!(" Still comparable: {still}."));
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

/// Writes a phrase with a capital first letter.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect());
    first + chars.as_str()
}

impl Change {
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Changed => "real change",
            Self::WithinNoise => "no real change",
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

#[derive(Template)]
#[template(path = "compare.html")]
struct CompareTemplate<'a> {
    shell: Shell<'a>,
    sides: [SideRow; 2],
    notes: Vec<String>,
    verdict: &'static str,
    verdict_class: &'static str,
    mean: Option<String>,
    mean_of: &'static str,
    sentence: String,
    chart: Option<Markup>,
    facts: Vec<Fact>,
    models: Vec<ModelRow>,
    competitors: Vec<CompetitorRow>,
}

/// Renders the comparison of two scans.
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
            Change::Changed => "Real change",
            Change::WithinNoise => "No real change",
            Change::NotComparable => "Not comparable",
        },
        verdict_class: comparison.verdict.class(),
        // A difference between incomparable results has no meaning, so it has no big number.
        mean: comparison
            .mean
            .filter(|_| comparison.verdict != Change::NotComparable)
            .map(figure::signed),
        sentence: comparison.sentence.clone(),
        notes: comparison.notes.clone(),
        chart: comparison
            .mean
            .filter(|_| comparison.verdict != Change::NotComparable)
            .map(|mean| chart::difference(mean, comparison.interval.as_ref(), reach(comparison))),
        mean_of: if comparison.cells > 0 {
            "points, mean over shared cells"
        } else {
            "points, over all questions of each"
        },
        facts: facts(comparison),
        models: model_rows(first.result, second.result, comparison),
        competitors: competitor_rows(first.result, second.result),
    };
    render("compare", &template)
}
