//! Passages of the answer, verbatim.

use super::layout::{Kind, Span};
use super::page::{Page, Sentence};
use super::reading::Quote;

/// Most passages of one answer.
const MOST: usize = 8;
/// Longest passage, in bytes of the visible text; longer sentences are cut around the name.
pub(super) const LONGEST: usize = 320;
/// Words other than the name from which a passage is a statement.
const FEWEST_WORDS: usize = 2;

/// The sentences that hold the spans, in order, each once.
pub(super) fn of(page: &Page<'_>, spans: &[Span]) -> Vec<Quote> {
    let mut passages: Vec<Span> = Vec::new();
    for span in spans {
        let sentence = page.sentence_at(span.start);
        let sentence = sentence.map_or(span.clone(), |at| statement(page, at, span));
        let passage = around(page, &sentence, span);
        if passages.last().is_none_or(|last| last.end <= passage.start) {
            passages.push(passage);
        }
        if passages.len() >= MOST {
            break;
        }
    }
    let mut counter = Counter {
        text: page.answer.text,
        at: 0,
        chars: 0,
    };
    passages
        .iter()
        .filter_map(|passage| quote(page, passage, &mut counter))
        .collect()
}

/// The sentence at a position.
/// A name alone comes with the answer's text about it: the other cells of its row, or the text below it.
fn statement(page: &Page<'_>, at: usize, name: &Span) -> Span {
    let Some(sentence) = page.sentences.get(at) else {
        return name.clone();
    };
    if !is_bare(page, sentence, name) {
        return sentence.span.clone();
    }
    let block = page.layout.blocks.get(sentence.block);
    let row = block.filter(|block| block.kind == Kind::Row);
    let below = page
        .sentences
        .get(at + 1)
        .filter(|below| follows(page, sentence, below));
    let extended = match row {
        Some(row) => row.span.clone(),
        None => sentence.span.start..below.map_or(sentence.span.end, |below| below.span.end),
    };
    // A longer one would be cut around the name, and could lose its statement.
    if extended.len() <= LONGEST {
        extended
    } else {
        sentence.span.clone()
    }
}

/// Whether a sentence has hardly a word other than the name.
fn is_bare(page: &Page<'_>, sentence: &Sentence, name: &Span) -> bool {
    let outside = [sentence.span.start..name.start, name.end..sentence.span.end];
    let words = outside.iter().flat_map(|span| page.text(span).split_whitespace());
    let mut words = words.filter(|word| word.contains(char::is_alphanumeric));
    words.nth(FEWEST_WORDS - 1).is_none()
}

/// Whether the next sentence is text below the first: in a block of it, or in a separate paragraph.
fn follows(page: &Page<'_>, above: &Sentence, below: &Sentence) -> bool {
    let Some(block) = page.layout.blocks.get(below.block) else {
        return false;
    };
    let is_text = block.kind == Kind::Line && !block.all_bold && !block.symbol;
    below.block != above.block && (block.parent == Some(above.block) || is_text)
}

/// The sentence, or in a long one the text around the name.
fn around(page: &Page<'_>, sentence: &Span, name: &Span) -> Span {
    let text = &page.layout.text;
    if sentence.len() <= LONGEST {
        let inner = &text[sentence.clone()];
        let start = sentence.end - inner.trim_start().len();
        return start..start + inner.trim().len();
    }
    let start = name.start.saturating_sub(LONGEST / 2).max(sentence.start);
    let end = (name.end.min(name.start + LONGEST) + LONGEST / 2).min(sentence.end);
    text.ceil_char_boundary(start)..text.floor_char_boundary(end)
}

fn quote(page: &Page<'_>, passage: &Span, counter: &mut Counter<'_>) -> Option<Quote> {
    let answer = page.answer.text;
    let last = page.layout.text[..passage.end]
        .char_indices()
        .next_back()
        .map_or(passage.start, |(at, _)| at);
    let origin = |at: usize| page.clean.origin(page.layout.origin(at)).min(answer.len());
    let start = answer.floor_char_boundary(origin(passage.start));
    let mut end = answer.floor_char_boundary(origin(last));
    end += answer[end..].chars().next().map_or(0, char::len_utf8);
    let text = answer.get(start..end).filter(|text| !text.is_empty())?;
    Some(Quote {
        text: text.to_owned(),
        start: counter.chars_before(start),
        end: counter.chars_before(end),
    })
}

/// Counts the characters of a text up to ascending positions, without a restart.
struct Counter<'a> {
    text: &'a str,
    at: usize,
    chars: u32,
}

impl Counter<'_> {
    fn chars_before(&mut self, at: usize) -> u32 {
        if at < self.at {
            (self.at, self.chars) = (0, 0);
        }
        let between = self.text.as_bytes().get(self.at..at).unwrap_or_default();
        // Bytes that continue a character are 0b10xxxxxx.
        self.chars += between.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u32;
        self.at = at;
        self.chars
    }
}
