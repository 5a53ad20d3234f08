//! Sentences that restate the question.

use crate::read::candidates::{Candidates, Form};
use crate::read::page::Page;
use crate::read::text::{Plain, key, words};
use crate::read::words::Kinds;

/// For every sentence, whether it restates the question, which names the target.
pub(super) fn echoes(page: &Page<'_>, candidates: &Candidates) -> Vec<bool> {
    let question = page.question;
    if question.text.is_empty() || !question.names_target {
        return Vec::new();
    }
    // Where others than the target are put forward.
    let mut others: Vec<usize> = candidates
        .found
        .iter()
        .filter(|candidate| candidate.form != Form::Mention)
        .filter(|candidate| !page.target.is_name(page.text(&candidate.name)))
        .map(|candidate| candidate.name.start)
        .collect();
    others.sort_unstable();
    let restates = |sentence: &crate::read::page::Sentence| {
        if candidates.taken.get(sentence.block) == Some(&true) {
            return false;
        }
        let text = page.text(&sentence.span);
        let carriers: Vec<Plain> = words(text)
            .filter(|word| word.chars().count() >= 4)
            .take(60)
            .map(key)
            .collect();
        let shared = carriers
            .iter()
            .filter(|word| question.asked.contains(&***word))
            .count();
        let quiet = !sentence.kinds.has(
            Kinds::TOP
                .and(Kinds::CORE)
                .and(Kinds::AVOID)
                .and(Kinds::BAD)
                .and(Kinds::DEFUNCT)
                .and(Kinds::ABSENCE),
        );
        shared >= 3 && shared * 10 >= carriers.len() * 6 && quiet && {
            let next = others.partition_point(|start| *start < sentence.span.start);
            others.get(next).is_none_or(|start| *start >= sentence.span.end)
        }
    };
    page.sentences.iter().map(restates).collect()
}
