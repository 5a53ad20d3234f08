//! Escapes hostile text for pages.
//!
//! Names, answers and findings come from models, pages and callers. Every template escapes its fields with [`Hostile`],
//! by configuration, so that no field can be forgotten.

use askama::filters::Escaper;
use ibid_model::is_display_control;
use std::borrow::Cow;
use std::fmt;

/// Escapes what every template shows: HTML markup becomes text, and steering characters (controls, direction overrides,
/// invisible tags) are left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hostile;

impl Escaper for Hostile {
    fn write_escaped_str<W: fmt::Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        let mut plain_from = 0;
        for (index, c) in text.char_indices() {
            let Some(instead) = replacement(c) else {
                continue;
            };
            dest.write_str(text.get(plain_from..index).unwrap_or_default())?;
            dest.write_str(instead)?;
            plain_from = index + c.len_utf8();
        }
        dest.write_str(text.get(plain_from..).unwrap_or_default())
    }
}

/// Returns the replacement of a character, or `None` where the character is written unchanged.
fn replacement(c: char) -> Option<&'static str> {
    match c {
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '&' => Some("&amp;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        '\u{2028}' | '\u{2029}' => Some("\n"),
        c if is_steering(c) => Some(""),
        _ => None,
    }
}

/// Whether a character changes the display of others or hides text. Line feed, tab and the joiners that scripts and
/// emoji need are not steering characters.
pub(crate) fn is_steering(c: char) -> bool {
    is_display_control(c) && !matches!(c, '\n' | '\t' | '\u{2028}' | '\u{2029}')
}

/// Escapes a text for HTML, for markup that is not built by a template.
pub(crate) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    // Writing to a String cannot fail.
    let _ = Hostile.write_escaped_str(&mut escaped, text);
    escaped
}

/// Returns a text on one line without steering characters, for plain-text output.
pub(crate) fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c == '\u{2028}' || c == '\u{2029}') {
        let word: String = word.chars().filter(|c| !is_steering(*c)).collect();
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    line
}

/// Cuts a text to at most `most` characters, and marks a cut with an ellipsis.
pub(crate) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => {
            let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
            cut.truncate(cut.trim_end().len());
            cut.push('…');
            Cow::Owned(cut)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_steering_characters_are_inert() {
        for (hostile, inert) in [
            ("<script>", "&lt;script&gt;"),
            ("\" onload='x'", "&quot; onload=&#39;x&#39;"),
            ("a&b", "a&amp;b"),
            ("\u{202e}gpj.exe", "gpj.exe"),
            ("a\u{2066}b\u{2069}c\u{200f}", "abc"),
            ("a\0b\u{1b}[31m\r\nc\td", "ab[31m\nc\td"),
            ("tag\u{e0041}ged\u{feff}", "tagged"),
            ("1\u{2028}2", "1\n2"),
            ("👩\u{200d}💻 ok", "👩\u{200d}💻 ok"),
            ("", ""),
        ] {
            assert_eq!(html(hostile), inert, "{hostile:?}");
        }
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(line(" a\r\n\u{2028}b \u{202e}\u{200b}c\u{0} "), "a b c");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("ab cdef", 4), "ab…");
    }

    proptest::proptest! {
        #[test]
        fn nothing_gets_out_of_an_attribute_or_a_text(text in "\\PC*|[<>&\"'\\x00-\\x1f\u{202a}-\u{202e}]*") {
            let inert = html(&text);
            proptest::prop_assert!(!inert.contains(['<', '>', '"', '\'']));
            proptest::prop_assert!(!inert.chars().any(is_steering));
        }
    }
}
