//! The language of an answer, to the extent that rules depend on it.

use super::list::{List, list};
use super::word::Word;
use crate::read::text::{Script, script};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Tags of the tables, in the order of their bits.
pub(super) const TAGS: [&str; 28] = [
    "en", "de", "fr", "es", "pt", "it", "nl", "da", "no", "sv", "fi", "pl", "cs", "ro", "hu", "tr", "id",
    "vi", "ru", "uk", "el", "ar", "he", "hi", "zh", "ja", "ko", "th",
];

/// The language of a text; several if they cannot be distinguished, all if it is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) struct Language(u32);

impl Language {
    pub(super) const ANY: Self = Self(u32::MAX);
    pub(in crate::read) const DE: Self = Self::tagged(&["de"]);
    pub(in crate::read) const EN: Self = Self::tagged(&["en"]);
    pub(in crate::read) const FR: Self = Self::tagged(&["fr"]);
    pub(in crate::read) const ID: Self = Self::tagged(&["id"]);
    pub(in crate::read) const IT: Self = Self::tagged(&["it"]);
    pub(in crate::read) const JA: Self = Self::tagged(&["ja"]);
    pub(in crate::read) const KO: Self = Self::tagged(&["ko"]);
    pub(in crate::read) const NL: Self = Self::tagged(&["nl"]);
    pub(in crate::read) const ZH: Self = Self::tagged(&["zh"]);

    pub(super) fn of_tag(tag: &str) -> Option<Self> {
        if tag == "any" {
            return Some(Self::ANY);
        }
        TAGS.iter()
            .position(|known| *known == tag)
            .map(|bit| Self(1 << bit))
    }

    /// The languages of tags. In a `const`, an unknown tag does not compile.
    pub(in crate::read) const fn tagged(tags: &[&str]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < tags.len() {
            let mut bit = 0;
            while !is_same(TAGS[bit], tags[at]) {
                bit += 1;
            }
            bits |= 1 << bit;
            at += 1;
        }
        Self(bits)
    }

    /// No language.
    pub(super) const fn none() -> Self {
        Self(0)
    }

    pub(in crate::read) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it holds every language of another.
    pub(super) const fn covers(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether it is a single language.
    pub(super) const fn is_one(self) -> bool {
        self.0.count_ones() == 1
    }

    pub(in crate::read) const fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it is known, and one of these.
    pub(in crate::read) const fn is(self, these: Self) -> bool {
        self.0 != Self::ANY.0 && self.overlaps(these)
    }
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    one.len() == 2 && other.len() == 2 && one[0] == other[0] && one[1] == other[1]
}

/// Bytes of the text that are looked at.
const SAMPLE: usize = 800;

/// Guesses the language of a text from its script and its most frequent small words.
pub(in crate::read) fn of(visible: &str, words: &[Word]) -> Language {
    let mut letters = [0_u32; 10];
    let sampled = &visible[..visible.floor_char_boundary(SAMPLE)];
    let mut marks = [0_u32; TAGS.len()];
    for c in sampled.chars() {
        if !c.is_ascii()
            && let Some(language) = LETTERS.get(&c)
        {
            marks[language.0.trailing_zeros() as usize] += MARK;
        }
        let slot = match script(c) {
            Script::Latin => 0,
            Script::Cyrillic => 1,
            Script::Greek => 2,
            Script::Arabic => 3,
            Script::Hebrew => 4,
            Script::Indic => 5,
            Script::SouthEastAsian => 6,
            Script::Hiragana | Script::Katakana => 7,
            Script::Han => 8,
            Script::Hangul => 9,
            Script::Common => continue,
        };
        letters[slot] += 1;
    }
    let total: u32 = letters.iter().sum();
    // A Chinese character counts as three letters of an alphabet.
    let (kana, han) = (letters[7], letters[8]);
    let strong = |count: u32| count * 4 > total;
    let tag = match () {
        () if total == 0 => return Language::ANY,
        () if kana * 10 > total => "ja",
        () if han * 8 > total => "zh",
        () if letters[9] * 6 > total => "ko",
        () if strong(letters[3]) => "ar",
        () if strong(letters[4]) => "he",
        () if strong(letters[5]) => "hi",
        () if strong(letters[6]) => "th",
        () if strong(letters[2]) => "el",
        () => return small_words(words, letters[1] * 2 > total, marks),
    };
    Language::of_tag(tag).unwrap_or(Language::ANY)
}

/// The weight of a letter of only one language, against 12 for a small word of only one language.
const MARK: u32 = 4;

/// Letters that show their language; one of several languages stands for the first of them.
static LETTERS: LazyLock<FxHashMap<char, Language>> = LazyLock::new(|| {
    static ROWS: List = list("language.letters");
    let rows = ROWS.iter().rev().filter_map(|row| row.split_once(' '));
    let rows = rows.filter_map(|(tag, letters)| Some((Language::of_tag(tag)?, letters)));
    rows.flat_map(|(language, letters)| letters.chars().map(move |c| (c, language)))
        .collect()
});

fn small_words(words: &[Word], cyrillic: bool, marks: [u32; TAGS.len()]) -> Language {
    let mut scores = marks;
    for word in words
        .iter()
        .take_while(|word| word.place.folded_end as usize <= SAMPLE)
    {
        let languages = word.meaning.languages;
        if languages == Language::none() {
            continue;
        }
        // A word that few languages share weighs more.
        let weight = 12 / languages.0.count_ones().max(1);
        let mut bits = languages.0;
        while bits != 0 {
            if let Some(score) = scores.get_mut(bits.trailing_zeros() as usize) {
                *score += weight;
            }
            bits &= bits - 1;
        }
    }
    for (bit, tag) in TAGS.iter().enumerate() {
        if matches!(*tag, "ru" | "uk") != cyrillic {
            scores[bit] = 0;
        }
    }
    let best = scores.iter().copied().max().unwrap_or_default();
    if best < 12 {
        return if cyrillic {
            Language::of_tag("ru").unwrap_or(Language::ANY)
        } else {
            Language::ANY
        };
    }
    // Neighbours that score nearly alike are kept together.
    let near = |score: u32| score * 10 >= best * 9;
    let bits = scores
        .iter()
        .enumerate()
        .filter(|(_, score)| near(**score))
        .fold(0, |bits, (bit, _)| bits | 1 << bit);
    Language(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::text::Folded;
    use crate::read::words::look_up;

    fn check(text: &str, tag: &str) {
        let found = of(text, &look_up(&Folded::of(text)));
        assert!(found.is(Language::tagged(&[tag])), "{text}: {found:?}");
    }

    #[test]
    fn short_answers_show_their_language() {
        check(
            "I would recommend Acme because it is the best of all of them.",
            "en",
        );
        check(
            "Ich würde Ihnen die Praxis empfehlen, weil sie sehr gut ist.",
            "de",
        );
        check("Je vous recommande cette adresse pour les fruits de mer.", "fr");
        check(
            "Te recomiendo esta tienda porque tiene los mejores precios.",
            "es",
        );
        check("Jeg vil anbefale denne butik, fordi den er god og billig.", "da");
        check(
            "Рекомендую обратиться в эту компанию, она не самая дешёвая.",
            "ru",
        );
        check("推荐海底捞，服务很好。", "zh");
        check("こちらのホテルがおすすめです。", "ja");
        check("이 식당을 추천합니다.", "ko");
        check("أنصحك بهذا المطعم.", "ar");
    }
}
