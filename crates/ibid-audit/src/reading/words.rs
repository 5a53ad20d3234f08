//! Words: runs of letters and digits.
//!
//! Scripts without spaces count one word per two characters.

/// Counts words.
///
/// Runs of Han, kana, Hangul, Thai, Lao, Khmer and Burmese count one word per two characters.
pub(crate) fn count(text: &str) -> usize {
    let mut words = 0;
    let mut dense = 0;
    let mut inside = false;
    for c in text.chars() {
        if is_dense(c) {
            dense += 1;
            inside = false;
            continue;
        }
        words += usize::from(dense > 0) * usize::div_ceil(dense, 2);
        dense = 0;
        let part = is_part(c);
        words += usize::from(part && !inside);
        inside = part;
    }
    words + usize::div_ceil(dense, 2)
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && c.is_alphanumeric())
}

/// Letters of scripts that put no space between words.
pub(crate) fn is_dense(c: char) -> bool {
    !c.is_ascii()
        && matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        for (text, expected) in [
            ("", 0),
            (" - . ", 0),
            ("one", 1),
            ("one two,three", 3),
            ("don't", 2),
            ("3.5 km", 3),
            ("naïve café", 2),
            ("東京都", 2),
            ("東京", 1),
            ("東京 tower 塔", 3),
            ("สวัสดี", 3),
            ("안녕 세계", 2),
        ] {
            assert_eq!(count(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn parts_add_up(left in "[a-z 東é.]{0,20}", right in "[a-z 京é.]{0,20}") {
            prop_assert_eq!(count(&format!("{left} {right}")), count(&left) + count(&right));
        }
    }
}
