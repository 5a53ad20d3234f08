//! Makes text of a page safe to show: short, on one line, without control characters.

use unicode_width::UnicodeWidthChar;

/// Characters of the page that one finding may quote.
pub const QUOTE_CHARS: usize = 200;

/// Cuts untrusted text to [`QUOTE_CHARS`] characters on one line.
///
/// Collapses white space, and removes control characters, direction overrides and invisible characters.
/// A quote can therefore neither control a terminal nor show other letters than it has.
/// The renderer escapes it for HTML.
///
/// ```
/// use ibid_audit::quote;
///
/// assert_eq!(quote("two  lines\n of \u{202e}text"), "two lines of text");
/// ```
#[must_use]
pub fn quote(text: &str) -> String {
    quote_to(text, QUOTE_CHARS)
}

/// [`quote`] with another limit, in characters.
#[must_use]
pub fn quote_to(text: &str, limit: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() {
            gap = !out.is_empty();
            continue;
        }
        if is_unprintable(c) {
            continue;
        }
        if count + usize::from(gap) >= limit {
            out.push('…');
            return out;
        }
        if gap {
            out.push(' ');
            count += 1;
            gap = false;
        }
        out.push(c);
        count += 1;
    }
    out
}

/// Returns the text's longest beginning that ends with a sentence and fits.
pub(crate) fn sentences(text: &str, fits: impl Fn(&str) -> bool) -> Option<&str> {
    let ends = text
        .match_indices(['.', '!', '?', '。'])
        .filter_map(|(at, mark)| {
            let (part, rest) = text.split_at(at + mark.len());
            // "3.5", "e.g. this", "Dr. Ruiz" and "St. Gallen" end no sentence.
            let word = text[..at].rsplit(char::is_whitespace).next().unwrap_or("");
            let is_end = mark == "。"
                || word.chars().count() > 2
                    && (rest.is_empty() || rest.starts_with(char::is_whitespace))
                    && !rest.trim_start().starts_with(char::is_lowercase);
            is_end.then_some(part)
        });
    ends.filter(|part| fits(part)).last()
}

/// Letters and digits in lower case, so that spaces and punctuation do not matter in a comparison.
pub(crate) fn key(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns whether a character is invisible or changes the rendering of its neighbours.
pub(crate) fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Columns of a text in a monospaced font: two for wide characters, zero for combining marks.
#[must_use]
pub fn columns(text: &str) -> usize {
    let shown = text.chars().filter(|c| !is_unprintable(*c));
    shown.filter_map(UnicodeWidthChar::width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_tame() {
        for (text, expected) in [
            ("  two\n\twords ", "two words"),
            ("\u{1b}[31mred\u{1b}[0m", "[31mred[0m"),
            ("pay\u{202e}lap", "paylap"),
            ("a\u{0}b\u{200b}c\u{e0041}", "abc"),
            ("", ""),
            (" \u{85} ", ""),
        ] {
            assert_eq!(quote(text), expected, "{text:?}");
        }
        let long = quote(&"word ".repeat(100));
        assert!(long.chars().count() <= QUOTE_CHARS + 1 && long.ends_with('…'));
        assert_eq!(quote_to("abc", 3), "abc");
        assert_eq!(quote_to("abcd", 3), "abc…");
    }

    #[test]
    fn a_text_is_cut_after_a_sentence() {
        let text = "Dr. Ruiz paid 3.5 million. Nobody knew why, e.g. the bank. He left";
        let cut = |most: usize| sentences(text, |part| part.len() <= most);
        assert_eq!(cut(100), Some(&text[..58]));
        assert_eq!(cut(40), Some("Dr. Ruiz paid 3.5 million."));
        assert_eq!(cut(20), None);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        for (text, expected) in [
            ("abc", 3),
            ("東京", 4),
            ("한국", 4),
            ("é", 1),
            ("e\u{301}", 1),
            ("ｱ", 1),
            ("", 0),
        ] {
            assert_eq!(columns(text), expected, "{text}");
        }
    }
}
