//! Core questions with their answers.

use super::card::{Card, Context};
use crate::evidence::EvidenceView;
use ibid_model::result::ScanResult;

/// Maximum number of answers in the report; a scan has at most ten core questions for each model.
const MOST: usize = 120;

/// One core question and its answers.
pub(super) struct Question {
    pub(super) anchor: String,
    pub(super) label: String,
    pub(super) text: String,
    pub(super) answers: Vec<Card>,
    /// Alias and anchor of each answer.
    pub(super) anchors: Vec<(String, String)>,
}

impl Question {
    /// Returns the anchor of a model's answer.
    pub(super) fn anchor_of(&self, alias: &str) -> Option<String> {
        self.anchors
            .iter()
            .find(|(known, _)| known == alias)
            .map(|(_, anchor)| anchor.clone())
    }
}

/// Returns the core questions in planned order; empty without evidence.
pub(super) fn of(result: &ScanResult, evidence: Option<&EvidenceView>) -> Vec<Question> {
    let mut questions: Vec<(&str, Question)> = Vec::new();
    let context = Context {
        result: Some(result),
        domain: &result.domain,
    };
    let answers = evidence.map_or(&[][..], |evidence| &evidence.answers);
    for (index, answer) in answers
        .iter()
        .enumerate()
        .filter(|(_, answer)| answer.ring.is_none())
        .take(MOST)
    {
        let at = questions
            .iter()
            .position(|(id, _)| *id == answer.question_id)
            .unwrap_or_else(|| {
                let number = questions.len() + 1;
                let question = Question {
                    anchor: format!("q{number}"),
                    label: format!("Q{number}"),
                    text: answer.question.clone(),
                    answers: Vec::new(),
                    anchors: Vec::new(),
                };
                questions.push((&answer.question_id, question));
                number - 1
            });
        if let Some((_, question)) = questions.get_mut(at) {
            let card = Card::of(&context, index, answer, answer.question != question.text);
            question.anchors.push((answer.model.clone(), card.anchor.clone()));
            question.answers.push(card);
        }
    }
    let mut questions: Vec<Question> = questions.into_iter().map(|(_, question)| question).collect();
    // A single answer is unfolded.
    if let [Question { answers, .. }] = questions.as_mut_slice()
        && let [only] = answers.as_mut_slice()
    {
        only.open = true;
    }
    questions
}
