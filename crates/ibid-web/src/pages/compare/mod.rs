//! Two scans side by side, with the verdict of the test.

mod rows;

use crate::chart::{self, Markup};
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::Fact;
use askama::Template;
use ibid_model::ScanId;
use ibid_model::result::{Comparison, ScanResult, Verdict};
use rows::{CompetitorRow, ModelRow, SideRow, competitor_rows, facts, model_rows, reach, side};

/// Two scans and the result of the test, for `GET /workspace/compare?scan={id}&scan={id}`.
#[derive(Clone, Copy, Debug)]
pub struct ComparePage<'a> {
    pub first: ComparedSide<'a>,
    pub second: ComparedSide<'a>,
    pub comparison: &'a Comparison,
}

/// One of two scans.
#[derive(Clone, Copy, Debug)]
pub struct ComparedSide<'a> {
    pub id: ScanId,
    pub result: &'a ScanResult,
}

/// Says what limits a comparison, a sentence or two for each reason.
fn notes(comparison: &Comparison) -> Vec<String> {
    let notes = comparison.reasons.iter().map(|reason| {
        let still = reason.still_comparable.as_ref();
        let still = still.map_or_else(String::new, |still| format!(" Still comparable: {still}."));
        format!("{}.{still}", capital(&reason.message))
    });
    notes.collect()
}

/// Writes a phrase with a capital first letter.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect());
    first + chars.as_str()
}

/// Returns the words for a verdict, and its class in the style sheet.
const fn words(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Changed => ("real change", "is-changed"),
        Verdict::WithinNoise => ("no real change", "is-noise"),
        Verdict::NotComparable => ("not comparable", "is-incomparable"),
    }
}

#[derive(Template)]
#[template(path = "compare.html")]
struct CompareTemplate<'a> {
    shell: Shell<'a>,
    sides: [SideRow; 2],
    notes: Vec<String>,
    verdict: String,
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
    let overall = &comparison.overall;
    let (verdict, verdict_class) = words(comparison.verdict);
    // A difference between incomparable results has no meaning, so it has no big number.
    let mean = overall
        .mean
        .filter(|_| comparison.verdict != Verdict::NotComparable);
    let template = CompareTemplate {
        shell: Shell::new(frame, "Two scans compared", Tab::History),
        sides: [
            side("before", "First scan", first),
            side("after", "Second scan", second),
        ],
        verdict: capital(verdict),
        verdict_class,
        mean: mean.map(figure::signed),
        sentence: comparison.sentence.clone(),
        notes: notes(comparison),
        chart: mean.map(|mean| chart::difference(mean, overall.interval.as_ref(), reach(overall))),
        mean_of: if overall.pairs > 0 {
            "points, mean over shared cells"
        } else {
            "points, over all questions of each"
        },
        facts: facts(overall),
        models: model_rows(first.result, second.result, comparison),
        competitors: competitor_rows(first.result, second.result),
    };
    render("compare", &template)
}
