//! Words and what they are.

use super::language::Language;
use crate::read::text::{plain, words as each_word};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) struct Meaning {
    kinds: u16,
    /// The languages whose sentences it holds together.
    pub(super) languages: Language,
}

impl Meaning {
    pub(in crate::read) const NONE: Self = Self {
        kinds: 0,
        languages: Language::none(),
    };

    /// An article, a preposition, a conjunction.
    pub(in crate::read) const FUNCTION: u16 = 1;
    /// A word of criteria and attributes: `price`, `location`.
    pub(in crate::read) const CRITERION: u16 = 2;
    /// A word of labels: `best`, `overall`, `budget`.
    pub(in crate::read) const LABEL: u16 = 4;
    /// First word in advice: `check`, `how`.
    pub(in crate::read) const ADVICE: u16 = 8;
    /// A trade: `plumbing`, `bakery`.
    pub(in crate::read) const TRADE: u16 = 16;
    pub(in crate::read) const LEGAL: u16 = 32;
    /// An ordinary word that may also be a name.
    pub(in crate::read) const COMMON: u16 = 64;
    /// A day or a month.
    pub(in crate::read) const TIME: u16 = 128;
    /// A word that starts sentences, or a short form that is no name.
    pub(in crate::read) const OPENER: u16 = 256;

    /// Whether it is one of these.
    pub(in crate::read) const fn is(self, kinds: u16) -> bool {
        self.kinds & kinds != 0
    }

    /// An article, a preposition or a conjunction in a language that the text may have. (`kai` is one only in Greek.)
    pub(in crate::read) const fn is_function_in(self, language: Language) -> bool {
        self.is(Self::FUNCTION) && self.languages.overlaps(language)
    }

    /// A word in any table except the legal forms: alone, it is no proof of a name.
    pub(in crate::read) const fn is_ordinary(self) -> bool {
        self.is(!Self::LEGAL)
    }
}

/// What the tables say about each word, folded.
/// The keys are ours, so no caller can make them collide.
#[derive(Default)]
struct Words {
    /// Nearly all of them, padded with zeros: two machine words are hashed and compared faster than bytes.
    short: FxHashMap<u128, Meaning>,
    long: FxHashMap<Box<[u8]>, Meaning>,
}

/// Bytes of a short word.
const SHORT: usize = 16;

/// A short word padded with zeros; `None` for a longer one.
fn padded(word: &[u8], byte: impl Fn(&u8) -> u8) -> Option<u128> {
    let mut padded = [0; SHORT];
    let places = padded.get_mut(..word.len())?;
    places
        .iter_mut()
        .zip(word)
        .for_each(|(place, from)| *place = byte(from));
    Some(u128::from_le_bytes(padded))
}

impl Words {
    fn entry(&mut self, word: &[u8]) -> &mut Meaning {
        match padded(word, |byte| *byte) {
            Some(short) => self.short.entry(short).or_insert(Meaning::NONE),
            None => self.long.entry(word.into()).or_insert(Meaning::NONE),
        }
    }

    fn find(&self, word: &[u8]) -> Meaning {
        match padded(word, |byte| *byte) {
            Some(short) => self.short(short),
            None => self.long.get(word).copied().unwrap_or(Meaning::NONE),
        }
    }

    fn short(&self, word: u128) -> Meaning {
        self.short.get(&word).copied().unwrap_or(Meaning::NONE)
    }
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut words = Words::default();
    let tables = [
        (Meaning::FUNCTION, include_str!("function.txt")),
        (Meaning::CRITERION, include_str!("criteria.txt")),
        (Meaning::LABEL, include_str!("labels.txt")),
        (Meaning::ADVICE, include_str!("verbs.txt")),
        (Meaning::TRADE, include_str!("trades.txt")),
        (Meaning::LEGAL, include_str!("legal.txt")),
        (Meaning::COMMON, include_str!("common.txt")),
        (Meaning::TIME, include_str!("time.txt")),
        (Meaning::OPENER, include_str!("openers.txt")),
    ];
    for (kind, table) in tables {
        for (tag, line) in lines(table) {
            let language = Language::of_tag(tag).filter(|_| kind == Meaning::FUNCTION);
            for word in each_word(&plain(line)) {
                let meaning = words.entry(word.as_bytes());
                meaning.kinds |= kind;
                meaning.languages = meaning.languages.or(language.unwrap_or(Language::none()));
            }
        }
    }
    words
});

/// Looks a folded word up.
pub(in crate::read) fn meaning(folded: &str) -> Meaning {
    WORDS.find(folded.as_bytes())
}

/// Looks a word up as it is written.
pub(in crate::read) fn meaning_as_written(word: &str) -> Meaning {
    match padded(word.as_bytes(), u8::to_ascii_lowercase).filter(|_| word.is_ascii()) {
        Some(short) => WORDS.short(short),
        None => meaning(&plain(word)),
    }
}

/// The affixes that domain labels add before and after names.
pub(in crate::read) fn affixes() -> (
    impl Iterator<Item = &'static str>,
    impl Iterator<Item = &'static str>,
) {
    let of = |side: &'static str| {
        lines(include_str!("affixes.txt"))
            .filter(move |(tag, _)| *tag == side)
            .flat_map(|(_, line)| line.split(' '))
    };
    (of("before"), of("after"))
}

/// `tag: words` lines of a table.
pub(super) fn lines(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read() {
        assert!(meaning("price").is(Meaning::CRITERION) && !meaning("price").is(Meaning::FUNCTION));
        assert!(meaning("offnungszeiten").is(Meaning::CRITERION));
        assert!(meaning("gmbh").is(Meaning::LEGAL) && !meaning("gmbh").is_ordinary());
        assert!(meaning("target").is(Meaning::COMMON));
        assert!(meaning("kaufland") == Meaning::NONE);
        assert!(affixes().0.any(|affix| affix == "get") && affixes().1.any(|affix| affix == "hq"));
    }
}
