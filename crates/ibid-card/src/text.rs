//! Texts of strangers inside an SVG document.

/// Returns a text on one line, without invisible characters and without those that change the direction of text.
pub(crate) fn clean(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(
            |character| match character.is_whitespace() || character.is_control() {
                true => ' ',
                false => character,
            },
        )
        .filter(|character| !is_hidden(*character))
        .collect();
    shown
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns a text as the content of an element.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            character => escaped.push(character),
        }
    }
    escaped
}

fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{ffff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_strangers_become_plain_lines() {
        for (text, expected) in [
            (" a \r\n\t b\u{2028}c ", "a b c"),
            ("\u{202e}gpj.exe\u{0}\u{ffff}", "gpj.exe"),
            ("مرحبا\u{200f} 清水", "مرحبا 清水"),
            ("", ""),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
        assert_eq!(escape("</text><a b='&\">"), "&lt;/text&gt;&lt;a b='&amp;\"&gt;");
    }
}
