//! Makes texts from events safe for one line.

use ibid_model::is_display_control;

/// Longest text in characters: a sentence about the history has about 200.
const LONGEST: usize = 600;

/// The text on one line, without control and direction characters, and cut where it is too long.
pub(crate) fn line(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let kept = word.chars().filter(|c| !is_display_control(*c));
        kept.collect::<String>()
    });
    let text = words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    cut(text, LONGEST)
}

/// Cuts a text after so many characters, and says so with a further one.
pub(crate) fn cut(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_without_hidden_characters() {
        for (text, expected) in [
            ("Brightspoke", "Brightspoke"),
            (" two\r\nBcc: x@y.example ", "two Bcc: x@y.example"),
            ("a\u{202e}b\u{0}", "ab"),
            ("\u{200b}", ""),
        ] {
            assert_eq!(line(text), expected, "{text:?}");
        }
        assert_eq!(line(&"a".repeat(601)).chars().count(), 601);
        assert!(line(&"a".repeat(601)).ends_with('…'));
    }
}
