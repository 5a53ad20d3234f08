//! Tells what kind of thing a keyword names, by its phrase's head.

use super::phrases::{self, Phrases};
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

/// What a keyword names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// No known kind.
    Any,
    /// A craft or service that comes to the customer or is ordered.
    Trade,
    /// A person of a profession.
    Person,
    /// A place to visit or to stay in.
    Venue,
    /// Restaurants, dishes and food shops.
    Food,
    /// Schools, hospitals and the like.
    Institution,
    /// Goods.
    Product,
    /// Shops for goods.
    Shop,
    /// Software and web services.
    Software,
    /// Banks, insurance, tariffs.
    Money,
    /// Known words of no kind above.
    Other,
}

impl Kind {
    /// Reads a kind's name in a data file.
    pub(super) fn named(name: &str) -> Option<Self> {
        use serde::de::{IntoDeserializer, value};
        let name: value::StrDeserializer<'_, value::Error> = name.into_deserializer();
        Self::deserialize(name).ok()
    }

    /// Names the kind as data files and results do.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Trade => "trade",
            Self::Person => "person",
            Self::Venue => "venue",
            Self::Food => "food",
            Self::Institution => "institution",
            Self::Product => "product",
            Self::Shop => "shop",
            Self::Software => "software",
            Self::Money => "money",
            Self::Other => "other",
        }
    }
}

/// Where the head stands in a phrase.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    /// "Zahnarzt" in "zahnarzt notdienst" is found, but the last known word counts.
    Last,
    /// As above; a word may also end in its head: "kinderzahnarzt".
    LastPart,
    /// "academia" in "academia de inglés".
    First,
}

pub(super) fn head(tag: &str) -> Head {
    match tag {
        "de" | "nl" | "sv" | "da" | "nb" | "fi" | "hu" | "ja" | "zh" | "zh-Hant" | "ko" => Head::LastPart,
        "en" | "tr" | "hi" => Head::Last,
        _ => Head::First,
    }
}

/// Tells a keyword's kind by the words of its language, else by English ones, because many languages borrow them.
pub(super) fn of(phrases: &Phrases, keyword: &str) -> Option<Kind> {
    let folded = fold(keyword);
    let english = || {
        (phrases.tag != "en")
            .then(|| found(phrases::english(), &folded))
            .flatten()
    };
    found(phrases, &folded).or_else(english)
}

fn found(phrases: &Phrases, folded: &str) -> Option<Kind> {
    if let Some(kind) = phrases.kinds.get(folded) {
        return Some(*kind);
    }
    let words: Vec<&str> = folded.split(' ').collect();
    let known = |from: usize, to: usize| phrases.kinds.get(&words.get(from..to)?.join(" ")).copied();
    let head = head(phrases.tag);
    if head == Head::First {
        return (0..words.len())
            .find_map(|from| (from + 1..=words.len()).rev().find_map(|to| known(from, to)));
    }
    let cut = words
        .iter()
        .skip(1)
        .position(|word| phrases.marks.after_head.iter().any(|after| after == word));
    let end = cut.map_or(words.len(), |at| at + 1);
    (1..=end).rev().find_map(|to| {
        (0..to).find_map(|from| known(from, to)).or_else(|| {
            let word = words.get(to - 1).filter(|_| head == Head::LastPart)?;
            ending(phrases, word)
        })
    })
}

/// The longest known word that a compound ends in decides.
/// In letters, shorter endings than three are mostly accidents.
fn ending(phrases: &Phrases, word: &str) -> Option<Kind> {
    word.char_indices()
        .skip(1)
        .filter_map(|(at, _)| word.get(at..))
        .filter(|part| part.len() > 2)
        .find_map(|part| phrases.kinds.get(part).copied())
}

/// A trouble as what mends it: "blocked drain" is asked for as "blocked drain specialist", "panne chaudière" as "dépannage
/// chaudière". `None` for any other keyword, and where
/// its last word names who mends it already.
pub(super) fn mended(phrases: &Phrases, keyword: &str) -> Option<String> {
    let folded = fold(keyword);
    let last = folded.rsplit(' ').next().unwrap_or_default();
    let of_people = |kind: &Kind| !matches!(kind, Kind::Product | Kind::Any | Kind::Other);
    let is_unspaced = matches!(phrases.tag, "ja" | "zh");
    if !is_unspaced && phrases.kinds.get(last).is_some_and(of_people) && last != folded {
        return None;
    }
    let shows = |word: &String| {
        let word = fold(word);
        match word.strip_suffix(" *") {
            Some(opening) => folded
                .strip_prefix(opening)
                .is_some_and(|rest| rest.starts_with(' ')),
            None => folded.strip_suffix(&word).is_some_and(|rest| {
                rest.is_empty() || rest.ends_with(' ') || head(phrases.tag) == Head::LastPart
            }),
        }
    };
    let mender = phrases
        .marks
        .problems
        .iter()
        .find(|(_, words)| words.iter().any(shows));
    let rest = keyword.split_once(' ').map_or(keyword, |(_, rest)| rest);
    mender.map(|(mender, _)| mender.replace("{k}", keyword).replace("{rest}", rest))
}

/// A text without case, accents and punctuation, with single blanks.
pub(super) fn fold(text: &str) -> String {
    let plain: String = text
        .nfkd()
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .flat_map(char::to_lowercase)
        .map(|c| {
            if ",.;:!?¿¡()[]\"„“”«»/？！、。「」".contains(c) {
                ' '
            } else {
                c
            }
        })
        .nfc()
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
