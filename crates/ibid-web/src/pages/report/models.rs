//! The table of models and the grid of core answers.

use super::questions::Question;
use crate::chart::{self, Markup};
use crate::figure;
use ibid_model::Prominence;
use ibid_model::result::{ModelResult, ScanResult, Stratum};

/// One row for each model.
pub(super) struct ModelRow {
    pub(super) label: String,
    pub(super) resolved: String,
    /// The reason of a missing score.
    pub(super) failed: Option<String>,
    pub(super) bar: Markup,
    pub(super) score: String,
    pub(super) interval: String,
    pub(super) cited: String,
    pub(super) linked: String,
    pub(super) rank: String,
    pub(super) prominence: &'static str,
    /// The limits of the numbers.
    pub(super) note: Option<String>,
}

pub(super) fn rows(result: &ScanResult) -> Vec<ModelRow> {
    result.models.iter().map(row).collect()
}

fn row(model: &ModelResult) -> ModelRow {
    let answered = !model.is_unanswered();
    let failed = (!answered).then(|| {
        let why = model.error.as_ref().map(|error| format!(": {}", error.message));
        format!("No answer{}.", why.unwrap_or_default())
    });
    let strata = &model.retrieval;
    let note = match &model.error {
        Some(error) if answered => Some(error.message.clone()),
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
        note,
    }
}

/// Models by questions.
pub(super) struct Matrix {
    pub(super) heads: Vec<Head>,
    pub(super) rows: Vec<MatrixRow>,
}

pub(super) struct Head {
    pub(super) label: String,
    pub(super) question: String,
}

pub(super) struct MatrixRow {
    pub(super) label: String,
    pub(super) cells: Vec<Cell>,
}

pub(super) struct Cell {
    pub(super) class: &'static str,
    pub(super) score: String,
    pub(super) anchor: Option<String>,
}

/// Returns the grid, or an empty one where the table above it shows the same.
pub(super) fn matrix(result: &ScanResult, questions: &[Question]) -> Matrix {
    let columns = result
        .models
        .iter()
        .map(|model| model.answers.len())
        .max()
        .unwrap_or(0);
    if columns < 2 {
        return Matrix {
            heads: Vec::new(),
            rows: Vec::new(),
        };
    }
    let heads = (0..columns)
        .map(|column| Head {
            label: format!("Q{}", column + 1),
            question: questions
                .get(column)
                .map_or_else(String::new, |question| question.text.clone()),
        })
        .collect();
    let rows = result
        .models
        .iter()
        .map(|model| MatrixRow {
            label: model.model_label.clone(),
            cells: (0..columns)
                .map(|column| {
                    let answer = model.answers.get(column);
                    Cell {
                        class: answer.map_or("missing", |answer| class_word(answer.class)),
                        score: answer
                            .and_then(|answer| answer.score)
                            .map_or_else(|| "–".to_owned(), |s| format!("{:.0}", s.get())),
                        anchor: questions
                            .get(column)
                            .and_then(|question| question.anchor_of(model.model.as_str())),
                    }
                })
                .collect(),
        })
        .collect();
    Matrix { heads, rows }
}

/// Returns a prominence class as a word for readers and style sheets; "missing" without a valid answer.
pub(super) fn class_word(class: Option<Prominence>) -> &'static str {
    class.map_or("missing", Prominence::as_str)
}
