//! The kind of an answer: an answer, a refusal, a question back, a machine's error.

use super::page::Page;
use super::reading::AnswerClass;
use super::text::is_word;
use super::words::Kinds;
use ibid_model::Finish;

/// Longest text of an error page, without lists.
const LONGEST_ERROR: usize = 900;
/// Words of an answer that may count as a question back.
const LONGEST_QUESTION: usize = 160;

/// The kind of an answer; `nobody` means that it puts no name forward.
pub(super) fn of(page: &Page<'_>, nobody: bool) -> AnswerClass {
    let refused = page.answer.finish == Finish::Refused;
    if !page.layout.text.contains(is_word) {
        // A refusal that the provider reports is an answer even without a word.
        return if refused {
            AnswerClass::Refusal
        } else {
            AnswerClass::Empty
        };
    }
    if is_error(page, nobody) {
        return AnswerClass::Error;
    }
    // An answer that puts a name forward is no refusal.
    if !nobody {
        return AnswerClass::Answer;
    }
    let has = |kind: Kinds| page.sentences.iter().any(|sentence| sentence.kinds.has(kind));
    if has(Kinds::REFUSAL) || refused {
        return AnswerClass::Refusal;
    }
    let text = &page.layout.text;
    let questions = text.matches(['?', '？', '؟']).count();
    let short = text.split_whitespace().count() <= LONGEST_QUESTION;
    if short && questions > 0 && has(Kinds::CLARIFY) {
        return AnswerClass::Clarification;
    }
    AnswerClass::Answer
}

/// Whether the text is a page or a message of a machine.
fn is_error(page: &Page<'_>, nobody: bool) -> bool {
    let raw = page.answer.text.trim_start();
    let starts = |mark: &str| {
        raw.get(..mark.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(mark))
    };
    let document = starts("<!doctype") || starts("<html") || starts("<?xml");
    let object = raw.starts_with('{') && {
        let head: String = raw.chars().take(200).flat_map(char::to_lowercase).collect();
        (head.contains("\"error\"") || head.contains("\"errors\"")) && head.contains("message")
    };
    let says = page.layout.text.len() <= LONGEST_ERROR
        && page
            .sentences
            .iter()
            .any(|sentence| sentence.kinds.has(Kinds::ERROR));
    object || says && (nobody || document)
}
