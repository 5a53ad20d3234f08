//! Tells what an answer is: an answer, a refusal, a question back, a machine's error.

use super::layout::Span;
use super::page::{Page, Sentence};
use super::reading::AnswerClass;
use super::text::is_word;
use super::words::Kinds;
use ibid_model::Finish;

/// Longest text of an error page, without lists.
const LONGEST_ERROR: usize = 900;
/// Words of an answer that may count as a question back.
const LONGEST_QUESTION: usize = 160;

/// Marks at which models write the call of a tool into their text.
const CALLS: [&str; 8] = [
    "<tool_call",
    "<function_call",
    "<invoke",
    "<tool_use",
    "<|tool_call",
    "<|channel|>commentary",
    "[TOOL_CALL",
    "```tool_code",
];

/// Tells what kind of answer a page is.
/// `nobody` means that it puts no name forward, `silent` that it does not name the target in another way either.
pub(super) fn of(page: &Page<'_>, nobody: bool, silent: bool) -> AnswerClass {
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
    let broken_off = || {
        page.answer.finish == Finish::Truncated
            || CALLS.iter().any(|mark| page.answer.text.contains(mark))
            || is_announcement(page, false)
    };
    if silent && broken_off() || is_announcement(page, true) {
        return AnswerClass::Unfinished;
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

/// Whether a short text ends by announcing what the model is about to do.
/// With `names` it may name parties, but only in sentences that announce, as in "I'll look up reviews of Acme".
fn is_announcement(page: &Page<'_>, names: bool) -> bool {
    let text = &page.layout.text;
    let sentences = || page.sentences.iter().map(|sentence| &sentence.span);
    let asks = |span: &Span| page.text(span).contains(['?', '？', '؟']);
    let asks_back = |sentence: &Sentence| sentence.kinds.has(Kinds::CLARIFY) && asks(&sentence.span);
    let announces = |span: &Span| {
        let said = page.text(span);
        !asks(span)
            && page.cues_in(span).iter().any(|cue| {
                let (before, words) = (
                    said.get(..cue.span.start - span.start),
                    text.get(cue.span.clone()),
                );
                // "When searching for a plumber, …" is advice, "Searching for plumbers …" is not.
                let gerund = words
                    .and_then(|words| words.split(' ').next())
                    .is_some_and(|word| word.ends_with("ing"));
                cue.kinds.has(Kinds::ANNOUNCE)
                    && (!gerund || before.is_some_and(|before| !before.contains(is_word)))
            })
    };
    let says = |span: &&Span| page.text(span).contains(is_word);
    let short = |span: &Span| page.text(span).split_whitespace().count() <= 3;
    text.split_whitespace().count() <= 60
        && !page.sentences.iter().any(asks_back)
        && sentences().rfind(says).is_some_and(announces)
        && (!names
            || page.links.is_empty()
                && !text.contains(':')
                && sentences()
                    .filter(says)
                    .all(|span| announces(span) || short(span)))
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
