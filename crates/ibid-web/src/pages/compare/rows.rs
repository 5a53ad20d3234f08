//! Rows of two compared scans.

use super::{ComparedSide, words};
use crate::chart::{self, Markup};
use crate::figure;
use crate::pages::Fact;
use ibid_model::result::{
    self, Comparison, Competitor, CompetitorKind, Difference, LocationReport, ScanResult,
};
use ibid_model::{ModelAlias, ScanId};
use jiff::Timestamp;

pub(super) struct SideRow {
    pub(super) key: &'static str,
    pub(super) label: &'static str,
    pub(super) id: ScanId,
    pub(super) at: Timestamp,
    pub(super) domain: String,
    pub(super) keyword: String,
    pub(super) place: Option<String>,
    pub(super) score: String,
    pub(super) interval: String,
}

pub(super) struct ModelRow {
    pub(super) label: String,
    pub(super) note: Option<String>,
    pub(super) chart: Markup,
    pub(super) before: String,
    pub(super) after: String,
    pub(super) change: String,
    pub(super) verdict: &'static str,
}

pub(super) struct CompetitorRow {
    pub(super) own: bool,
    pub(super) name: String,
    pub(super) chart: Markup,
    pub(super) before: String,
    pub(super) after: String,
    pub(super) change: String,
}

pub(super) fn side(key: &'static str, label: &'static str, side: &ComparedSide<'_>) -> SideRow {
    let result = side.result;
    SideRow {
        key,
        label,
        id: side.id,
        at: result.finished_at,
        domain: result.domain.to_unicode(),
        keyword: result.keyword.to_string(),
        place: result.location.as_ref().map(LocationReport::short_label),
        score: figure::score(result.overall_score),
        interval: result
            .interval
            .as_ref()
            .map_or_else(String::new, figure::interval),
    }
}

pub(super) fn facts(overall: &Difference) -> Vec<Fact> {
    let p = |value: f64| {
        if value < 0.001 {
            "<\u{a0}0.001".to_owned()
        } else {
            format!("{value:.3}")
        }
    };
    let paired = overall.pairs > 0;
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
            figure::count(overall.pairs.into()),
            format!("{} differ", figure::count(overall.differing.into())),
        ));
    }
    if let Some(value) = overall.p_value.filter(|value| value.is_finite()) {
        facts.push(Fact::with_note(
            "p of the scores",
            p(value),
            test("paired sign-flip permutation"),
        ));
    }
    let cited = overall.cited.and_then(|cited| cited.p_value);
    if let Some(value) = cited.filter(|value| value.is_finite()) {
        facts.push(Fact::with_note(
            "p of being cited",
            p(value),
            test("sign flips over questions"),
        ));
    }
    if let Some(points) = overall.detectable.filter(|points| points.is_finite()) {
        facts.push(Fact::with_note(
            "Smallest visible",
            figure::decimal(points),
            "points",
        ));
    }
    facts
}

/// Returns a round scale that includes the difference and its interval.
pub(super) fn reach(overall: &Difference) -> f64 {
    let ends = [
        overall.mean.unwrap_or_default(),
        overall.interval.map_or(0.0, |range| range.low),
        overall.interval.map_or(0.0, |range| range.high),
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

pub(super) fn model_rows(first: &ScanResult, second: &ScanResult, comparison: &Comparison) -> Vec<ModelRow> {
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
                .filter(|model| !model.is_unanswered())
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
                .map_or("not comparable", |change| words(change.difference.verdict).0),
        }
    });
    rows.collect()
}

/// Maximum number of competitors shown.
const MAX_COMPETITORS: usize = 12;

pub(super) fn competitor_rows(first: &ScanResult, second: &ScanResult) -> Vec<CompetitorRow> {
    let same = |a: &Competitor, b: &Competitor| {
        (a.is_self && b.is_self) || a.name == b.name || (a.domain.is_some() && a.domain == b.domain)
    };
    let competitors = |result: &ScanResult| {
        let rows = result.radius.top_competitors.iter();
        rows.filter(|row| row.kind == CompetitorKind::Rival || row.is_self)
            .cloned()
            .collect::<Vec<_>>()
    };
    let (first, second) = (competitors(first), competitors(second));
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
        row.is_self || shown <= MAX_COMPETITORS
    });
    pairs
        .into_iter()
        .map(|(row, before, after)| CompetitorRow {
            own: row.is_self,
            name: row.name.clone(),
            chart: chart::dumbbell(before, after),
            before: before.map_or_else(|| figure::DASH.to_owned(), figure::decimal),
            after: after.map_or_else(|| figure::DASH.to_owned(), figure::decimal),
            change: figure::signed(after.unwrap_or(0.0) - before.unwrap_or(0.0)),
        })
        .collect()
}
