//! Numbers that state a fact: shares, money, quantities with a unit, grouped or decimal numbers.
//!
//! Not facts: lone years, dates, times, versions, and numbers that are part of a name.

use crate::reading::words::is_dense;
use crate::vocabulary::Words;

/// Returns the number of facts that a text states.
///
/// Both comma styles are understood.
pub(crate) fn facts(text: &str) -> usize {
    let (mut count, mut at) = (0, 0);
    while let Some(digit) = text[at..].find(|c: char| c.is_ascii_digit()) {
        let start = at + digit;
        let parts = scan(&text[start..]);
        at = start
            + parts
                .iter()
                .map(|(separator, digits)| separator.len() + digits)
                .sum::<usize>();
        count += usize::from(is_fact(&text[..start], &parts, &text[at..]));
    }
    count
}

/// Reads a number: groups of digits, each with the separator before it.
fn scan(text: &str) -> Vec<(&str, usize)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let head = digits(text);
    let mut parts = vec![("", head)];
    let mut rest = &text[head..];
    while let Some(c) = rest.chars().next() {
        let (separator, after) = rest.split_at(c.len_utf8());
        let count = digits(after);
        let joins = match c {
            '.' | ',' | ':' | '-' | '/' => count > 0,
            // A space groups three digits and no more.
            '\'' | '’' | '\u{a0}' | '\u{202f}' | '\u{2009}' | ' ' => {
                count == 3 && head <= 3 && parts[1..].iter().all(|(other, _)| *other == separator)
            }
            _ => false,
        };
        if !joins || parts.len() > 16 {
            break;
        }
        parts.push((separator, count));
        rest = &after[count..];
    }
    parts
}

/// Whether a number between two texts states a fact.
fn is_fact(before: &str, parts: &[(&str, usize)], rest: &str) -> bool {
    // Part of a name: RFC9309, v1, B2B, #12, 5G.
    let is_name = |c: char| is_letter(c) || c.is_numeric() || matches!(c, '_' | '#' | '@' | '/' | '\\');
    if before.ends_with(is_name) {
        return false;
    }
    let is_quantity = has_unit(rest) || has_currency(before);
    let (head, tail) = (parts[0].1, &parts[1..]);
    if tail
        .iter()
        .any(|(separator, _)| matches!(*separator, ":" | "/" | "-"))
    {
        // A range such as 10-20 % is one fact.
        // A date, a time or a path is not a fact.
        return is_quantity && matches!(tail, [("-", _)]);
    }
    if is_quantity || rest.starts_with(is_letter) {
        return is_quantity;
    }
    match tail {
        // A lone number without a unit, or a lone year, is not a fact.
        [] => false,
        // One separator: a decimal or a group of three.
        // A plain space may only separate two numbers.
        [(separator, count)] => *separator != " " || (*count == 3 && head <= 3),
        // Several: groups of three, and perhaps a decimal.
        // Otherwise it is a version or a date.
        [groups @ .., last] => {
            let first = groups[0].0;
            let is_group = |part: &(&str, usize)| *part == (first, 3);
            head <= 3 && groups.iter().all(is_group) && (is_group(last) || last.0 != first)
        }
    }
}

/// A letter of a script with spaces.
///
/// Letters of other scripts may touch a number without being part of it.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !is_dense(c)
}

fn has_currency(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\u{a0}']);
    let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or("");
    before.ends_with(['$', '€', '£', '¥', '₹', '₽', '₩', '₺', '₴', '฿']) || CURRENCIES.contains(word)
}

/// Whether a unit follows: a sign at once, a word after at most one space or hyphen.
fn has_unit(rest: &str) -> bool {
    let spaced = rest
        .strip_prefix([' ', '\u{a0}', '\u{202f}', '\u{2009}', '-'])
        .unwrap_or(rest);
    // `2026年` is a year.
    let signs = [
        '%', '‰', '€', '$', '£', '¥', '₹', '°', '℃', '℉', '万', '億', '亿', '円', '元', '人', '个', '個',
        '개', '명', '원',
    ];
    if spaced.starts_with(signs) {
        return true;
    }
    let is_part = |c: char| c.is_alphabetic() || matches!(c, '²' | '³' | '/' | 'µ');
    let word = spaced.split(|c: char| !is_part(c)).next().unwrap_or("");
    // Symbols keep their case; words do not.
    UNITS.contains(word) || CURRENCIES.contains(word) || UNIT_WORDS.contains(&word.to_lowercase())
}

static CURRENCIES: Words = Words::new("USD|EUR|GBP|CHF|JPY|CAD|AUD|CNY|INR|SEK|NOK|DKK|PLN");
/// Symbols of units, which keep their case.
static UNITS: Words = Words::new(
    "km|m|cm|mm|µm|nm|mi|ft|yd|km²|m²|cm²|m³|ha|kg|g|mg|µg|t|lb|lbs|oz|l|L|ml|mL|cl|dl|kWh|MWh|GWh|TWh|Wh|kW|MW|GW|W|kV|mA|Ah|mAh|J|kJ|MJ|kcal|\
    cal|Pa|hPa|bar|Nm|lm|lx|dB|Hz|kHz|MHz|GHz|kB|KB|MB|GB|TB|PB|KiB|MiB|GiB|TiB|Mbps|Gbps|kbps|Mbit/s|Gbit/s|px|dpi|fps|rpm|mph|km/h|m/s|ns|µs|\
    ms|s|min|hr|hrs|wt|pp|bp|bps|pt|bn|CO₂|ppm|ppb|USDC",
);
/// Units and counted things in lower case, in the languages most pages are written in.
static UNIT_WORDS: Words = Words::new(
    "percent|percentage|prozent|pourcent|procent|million|millions|billion|billions|trillion|thousand|hundred|mio|mrd|millionen|milliarden|\
    milliards|millones|milioni|milhões|tausend|mille|mil|euro|euros|dollar|dollars|pound|pounds|cents|kilometer|kilometers|kilometre|kilometres|\
    km|meter|meters|metre|metres|mètres|metern|metros|metri|mile|miles|feet|foot|inch|inches|grams|gram|gramm|grammes|kilograms|kilogramm|kilo|\
    kilos|tons|tonnes|tonnen|liter|liters|litre|litres|litros|litri|degrees|degree|grad|second|seconds|sekunden|secondes|segundos|minute|\
    minutes|minuten|minutos|minuti|hour|hours|stunden|heures|horas|ore|day|days|tage|tagen|jours|días|giorni|dias|week|weeks|wochen|semaines|\
    semanas|month|months|monate|monaten|mois|meses|mesi|year|years|jahre|jahren|ans|années|años|anni|anos|jaar|people|persons|menschen|personen|\
    personnes|personas|persone|pessoas|users|customers|kunden|clients|employees|students|patients|participants|respondents|households|companies|\
    pages|words|bytes|kilobytes|megabytes|gigabytes|requests|questions|answers|points|punkte|times|fold|calories|watts|volts|acres|hectares|\
    hektar|copies|visitors|inhabitants|einwohner|habitants|habitantes|samples|calls|sites|domains|items|pieces|stück|cups|tablespoons|teaspoons",
);

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

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,60}") {
            let _ = facts(&text);
        }

        #[test]
        fn shares_are_always_facts(whole in 0..1000_u32, part in 0..100_u32) {
            prop_assert_eq!(facts(&format!("a rise of {whole}.{part} % was seen")), 1);
        }
    }
}
