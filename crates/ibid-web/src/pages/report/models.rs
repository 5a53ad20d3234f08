//! The grid of core answers.

use super::questions::Question;
use ibid_model::Prominence;
use ibid_model::result::{AnswerSummary, ModelResult, ScanResult};

/// Models by questions, or questions that one model each was asked.
#[derive(Default)]
pub(super) struct Matrix {
    pub(super) heads: Vec<Head>,
    pub(super) rows: Vec<MatrixRow>,
    pub(super) list: Vec<ListRow>,
}

/// A question with its one answer.
pub(super) struct ListRow {
    pub(super) question: String,
    pub(super) model: String,
    pub(super) cell: Cell,
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
        return Matrix::default();
    }
    let answers = || result.models.iter().flat_map(|model| &model.answers);
    let asked_twice = |id: &str| {
        answers()
            .filter(|answer| answer.question_id == id)
            .nth(1)
            .is_some()
    };
    if result.models.len() > 1 && !answers().any(|answer| asked_twice(&answer.question_id)) {
        return Matrix {
            list: list(result, questions),
            ..Matrix::default()
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
                .map(|column| Cell::of(model, model.answers.get(column), questions.get(column)))
                .collect(),
        })
        .collect();
    Matrix {
        heads,
        rows,
        list: Vec::new(),
    }
}

/// The questions in their order, which their numbers show.
fn list(result: &ScanResult, questions: &[Question]) -> Vec<ListRow> {
    let mut rows: Vec<(usize, ListRow)> = Vec::new();
    for model in &result.models {
        for answer in &model.answers {
            let number = answer
                .question_id
                .trim_start_matches('c')
                .parse()
                .unwrap_or(usize::MAX);
            let question = questions.get(number.saturating_sub(1));
            let row = ListRow {
                question: question.map_or_else(|| format!("Q{number}"), |question| question.text.clone()),
                model: model.model_label.clone(),
                cell: Cell::of(model, Some(answer), question),
            };
            rows.push((number, row));
        }
    }
    rows.sort_by_key(|(number, _)| *number);
    rows.into_iter().map(|(_, row)| row).collect()
}

impl Cell {
    fn of(model: &ModelResult, answer: Option<&AnswerSummary>, question: Option<&Question>) -> Self {
        let score = answer.and_then(|answer| answer.score);
        Self {
            class: answer.map_or("missing", |answer| class_word(answer.class)),
            score: score.map_or_else(|| "–".to_owned(), |score| format!("{:.0}", score.get())),
            anchor: question.and_then(|question| question.anchor_of(model.model.as_str())),
        }
    }
}

/// Returns a prominence class as a word for readers and style sheets; "missing" without a valid answer.
pub(super) fn class_word(class: Option<Prominence>) -> &'static str {
    class.map_or("missing", Prominence::as_str)
}
