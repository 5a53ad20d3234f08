//! Finds quoted passages in an answer.

use crate::evidence::QuoteView;
use std::ops::Range;

/// Maximum number of quotes that are marked.
const MOST: usize = 64;
/// Shortest passage that is searched for when its offsets are wrong, in bytes.
const SHORTEST: usize = 3;

/// Returns the byte ranges of the quotes in the answer: on character boundaries, sorted, disjoint, not empty.
///
/// Offsets are tried as bytes, characters and UTF-16 units, and are used only if the text there is the passage.
/// Otherwise the passage is searched for. A passage that is not found is left out.
pub(crate) fn find(answer: &str, quotes: &[QuoteView]) -> Vec<Range<usize>> {
    let mut ranges: Vec<_> = quotes
        .iter()
        .take(MOST)
        .filter_map(|quote| locate(answer, quote))
        .collect();
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match apart.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

fn locate(answer: &str, quote: &QuoteView) -> Option<Range<usize>> {
    // Without a text to compare with, only the unit that readings use is valid.
    let other = !quote.text.is_empty();
    let hints = [
        Some(quote.start..quote.end),
        bytes_of(answer, quote, |_| 1).filter(|_| other),
        bytes_of(answer, quote, char::len_utf16).filter(|_| other),
    ];
    let holds = |range: &Range<usize>| {
        let there = answer.get(range.clone()).filter(|there| !there.trim().is_empty());
        there.is_some_and(|there| says(there, &quote.text))
    };
    let hinted = hints.into_iter().flatten().find(holds);
    trim(answer, hinted.or_else(|| search(answer, quote))?)
}

/// Converts the offsets of a quote from other units to bytes.
fn bytes_of(answer: &str, quote: &QuoteView, width: impl Fn(char) -> usize) -> Option<Range<usize>> {
    let (mut start, mut end, mut units) = (None, None, 0_usize);
    for (byte, c) in answer.char_indices() {
        if units == quote.start {
            start = Some(byte);
        }
        if units == quote.end {
            end = Some(byte);
            break;
        }
        units += width(c);
    }
    if end.is_none() && units == quote.end {
        end = Some(answer.len());
    }
    let (start, end) = (start?, end?);
    (start < end).then_some(start..end)
}

/// Whether a slice is the passage, apart from markup and spacing. A quote without text matches at its offsets.
fn says(there: &str, passage: &str) -> bool {
    let letters = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    passage.is_empty() || there == passage || {
        let (there, passage) = (letters(there), letters(passage));
        !passage.is_empty() && there == passage
    }
}

/// Returns the occurrence of the passage that is nearest to its offset.
fn search(answer: &str, quote: &QuoteView) -> Option<Range<usize>> {
    let passage = quote.text.trim();
    if passage.len() < SHORTEST {
        return None;
    }
    answer
        .match_indices(passage)
        .map(|(start, found)| start..start + found.len())
        .min_by_key(|range| range.start.abs_diff(quote.start))
}

/// Returns the range without white space at its ends.
fn trim(answer: &str, range: Range<usize>) -> Option<Range<usize>> {
    let text = answer.get(range.clone())?;
    let start = range.start + (text.len() - text.trim_start().len());
    let end = range.end - (text.len() - text.trim_end().len());
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(answer: &str, quote: (&str, usize, usize), expected: Option<&str>) {
        let quote = QuoteView {
            text: quote.0.to_owned(),
            start: quote.1,
            end: quote.2,
        };
        let found = find(answer, std::slice::from_ref(&quote));
        let found = found.first().map(|range| &answer[range.clone()]);
        assert_eq!(found, expected, "{quote:?} in {answer:?}");
    }

    #[test]
    fn offsets_are_hints() {
        check("ask Müller first", ("Müller", 4, 11), Some("Müller"));
        // Counted in characters, and in UTF-16 units.
        check("für Müller, zuerst", ("Müller", 4, 10), Some("Müller"));
        check("👩‍💻 für Müller", ("Müller", 10, 16), Some("Müller"));
        // Markup inside the slice does not matter.
        check("try **Acme Co** now", ("Acme Co", 4, 15), Some("**Acme Co**"));
        // Wrong, out of bounds, inside a character, reversed: searched for.
        check("ask Müller first", ("Müller", 900, 1200), Some("Müller"));
        check("ask Müller first", ("Müller", 6, 7), Some("Müller"));
        check("ask Müller first", ("first", 9, 2), Some("first"));
        check("a Acme b Acme c", ("Acme", 8, 11), Some("Acme"));
        check("ask Müller first", ("absent", 4, 11), None);
        check("ask Müller first", ("", 4, 11), Some("Müller"));
        check("ask Müller first", ("", 6, 11), None);
        check("ask Müller first", ("", usize::MAX, usize::MAX), None);
        check("", ("x", 0, 1), None);
        check("   ", ("", 0, 3), None);
    }

    #[test]
    fn the_nearest_occurrence_counts() {
        let quote = QuoteView {
            text: "Acme".into(),
            start: 10,
            end: 12,
        };
        assert_eq!(
            find("a Acme b Acme c", &[quote]).as_slice(),
            std::slice::from_ref(&(9..13))
        );
    }

    #[test]
    fn overlapping_passages_become_one() {
        let quote = |start, end| QuoteView {
            text: String::new(),
            start,
            end,
        };
        let quotes = [quote(4, 6), quote(0, 3), quote(2, 4)];
        assert_eq!(
            find("abcdefgh", &quotes).as_slice(),
            std::slice::from_ref(&(0..6))
        );
    }

    proptest! {
        #[test]
        fn ranges_can_always_be_sliced_by(
            answer in "[a-c ü👩\u{200d}\n]{0,40}",
            quotes in prop::collection::vec(("[a-c ü]{0,4}", 0..60_usize, 0..60_usize), 0..6),
        ) {
            let quotes: Vec<_> = quotes.into_iter().map(|(text, start, end)| QuoteView { text, start, end }).collect();
            let ranges = find(&answer, &quotes);
            for range in &ranges {
                prop_assert!(answer.get(range.clone()).is_some_and(|text| !text.trim().is_empty()));
            }
            prop_assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
