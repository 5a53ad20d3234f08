//! A table of models.

use crate::chart::{self, Markup};
use crate::figure;
use ibid_model::result::{ModelResult, ScanResult, Stratum};

pub(crate) struct ModelRow {
    pub(crate) label: String,
    pub(crate) resolved: String,
    /// Why there is no score.
    pub(crate) failed: Option<String>,
    pub(crate) bar: Markup,
    pub(crate) score: String,
    pub(crate) interval: String,
    pub(crate) cited: String,
    pub(crate) linked: String,
    pub(crate) rank: String,
    pub(crate) prominence: &'static str,
    /// The answers behind the score.
    pub(crate) answers: &'static str,
    /// What the numbers cannot tell.
    pub(crate) note: Option<String>,
}

pub(crate) fn rows(result: &ScanResult) -> Vec<ModelRow> {
    result.models.iter().map(row).collect()
}

fn row(model: &ModelResult) -> ModelRow {
    let answered = !model.is_unanswered();
    let failed = (!answered).then(|| {
        let why = model.error.as_ref().map(|error| format!("No answer: {error}"));
        why.unwrap_or_else(|| "No answer.".to_owned())
    });
    let strata = &model.retrieval;
    let note = match &model.error {
        Some(error) if answered => Some(error.to_string()),
        _ if strata.memory > 0 || (strata.headline == Stratum::Searched && strata.unknown > 0) => {
            strata.sentence()
        }
        _ if answered && model.coverage < 1.0 => Some(format!(
            "{} of the questions got a valid answer.",
            figure::percent(model.coverage)
        )),
        _ if answered && model.informative_rate < 0.5 => Some(format!(
            "Only {} of its answers name any provider at all.",
            figure::percent(model.informative_rate)
        )),
        _ => None,
    };
    ModelRow {
        label: model.model_label.clone(),
        resolved: model
            .resolved_model
            .clone()
            .unwrap_or_else(|| model.model.to_string()),
        failed,
        bar: chart::bar(model.score.get(), model.score_interval.as_ref()),
        score: figure::score(model.score),
        interval: model
            .score_interval
            .as_ref()
            .map_or_else(|| figure::DASH.to_owned(), figure::interval),
        cited: figure::percent(model.cited_rate),
        linked: figure::percent(model.linked_rate),
        rank: model.rank.map_or_else(|| figure::DASH.to_owned(), figure::short),
        prominence: model.prominence.as_str(),
        answers: strata.headline.label(),
        note,
    }
}
