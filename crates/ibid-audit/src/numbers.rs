//! Numbers that state a fact: shares, money, quantities with a unit, grouped or decimal numbers.
//!
//! Not facts: lone years, dates, times, versions, and numbers that are part of a name.

mod units;

use units::{UNIT_WORDS, UNITS};

/// Returns the number of facts that a text states.
///
/// Both comma styles are understood.
pub(crate) fn facts(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut count = 0;
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let number = scan(text, start);
        at = number.end;
        count += usize::from(is_fact(text, start, &number));
    }
    count
}

/// Whether a text has a number of any kind, or a name in the middle of a sentence.
pub(crate) fn has_token(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit()) || has_name(text)
}

/// A number as written.
struct Number {
    end: usize,
    /// Digits before the first separator.
    head: usize,
    /// Separators with the digits after each.
    parts: Vec<(char, usize)>,
}

/// Reads digits, and separators between digits.
fn scan(text: &str, start: usize) -> Number {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let head = digits(start);
    let mut number = Number {
        end: start + head,
        head,
        parts: Vec::new(),
    };
    while let Some(separator) = text[number.end..].chars().next() {
        let after = number.end + separator.len_utf8();
        let count = digits(after);
        let joins = match separator {
            '.' | ',' | ':' | '-' | '/' => count > 0,
            // A space groups three digits and no more.
            '\'' | '’' | '\u{a0}' | '\u{202f}' | '\u{2009}' | ' ' => {
                count == 3 && head <= 3 && number.parts.iter().all(|(other, _)| *other == separator)
            }
            _ => false,
        };
        if !joins || number.parts.len() >= 16 {
            break;
        }
        number.parts.push((separator, count));
        number.end = after + count;
    }
    number
}

fn is_fact(text: &str, start: usize, number: &Number) -> bool {
    let before = text[..start].chars().next_back();
    let rest = &text[number.end..];
    // Part of a name: RFC9309, v1, B2B, #12, 5G.
    if before.is_some_and(|c| is_letter(c) || c.is_numeric() || matches!(c, '_' | '#' | '@' | '/' | '\\')) {
        return false;
    }
    if number
        .parts
        .iter()
        .any(|(separator, _)| matches!(separator, ':' | '/' | '-'))
    {
        // A range such as 10-20 % is one fact.
        // A date, a time or a path is not a fact.
        let range = number.parts.len() == 1 && number.parts[0].0 == '-';
        return range && (has_unit(rest) || has_currency(text, start));
    }
    if has_unit(rest) || has_currency(text, start) {
        return true;
    }
    if rest.chars().next().is_some_and(is_letter) {
        return false;
    }
    match number.parts.as_slice() {
        // A lone number without a unit, or a lone year, is not a fact.
        [] => false,
        // One separator: a decimal or a group of three.
        // A plain space may only separate two numbers.
        [(separator, count)] => *separator != ' ' || (*count == 3 && number.head <= 3),
        // Several: groups of three, and perhaps a decimal.
        // Otherwise it is a version or a date.
        parts => {
            let (last, groups) = (parts[parts.len() - 1], &parts[..parts.len() - 1]);
            let separator = groups[0].0;
            number.head <= 3
                && groups.iter().all(|part| *part == (separator, 3))
                && (last == (separator, 3) || last.0 != separator)
        }
    }
}

/// A letter of a script with spaces.
///
/// Letters of other scripts may touch a number without being part of it.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !crate::reading::words::is_dense(c)
}

fn has_currency(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end_matches([' ', '\u{a0}']);
    if before.ends_with(['$', '€', '£', '¥', '₹', '₽', '₩', '₺', '₴', '฿']) {
        return true;
    }
    let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or("");
    matches!(
        word,
        "USD" | "EUR" | "GBP" | "CHF" | "JPY" | "CAD" | "AUD" | "CNY" | "INR" | "SEK" | "NOK" | "DKK" | "PLN"
    )
}

/// Whether a unit follows: a sign at once, a word after at most one space or hyphen.
fn has_unit(rest: &str) -> bool {
    if rest.starts_with(['%', '‰', '€', '$', '£', '¥', '₹', '°']) {
        return true;
    }
    let rest = rest
        .strip_prefix([' ', '\u{a0}', '\u{202f}', '\u{2009}', '-'])
        .unwrap_or(rest);
    if rest.starts_with([
        '%', '‰', '€', '$', '£', '¥', '₹', '°', '℃', '℉', '万', '億', '亿', '円', '元', '人', '年', '个',
        '個', '개', '명', '원',
    ]) {
        // `2026年` is a year.
        return !rest.starts_with('年');
    }
    let length = rest
        .char_indices()
        .find(|(_, c)| !(c.is_alphabetic() || matches!(c, '²' | '³' | '/' | 'µ')))
        .map_or(rest.len(), |(at, _)| at);
    let word = &rest[..length];
    if word.is_empty() || word.len() > 24 {
        return false;
    }
    // Symbols keep their case; words do not.
    UNITS.contains(&word) || UNIT_WORDS.contains(&word.to_lowercase().as_str())
}

/// A capitalised word that does not open a sentence, or an acronym.
fn has_name(text: &str) -> bool {
    let mut opens = true;
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let mut letters = bare.chars();
        let capital = letters.next().is_some_and(char::is_uppercase) && letters.next().is_some();
        if capital && !opens {
            return true;
        }
        opens = word.ends_with(['.', '!', '?', ':', '…']) || bare.is_empty() && opens;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expected: usize) {
        assert_eq!(facts(text), expected, "{text}");
    }

    #[test]
    fn facts_have_a_unit_or_a_form() {
        for text in [
            "12%",
            "12 %",
            "12.5 percent",
            "about 40 Prozent",
            "$5",
            "€ 1,200",
            "EUR 30",
            "5 USD",
            "3 km",
            "3.5",
            "3,5",
            "1,234",
            "1.234.567",
            "1 234 567",
            "1'234",
            "1,234.56",
            "1.234,56",
            "25 °C",
            "25°C",
            "20 minutes",
            "5-minute",
            "10-20 %",
            "7 million",
            "1 200 people",
            "300人",
            "250 kWh",
            "60 km/h",
            "調査した1,023戸の家",
            "うち61%は",
            "4.8/",
            "from 3 months to now",
        ] {
            check(text, 1);
        }
        for text in [
            "",
            "2026",
            "in 1999.",
            "2026-03-03",
            "03.03.2026",
            "10:30",
            "1.2.3",
            "v1.2",
            "RFC9309",
            "B2B",
            "#12",
            "5G",
            "chapter 7",
            "H2O",
            "3rd",
            "2026年",
            "room 12 in the hall",
            "24/7",
            "127.0.0.1",
            "ISO 9001",
        ] {
            check(text, 0);
        }
        check(
            "Sales rose 12% to $3.4 million in 2025, across 14 countries and 1,200 stores.",
            3,
        );
    }

    #[test]
    fn tokens_are_numbers_and_names() {
        for (text, expected) in [
            ("We met Ana there.", true),
            ("There are 3 of them.", true),
            ("It is good. This is fine.", false),
            ("The ISO says so.", true),
            ("nothing here at all", false),
            ("A word", false),
        ] {
            assert_eq!(has_token(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,60}") {
            let _ = (facts(&text), has_token(&text));
        }

        #[test]
        fn shares_are_always_facts(whole in 0..1000_u32, part in 0..100_u32) {
            prop_assert_eq!(facts(&format!("a rise of {whole}.{part} % was seen")), 1);
        }
    }
}
