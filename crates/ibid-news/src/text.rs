//! Texts of events, made safe for one line of a message.

use ibid_model::is_display_control;

/// Longest text of a message in characters: a sentence of the history has about 200.
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
    match text.char_indices().nth(LONGEST) {
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
