//! Sentences.

use super::layout::Span;
use super::text::is_word;
use crate::read::words::{List, list};

/// Whether a word is a short form that ends with a full stop inside sentences.
static SHORT_FORMS: List = list("sentences.short-forms");

/// Adds the sentences of a block to those found, in order.
/// Together they cover the block.
pub(super) fn of(text: &str, block: &Span, sentences: &mut Vec<Span>) {
    let Some(inner) = text.get(block.clone()) else {
        return;
    };
    let first = sentences.len();
    let (mut start, mut closed) = (0, 0);
    for (at, c) in inner.char_indices() {
        if at < closed {
            continue;
        }
        let from = at + c.len_utf8();
        let ends = match c {
            '。' | '！' | '？' | '؟' | '।' | '｡' | '\n' | '\t' => true,
            '.' | '!' | '?' | '…' => {
                let next = inner[from..].chars().next();
                let spaced =
                    next.is_none_or(|c| c.is_whitespace() || matches!(c, '"' | ')' | '」') || !c.is_ascii());
                spaced
                    && !(c == '.' && is_short_form(&inner[start..at]))
                    && goes_on_capital(&inner[from..], c)
            }
            _ => false,
        };
        if ends {
            let closing = |c: char| matches!(c, '"' | '\'' | ')' | ']' | '」' | '』' | ' ' | '!' | '?' | '.');
            let end = inner.len() - inner[from..].trim_start_matches(closing).len();
            closed = end;
            if inner[start..end].contains(is_word) {
                sentences.push(block.start + start..block.start + end);
                start = end;
            }
        }
    }
    if inner[start..].contains(is_word) {
        sentences.push(block.start + start..block.end);
    } else if let Some(last) = sentences.get_mut(first..).and_then(<[Span]>::last_mut) {
        last.end = block.end;
    }
}

/// Whether the text before a full stop is a short form, an initial or a number.
fn is_short_form(before: &str) -> bool {
    let start = before
        .rfind(|c: char| !(is_word(c) || c == '.'))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let word = &before[start..];
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    // A number and a full stop inside a line counts something: `am 3. Mai`.
    let number = !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    initial || number || word.len() <= 5 && SHORT_FORMS.has(&word.to_ascii_lowercase())
}

/// Whether a sentence may start after a mark: not with a small letter after a full stop.
fn goes_on_capital(behind: &str, mark: char) -> bool {
    let next = behind
        .trim_start_matches([' ', '"', '\'', '(', ')'])
        .chars()
        .next();
    mark != '.' || next.is_none_or(|c| !c.is_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        let mut spans = Vec::new();
        of(text, &(0..text.len()), &mut spans);
        let found: Vec<&str> = spans.into_iter().map(|span| text[span].trim()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn sentences_end_where_readers_end_them() {
        check(
            "Try Acme. It is good! Is it? Yes.",
            &["Try Acme.", "It is good!", "Is it?", "Yes."],
        );
        check(
            "Dr. Wehrle at 5 St. John St. is good. Call 3.5 km.",
            &["Dr. Wehrle at 5 St. John St. is good.", "Call 3.5 km."],
        );
        check("推荐海底捞。味道好！", &["推荐海底捞。", "味道好！"]);
        check(
            "See acme.com for more. J. Crew too",
            &["See acme.com for more.", "J. Crew too"],
        );
        check("e.g. this one", &["e.g. this one"]);
    }

    proptest! {
        #[test]
        fn sentences_cover_the_block(text in "(\\PC|[.!?。 \na-zA-Z]){0,60}") {
            let mut found = Vec::new();
            of(&text, &(0..text.len()), &mut found);
            let mut end = 0;
            for span in &found {
                prop_assert_eq!(span.start, end);
                end = span.end;
            }
            prop_assert!(found.is_empty() || end == text.len());
        }
    }
}
