//! Texts that others read: what they may hold.

/// Whether a text is a name: something of at most this many characters, nothing hidden in it, and no address with a scheme.
/// A bare host is a name.
pub(crate) fn is_name(text: &str, most: usize) -> bool {
    text.chars().count() <= most && !hides(text) && !text.contains("://")
}

/// Whether a line has characters that are invisible or change how their neighbours are shown. Joiners in scripts and in
/// pictures, such as that of a family, hide nothing where they follow one of their letters.
pub(crate) fn hides(text: &str) -> bool {
    let mut before = 'a';
    text.chars().any(|letter| {
        let joins = matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe0f}') && !before.is_ascii();
        before = letter;
        !joins && is_hidden(letter)
    })
}

/// Controls, marks and overrides for direction, characters without width, line separators, variation selectors, fillers and
/// tags.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_it_shows() {
        for name in [
            "Größe & Söhne",
            "example.com",
            "www.example.com/shop",
            "می\u{200c}خواهم",
            "❤\u{fe0f} Bäckerei",
        ] {
            assert!(is_name(name, 40), "{name}");
        }
        for odd in [
            "a\u{202e}b",
            "a\u{2066}b",
            "\u{200f}a",
            "a\u{feff}b",
            "a\u{7}b",
            "a\u{200b}b",
            "a\u{200d}b",
            "a\u{e0041}b",
            "a\nb",
            "see https://evil.example",
            "12345678901234567890123456789012345678901",
        ] {
            assert!(!is_name(odd, 40), "{odd:?}");
        }
    }
}
