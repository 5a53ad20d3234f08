//! Names of brands, which a proposed question may not hold whoever they are: it would lead the answers to them.

use super::masked::squash;
use rustc_hash::FxHashSet;
use std::io::Read;
use std::sync::OnceLock;

/// One name a line, made by `data/brands.py`.
const NAMES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/", "brands.txt"));

/// Names by their [`looks`]. They are read when a question is first checked, because most processes check none.
fn names() -> &'static FxHashSet<String> {
    static ALL: OnceLock<FxHashSet<String>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut text = String::new();
        let read = flate2::read::DeflateDecoder::new(NAMES).read_to_string(&mut text);
        read.map_or_else(|_| FxHashSet::default(), |_| text.lines().map(looks).collect())
    })
}

/// A name as [`squash`] leaves it, where "1" may be an "i" or an "l".
fn looks(name: &str) -> String {
    squash(name).replace('i', "l")
}

/// Whether a keyword is the name of a brand and nothing else.
pub(crate) fn is_brand(keyword: &str) -> bool {
    keyword.starts_with(|c: char| c.is_uppercase() || c.is_numeric()) && names().contains(&looks(keyword))
}

/// The first brand that a text names and `is_allowed` refuses. A name begins each word with a capital or a digit, except a
/// short one such as "and"; letters of Chinese, Japanese and Korean count wherever they stand.
pub(super) fn named_in(text: &str, is_allowed: impl Fn(&str) -> bool) -> Option<String> {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let is_proud = |word: &str| word.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
    let is_name = |name: &str| {
        let squashed = looks(name);
        let whole = names().contains(&squashed);
        // "Walmart's" is Walmart.
        let stem = squashed
            .strip_suffix('s')
            .is_some_and(|stem| names().contains(stem));
        (whole || (stem && name.contains(['\'', '’']))) && !is_allowed(name)
    };
    let of_words = (0..words.len()).find_map(|from| {
        (from + 1..=words.len().min(from + 5)).rev().find_map(|to| {
            let window = words.get(from..to)?;
            let (first, last) = (window.first()?, window.last()?);
            let proud = window.iter().all(|word| is_proud(word) || word.len() < 4);
            // A sentence's first word has a capital in any case; dictionaries kept words in Latin letters out of the list.
            let is_opening = to == 1 && !first.is_ascii();
            let name = window.join(" ");
            (proud && is_proud(first) && is_proud(last) && !is_opening && is_name(&name)).then_some(name)
        })
    });
    of_words.or_else(|| {
        let letters: Vec<(usize, char)> = text.char_indices().collect();
        (3..=10).rev().find_map(|length| {
            letters.windows(length).find_map(|window| {
                let is_dense = window.iter().all(|(_, c)| matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'));
                let (from, last) = (window.first()?.0, window.last()?);
                let name = text.get(from..last.0 + last.1.len_utf8()).filter(|_| is_dense)?;
                is_name(name).then(|| name.to_owned())
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::named_in;

    #[test]
    fn brands_are_found_and_words_are_not() {
        for (text, brand) in [
            ("Is Dyno-Rod any good for drains?", Some("Dyno-Rod")),
            ("Which plumber is cheaper than British Gas?", Some("British Gas")),
            (
                "Which plumber is better than P1mlico Plumbers?",
                Some("P1mlico Plumbers"),
            ),
            ("Where is a café like Starbucks?", Some("Starbucks")),
            (
                "Is there something better than McDonald's nearby?",
                Some("McDonald's"),
            ),
            ("Which shop is like Walmart's?", Some("Walmart's")),
            ("スターバックスより安いカフェはどこ？", Some("スターバックス")),
            ("Which plumber is best for the next target?", None),
            ("Best bakery for a birthday cake", None),
            ("Which dentist takes Medicaid on Sunday?", None),
            ("Welche Bäckerei hat am Sonntag offen?", None),
            ("Who sells orange shoes?", None),
        ] {
            assert_eq!(named_in(text, |_| false).as_deref(), brand, "{text}");
        }
        assert_eq!(named_in("Is IKEA the best?", |name| name == "IKEA"), None);
    }
}
