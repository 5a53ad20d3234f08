//! A question without its keyword and its place: the form that questions share.

use crate::score::competitors::squashed;
use ibid_model::PLACE_SLOT;
use rustc_hash::FxHashSet;
use unicode_normalization::UnicodeNormalization;

/// Two questions are twins if they share more than this part of their letter groups.
/// At half of it every two questions about a keyword are twins; none is at twice.
const TWINS: f64 = 0.6;
const GROUP: usize = 4;
/// The words that make the form of a question.
const FORM: usize = 3;

/// A question in lower case, with marks for its keyword and its place.
#[derive(Clone, Debug)]
pub(super) struct Masked {
    pub(super) text: String,
    /// How often the place is named.
    pub(super) places: usize,
    groups: FxHashSet<Vec<char>>,
}

impl Masked {
    pub(super) fn of(text: &str, keyword: &str, places: &[String]) -> Self {
        let mut text = fold(text);
        let keyword = fold(keyword);
        if !keyword.is_empty() {
            text = text.replace(&keyword, "{k}");
        }
        let mut count = text.matches(PLACE_SLOT).count();
        let mut names: Vec<String> = places.iter().map(|place| fold(place)).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        for name in names.iter().filter(|name| !name.is_empty()) {
            count += text.matches(name.as_str()).count();
            text = text.replace(name.as_str(), PLACE_SLOT);
        }
        let letters: Vec<char> = text
            .chars()
            .filter(|c| c.is_alphanumeric() || *c == ' ' || matches!(c, '{' | '}'))
            .collect();
        let groups = match letters.len() <= GROUP {
            true => FxHashSet::from_iter([letters]),
            false => letters.windows(GROUP).map(<[char]>::to_vec).collect(),
        };
        Self {
            text,
            places: count,
            groups,
        }
    }

    /// Whether both ask nearly the same.
    pub(super) fn is_twin_of(&self, other: &Self) -> bool {
        let both = self.groups.intersection(&other.groups).count();
        let all = self.groups.len() + other.groups.len() - both;
        both as f64 > TWINS * all as f64
    }

    /// The words that it begins with: questions with one form read alike.
    pub(super) fn form(&self) -> String {
        let words: Vec<&str> = self.text.split_whitespace().take(FORM).collect();
        words.join(" ")
    }
}

/// A text in lower case, composed, with single blanks.
pub(super) fn fold(text: &str) -> String {
    let text: String = text.nfc().flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// The letters and digits of a text in lower case, without accents: "Aigua-Clara" and "aigua clara" are one.
pub(super) fn squash(text: &str) -> String {
    unmasked(&squashed(text))
}

/// A text in lower case as it looks: without invisible characters, and with Latin letters for those that look like them.
pub(super) fn unmasked(text: &str) -> String {
    const LOOKS: &str = "аaвbеeкkмmнhоoрpсcтtуyхxіiјjѕsԁdɡgαaεeιiκkνvοoρpτtυyχx0o1l";
    let looks = |c: char| {
        LOOKS
            .chars()
            .zip(LOOKS.chars().skip(1))
            .step_by(2)
            .find(|(odd, _)| *odd == c)
    };
    text.chars()
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}'))
        .map(|c| looks(c).map_or(c, |(_, latin)| latin))
        .collect()
}
