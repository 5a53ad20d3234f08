//! The grid of core answers.

use super::questions::Question;
use ibid_model::Prominence;
use ibid_model::result::ScanResult;

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
