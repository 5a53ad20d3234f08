//! Texts of events, made safe for one line of a message.

/// Longest text of a message in characters: a sentence of the history has about 200.
const LONGEST: usize = 600;

/// The text on one line, without control and direction characters, and cut where it is too long.
pub(crate) fn line(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let kept = word.chars().filter(|c| !is_steering(*c));
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

/// Whether a character changes the display of others or hides text.
fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{061c}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
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
