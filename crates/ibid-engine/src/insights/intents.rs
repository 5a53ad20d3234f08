//! Home answers by the intent of their question.

use super::{CitingAnswer, top_names};
use crate::numbers::round4;
use crate::read::{Reading, Stance};
use crate::score::{self, Sample};
use ibid_model::result::{IntentResult, StanceCounts};
use std::collections::BTreeSet;

/// Competitors named for each intent.
const MOST_COMPETITORS: usize = 3;

/// The results by intent, in the order asked.
pub(super) fn intents(answers: &[CitingAnswer<'_>]) -> Vec<IntentResult> {
    let mut order: Vec<&str> = Vec::new();
    for answer in answers.iter().filter(|answer| answer.at_home) {
        if !order.contains(&answer.answer.template.as_str()) {
            order.push(&answer.answer.template);
        }
    }
    order.into_iter().map(|name| intent(answers, name)).collect()
}

fn intent(answers: &[CitingAnswer<'_>], name: &str) -> IntentResult {
    let of_intent = || {
        let counted = answers.iter().filter(|answer| answer.headline);
        counted.filter(|answer| answer.answer.template == name)
    };
    let texts: BTreeSet<&str> = of_intent()
        .map(|answer| answer.answer.question.as_str())
        .collect();
    let texts: Vec<&str> = texts.into_iter().collect();
    let sample = |answer| -> Sample<'_> {
        let answer: &CitingAnswer<'_> = answer;
        Sample {
            model: answer.model,
            question: texts
                .binary_search(&answer.answer.question.as_str())
                .unwrap_or_default(),
            ring: None,
            reading: answer.reading,
        }
    };
    let numbers = score::group(&of_intent().map(sample).collect::<Vec<_>>());
    let top = top_names(of_intent(), MOST_COMPETITORS);
    IntentResult {
        intent: name.to_owned(),
        questions: texts.len() as u32,
        answers: numbers.valid,
        score: numbers.score,
        cited_rate: numbers.cited_rate.map(round4),
        cited_rate_interval: numbers.cited_rate_interval,
        stances: stances(of_intent().map(|answer| answer.reading)),
        top_competitors: top.into_iter().map(|(name, _)| name).collect(),
    }
}

fn stances<'a>(readings: impl Iterator<Item = &'a Reading>) -> StanceCounts {
    let mut counts = StanceCounts::default();
    for reading in readings {
        let count = match reading.stance {
            Stance::Recommended => &mut counts.recommended,
            Stance::Discouraged => &mut counts.discouraged,
            Stance::Neutral | Stance::Absent if reading.cited() => &mut counts.neutral,
            Stance::Neutral | Stance::Absent => &mut counts.absent,
        };
        *count += 1;
    }
    counts
}
