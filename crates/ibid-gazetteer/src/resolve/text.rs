//! A text, taken apart: the pieces between commas, without postal codes.

use crate::fold::fold;

/// Longer texts name no place.
const MAX_CHARS: usize = 300;
/// Most pieces that are read. Further ones on the left are ignored, because the end of an address matters most.
const MAX_PARTS: usize = 12;
/// Most words in a piece that are read one by one.
const MAX_WORDS: usize = 16;

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The text as written, with only letters, digits, blanks and the marks of names.
    pub(super) raw: String,
    /// Folded.
    pub(super) key: String,
    /// The folded text without postal codes and house numbers.
    /// Equals `key` if no other word remains.
    pub(super) bare: String,
    /// [`Self::raw`] without the same words.
    pub(super) bare_raw: String,
}

impl Part {
    fn new(raw: &str) -> Option<Self> {
        let raw = presentable(raw);
        let key = fold(&raw);
        if key.is_empty() {
            return None;
        }
        let bare_raw = without_codes(&raw);
        let bare = fold(&bare_raw);
        Some(if bare.is_empty() {
            Self {
                bare: key.clone(),
                bare_raw: raw.clone(),
                raw,
                key,
            }
        } else {
            Self {
                raw,
                key,
                bare,
                bare_raw,
            }
        })
    }

    pub(super) fn of_words(words: &[&str]) -> Option<Self> {
        Self::new(&words.join(" "))
    }

    /// Splits the piece into words, at most [`MAX_WORDS`].
    pub(super) fn words(&self) -> Vec<&str> {
        self.bare_raw.split(' ').take(MAX_WORDS).collect()
    }

    /// Whether it holds a number, as an address does.
    pub(super) fn has_number(&self) -> bool {
        has_digit(&self.raw)
    }

    /// Whether every word contains a digit.
    pub(super) fn is_code(&self) -> bool {
        self.raw.split(' ').all(has_digit)
    }
}

/// Splits a text into pieces, from left to right.
///
/// Empty if the text is too long or has no letter.
pub(super) fn parts(text: &str) -> Vec<Part> {
    if text.chars().nth(MAX_CHARS).is_some() {
        return Vec::new();
    }
    let dashed = text.replace(" - ", ",").replace(" – ", ",").replace(" — ", ",");
    let mut parts: Vec<Part> = dashed.split(is_separator).filter_map(Part::new).collect();
    if parts.iter().any(|part| !part.is_code()) {
        parts.retain(|part| !part.is_code());
    }
    parts.drain(..parts.len().saturating_sub(MAX_PARTS));
    parts
}

fn is_separator(c: char) -> bool {
    ",;/|\n\r()[]،؛、，；（）".contains(c)
}

/// Keeps only the characters of names.
///
/// The text may end up in a question to a model.
fn presentable(raw: &str) -> String {
    let mut clean = String::with_capacity(raw.len());
    for c in raw.chars() {
        let kept = c.is_alphanumeric()
            || unicode_normalization::char::is_combining_mark(c)
            || matches!(
                c,
                '\'' | '’' | '‘' | 'ʻ' | 'ʼ' | '`' | '´' | '-' | '.' | '&' | '·'
            );
        if kept {
            clean.push(c);
        } else if !clean.is_empty() && !clean.ends_with(' ') {
            clean.push(' ');
        }
    }
    clean.truncate(clean.trim_end().len());
    clean
}

fn has_digit(word: &str) -> bool {
    word.contains(char::is_numeric)
}

/// Drops postal codes and house numbers.
///
/// They are every word with a digit, and other words of a code.
fn without_codes(raw: &str) -> String {
    let words: Vec<&str> = raw.split(' ').collect();
    let mut kept: Vec<&str> = Vec::with_capacity(words.len());
    let mut after_four_digits = false;
    for &word in &words {
        let digits = has_digit(word);
        // "1012 AB Amsterdam": the letters of a Dutch code.
        let dutch = after_four_digits && word.len() == 2 && word.bytes().all(|b| b.is_ascii_uppercase());
        after_four_digits = word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit());
        if !digits && !dutch {
            kept.push(word);
        }
    }
    if kept.len() < words.len() {
        kept.retain(|word| !matches!(fold(word).as_str(), "cp" | "cedex" | "plz" | "zip" | "cap"));
    }
    kept.join(" ")
}

/// Whether a text holds a word that can be a postal code: three digits, or capitals and digits as in `SW1A`.
pub(super) fn has_postal_code(text: &str) -> bool {
    let mut words = text.split(|c: char| is_separator(c) || c.is_whitespace());
    words.any(|word| {
        let digits = word.chars().filter(|c| c.is_numeric()).count();
        let capitals = word.chars().filter(char::is_ascii_uppercase).count();
        digits >= 3 || digits >= 1 && capitals >= 1 && digits + capitals == word.len() && word.len() >= 3
    })
}

/// Finds a district's number at the end of a name: "3ème" in "Paris 3ème".
pub(super) fn ordinal(name: &str) -> Option<&str> {
    let (_, last) = name.rsplit_once(' ')?;
    let ending = last.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_short = (1..=2).contains(&(last.len() - ending.len()));
    let is_ordinal = matches!(fold(ending).as_str(), "e" | "er" | "ere" | "eme");
    (is_short && is_ordinal).then_some(last)
}

/// Words that may name a district: no house numbers, postal codes and streets with them.
pub(super) fn district(text: &str) -> Option<String> {
    let pieces = text.split(", ").filter_map(|piece| {
        let words: Vec<&str> = piece
            .split(' ')
            .filter(|word| !has_digit(word) || word.len() <= 2)
            .collect();
        let named = words.iter().any(|word| !has_digit(word));
        named.then(|| words.join(" "))
    });
    let district = pieces.collect::<Vec<String>>().join(", ");
    (!district.is_empty()).then_some(district)
}

/// Words before or after a name that mark it as the name of a region.
const REGION_WORDS: [&str; 10] = [
    "state",
    "province",
    "prefecture",
    "region",
    "department",
    "oblast",
    "canton",
    "county",
    "governorate",
    "district",
];

/// Whether a folded name contains a word for a region: "Washington State", "Province of Quebec".
pub(super) fn says_region(key: &str) -> bool {
    REGION_WORDS.iter().any(|word| {
        key.strip_suffix(word).is_some_and(|rest| rest.ends_with(' '))
            || key
                .strip_prefix(word)
                .is_some_and(|rest| rest.starts_with(" of "))
    }) || key.starts_with("county ")
}

/// Spells a country's or region's folded name in other ways.
pub(super) fn area_variants(key: &str) -> Vec<String> {
    let shorter = |word: &&str| {
        let behind = key.strip_suffix(*word).and_then(|rest| rest.strip_suffix(' '));
        behind.or_else(|| key.strip_prefix(*word).and_then(|rest| rest.strip_prefix(" of ")))
    };
    let articles = [
        "the ",
        "republic of ",
        "county ",
        "landkreis ",
        "kreis ",
        "provincia de ",
        "provincia di ",
        "province de ",
        "distrito de ",
    ]
    .into_iter()
    .filter_map(|lead| key.strip_prefix(lead));
    REGION_WORDS
        .iter()
        .filter_map(shorter)
        .chain(articles)
        .map(str::to_owned)
        .chain([format!("regierungsbezirk {key}")])
        .chain(abbreviations(key))
        .filter(|variant| variant != key && !variant.is_empty())
        .collect()
}

const ABBREVIATED: [(&str, &str); 4] = [
    ("saint", "st"),
    ("sainte", "ste"),
    ("fort", "ft"),
    ("mount", "mt"),
];

/// Abbreviates the words of a folded name, and writes them out.
fn abbreviations(key: &str) -> [String; 2] {
    [false, true].map(|is_out| {
        let words = key.split(' ').map(|word| {
            let mut pairs = ABBREVIATED.iter();
            let found = pairs.find(|(long, short)| word == if is_out { *short } else { *long });
            found.map_or(word, |(long, short)| if is_out { *long } else { *short })
        });
        words.collect::<Vec<_>>().join(" ")
    })
}

/// Spells a town's folded name in other ways, tried if the first is unknown.
pub(super) fn variants(key: &str) -> Vec<String> {
    let mut variants = Vec::new();
    let mut add = |variant: String| {
        if variant != key && !variant.is_empty() && !variants.contains(&variant) {
            variants.push(variant);
        }
    };
    abbreviations(key).into_iter().for_each(&mut add);
    for lead in [
        "city of ",
        "town of ",
        "greater ",
        "downtown ",
        "central ",
        "metro ",
        "ciudad de ",
        "the ",
    ] {
        if let Some(rest) = key.strip_prefix(lead) {
            add(rest.to_owned());
        }
    }
    // "Osaka-shi" and "Busan si": Japanese and Korean names in Latin letters, with the word for their kind.
    for tail in [
        " shi",
        " to",
        " fu",
        " si",
        " city",
        " metro area",
        " metropolitan area",
        " municipality",
        " district",
    ] {
        if let Some(rest) = key.strip_suffix(tail) {
            add(rest.to_owned());
        }
    }
    if let Some(rest) = without_river(key) {
        add(rest);
    }
    // Muenchen, Koeln, Zuerich, Aarhus.
    add(key
        .replace("ae", "a")
        .replace("oe", "o")
        .replace("ue", "u")
        .replace("aa", "a"));
    for suffix in [
        "특별시",
        "광역시",
        "市",
        "町",
        "村",
        "区",
        "區",
        "都",
        "府",
        "省",
        "县",
        "縣",
        "県",
        "시",
        "군",
        "도",
    ] {
        if let Some(rest) = key.strip_suffix(suffix)
            && rest.chars().count() >= 2
        {
            add(rest.to_owned());
        }
    }
    variants
}

/// "Frankfurt a. M.", "Freiburg i. Br.": the name without the abbreviated river or country.
fn without_river(key: &str) -> Option<String> {
    let words: Vec<&str> = key.split(' ').collect();
    let is_cut = |word: &&str| matches!(*word, "a" | "b" | "i" | "o" | "v" | "am" | "ad" | "od");
    let cut = words.iter().skip(1).position(is_cut)? + 1;
    let (name, rest) = words.split_at_checked(cut)?;
    // "a.M." folds to one word.
    let is_short = rest.concat().len() >= 2 && rest.iter().all(|word| word.len() <= 3);
    is_short.then(|| name.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = parts(text);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|part| (part.bare_raw.as_str(), part.bare.as_str()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn pieces_lose_their_codes() {
        check("Valencia, Spain", &[("Valencia", "valencia"), ("Spain", "spain")]);
        check(
            "46001 València (Spain)",
            &[("València", "valencia"), ("Spain", "spain")],
        );
        check("London SW1A 1AA", &[("London", "london")]);
        check(
            "1012 AB Amsterdam; NL",
            &[("Amsterdam", "amsterdam"), ("NL", "nl")],
        );
        check("F-75116 Paris Cedex 16", &[("Paris", "paris")]);
        check(
            "São Paulo - SP, 01310-100, Brasil",
            &[("São Paulo", "sao paulo"), ("SP", "sp"), ("Brasil", "brasil")],
        );
        check("10115", &[("10115", "10115")]);
        check(" , ;; ", &[]);
    }

    #[test]
    fn only_names_get_through() {
        check(
            "Rome\"; DROP TABLE",
            &[("Rome", "rome"), ("DROP TABLE", "drop table")],
        );
        check("<b>Paris</b>!", &[("b Paris", "b paris"), ("b", "b")]);
        assert!(parts(&"a".repeat(301)).is_empty());
    }
}
