//! A grid of core answers.

use super::questions::Question;
use crate::evidence::{AnswerView, EvidenceView};
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

/// Returns the grid, or an empty one where the table above it shows the same. The evidence has the words of the questions.
pub(super) fn matrix(result: &ScanResult, questions: &[Question], evidence: Option<&EvidenceView>) -> Matrix {
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
            list: list(
                result,
                questions,
                evidence.map_or(&[], |evidence| &evidence.answers),
            ),
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

/// The core questions in their order, then those about the home town.
fn list(result: &ScanResult, questions: &[Question], answers: &[AnswerView]) -> Vec<ListRow> {
    let mut rows: Vec<(Option<usize>, ListRow)> = Vec::new();
    for model in &result.models {
        for answer in &model.answers {
            let core = answer.question_id.strip_prefix('c');
            let number = core.and_then(|number| number.parse::<usize>().ok());
            let question = number.and_then(|number| questions.get(number.checked_sub(1)?));
            let asked = answers.iter().find(|one| one.question_id == answer.question_id);
            let row = ListRow {
                question: asked.map_or_else(String::new, |asked| asked.question.clone()),
                model: model.model_label.clone(),
                cell: Cell::of(model, Some(answer), question),
            };
            rows.push((number, row));
        }
    }
    rows.sort_by_key(|(number, _)| (number.is_none(), *number));
    let numbered = (1_u32..).zip(rows);
    let named = numbered.map(|(place, (_, row))| match row.question.as_str() {
        "" => ListRow {
            question: format!("Question {place}"),
            ..row
        },
        _ => row,
    });
    named.collect()
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
