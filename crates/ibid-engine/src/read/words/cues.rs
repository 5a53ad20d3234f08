//! Phrases that carry a stance, found in one pass.

use super::language::Language;
use super::lexicon::lines;
use crate::read::text::{Folded, is_word, plain, script};
use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, Anchored, Input, MatchKind, StartKind};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// What a phrase does; a phrase may have several effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::read) struct Kinds(u32);

impl Kinds {
    pub(in crate::read) const RECOMMEND: Self = Self(1);
    pub(in crate::read) const CORE: Self = Self(1 << 1);
    pub(in crate::read) const TOP: Self = Self(1 << 2);
    pub(in crate::read) const VERDICT: Self = Self(1 << 3);
    pub(in crate::read) const SECOND: Self = Self(1 << 4);
    pub(in crate::read) const POSITIVE: Self = Self(1 << 5);
    pub(in crate::read) const AVOID: Self = Self(1 << 6);
    pub(in crate::read) const CONTRAST: Self = Self(1 << 7);
    pub(in crate::read) const BAD: Self = Self(1 << 8);
    pub(in crate::read) const MILD: Self = Self(1 << 9);
    pub(in crate::read) const DEFUNCT: Self = Self(1 << 10);
    pub(in crate::read) const ABSENCE: Self = Self(1 << 11);
    pub(in crate::read) const REFUSAL: Self = Self(1 << 12);
    pub(in crate::read) const CLARIFY: Self = Self(1 << 13);
    pub(in crate::read) const RELATION: Self = Self(1 << 14);
    pub(in crate::read) const NEGATOR: Self = Self(1 << 15);
    pub(in crate::read) const VERSUS: Self = Self(1 << 16);
    pub(in crate::read) const ERROR: Self = Self(1 << 17);
    pub(in crate::read) const INSTRUCTION: Self = Self(1 << 18);
    pub(in crate::read) const WARN: Self = Self(1 << 19);
    pub(in crate::read) const ANNOUNCE: Self = Self(1 << 20);

    /// Names the sections in the table of phrases, in the order of their bits.
    const NAMES: &'static str = "recommend core top verdict second positive avoid contrast bad mild defunct absence \
        refusal clarify relation negator versus error instruction warn announce";

    fn of_name(name: &str) -> Self {
        let bit = Self::NAMES.split(' ').position(|known| known == name);
        bit.map_or(Self::default(), |bit| Self(1 << bit))
    }

    /// Whether it does any of these things.
    pub(in crate::read) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// All of both.
    pub(in crate::read) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A phrase in a text.
#[derive(Clone, Debug)]
pub(in crate::read) struct Cue {
    pub(in crate::read) kinds: Kinds,
    /// Its place in the visible text.
    pub(in crate::read) span: Range<usize>,
}

struct Phrase {
    kinds: Kinds,
    languages: Language,
    /// The last word may continue.
    open: bool,
    /// Too short or too small to count in another language.
    gated: bool,
}

struct Table {
    automaton: AhoCorasick,
    phrases: Vec<Phrase>,
}

/// Phrases of at most this many letters count only in their own language.
const SHORT: usize = 5;

/// Every phrase, folded, with what it does in which languages.
static PHRASES: LazyLock<BTreeMap<(String, bool), (Kinds, Language)>> = LazyLock::new(|| {
    let mut phrases: BTreeMap<(String, bool), (Kinds, Language)> = BTreeMap::new();
    for section in include_str!("cues.txt").split("\n[").skip(1) {
        let Some((name, body)) = section.split_once("]\n") else {
            continue;
        };
        let kind = Kinds::of_name(name);
        for (tag, line) in lines(body) {
            let language = Language::of_tag(tag).unwrap_or(Language::ANY);
            for phrase in line.split(" | ") {
                let (text, open) = match phrase.strip_suffix('*') {
                    Some(stem) => (stem, true),
                    None => (phrase, false),
                };
                let folded = String::from(plain(text.trim()));
                if folded.is_empty() {
                    continue;
                }
                let entry = phrases
                    .entry((folded, open))
                    .or_insert((Kinds::default(), Language::none()));
                entry.0 = entry.0.and(kind);
                entry.1 = entry.1.or(language);
            }
        }
    }
    phrases
});

/// Languages whose short texts are easily confused.
/// English occurs in answers of every language.
const FAMILIES: [Language; 8] = [
    Language::tagged(&["en"]),
    Language::tagged(&["de", "nl", "en"]),
    Language::tagged(&["da", "no", "sv", "en"]),
    Language::tagged(&["es", "pt", "it", "fr", "ro", "en"]),
    Language::tagged(&["pl", "cs", "hu", "en"]),
    Language::tagged(&["ru", "uk", "en"]),
    Language::tagged(&["zh", "ja", "en"]),
    Language::tagged(&["fi", "tr", "id", "vi", "en"]),
];

/// Phrases by family of languages; the last table holds all.
/// A small automaton is built quickly and stays in the processor's cache.
static TABLES: [OnceLock<Option<Table>>; FAMILIES.len() + 1] =
    [const { OnceLock::new() }; FAMILIES.len() + 1];

fn table(language: Language) -> Option<&'static Table> {
    let family = FAMILIES.iter().position(|family| family.covers(language));
    let languages = family.map_or(Language::ANY, |at| FAMILIES[at]);
    TABLES[family.unwrap_or(FAMILIES.len())]
        .get_or_init(|| Table::of(languages))
        .as_ref()
}

impl Table {
    fn of(languages: Language) -> Option<Self> {
        let phrases = || {
            PHRASES
                .iter()
                .filter(|(_, (_, spoken))| spoken.overlaps(languages))
        };
        let automaton = AhoCorasickBuilder::new()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .start_kind(StartKind::Anchored)
            .match_kind(MatchKind::LeftmostLongest)
            .build(phrases().map(|((text, _), _)| text.as_str()))
            .ok()?;
        let phrases = phrases()
            .map(|((text, open), (kinds, languages))| Phrase {
                kinds: *kinds,
                languages: *languages,
                open: *open,
                gated: kinds.has(Kinds::NEGATOR) || text.is_ascii() && text.len() <= SHORT,
            })
            .collect();
        Some(Self { automaton, phrases })
    }
}

/// Whether a word starts at a byte that starts a character.
fn is_start(text: &str, at: usize) -> bool {
    let spaced = |c: Option<char>| c.is_some_and(is_spaced);
    let before = &text[..at];
    let rest = &text[at..];
    !spaced(before.chars().next_back()) || !spaced(rest.chars().next()) || rest.starts_with("n'")
}

/// Whether a character is part of a word with spaces around it.
fn is_spaced(c: char) -> bool {
    is_word(c) && !script(c).is_unspaced()
}

/// Finds the phrases of a text in its possible languages, and returns them with its language.
/// The phrases determine the language if small words did not.
pub(in crate::read) fn find(folded: &Folded, language: Language) -> (Vec<Cue>, Language) {
    let Some(table) = table(language) else {
        return (Vec::new(), language);
    };
    let mut search = Search {
        table,
        folded,
        language,
        from: 0,
        found: Vec::with_capacity(folded.places.len() / 8),
        spoken: Spoken::default(),
    };
    let bytes = folded.text.as_bytes();
    for place in &folded.places {
        let (start, end) = (place.folded_start as usize, place.folded_end as usize);
        // `#1 choice`
        if let Some(sign) = start
            .checked_sub(1)
            .filter(|sign| bytes.get(*sign) == Some(&b'#'))
        {
            search.look(sign);
        }
        search.look(start);
        let word = folded.word(place);
        if !word.is_ascii() {
            // Words of scripts without spaces can also start inside a run.
            for (at, _) in word.char_indices().skip(1) {
                if is_start(&folded.text, start + at) {
                    search.look(start + at);
                }
            }
        }
        // `n't` is part of the word before it.
        if word.len() > 1 && word.ends_with('n') && bytes.get(end) == Some(&b'\'') {
            search.look(end - 1);
        }
    }
    let spoken = search.spoken.most();
    (search.found, spoken.unwrap_or(language))
}

/// A search from the start of a text to its end.
struct Search<'a> {
    table: &'static Table,
    folded: &'a Folded,
    language: Language,
    /// Phrases do not overlap: where the last one ended.
    from: usize,
    found: Vec<Cue>,
    spoken: Spoken,
}

impl Search<'_> {
    /// Looks for the longest phrase that starts at a byte.
    fn look(&mut self, start: usize) {
        let folded = self.folded;
        let text = folded.text.as_str();
        if start < self.from {
            return;
        }
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        let Some(hit) = self.table.automaton.find(input) else {
            return;
        };
        let Some(phrase) = self.table.phrases.get(hit.pattern().as_usize()) else {
            return;
        };
        if phrase.gated && !phrase.languages.overlaps(self.language) {
            return;
        }
        let mut end = hit.end();
        let last = text[..end].chars().next_back();
        if last.is_some_and(is_spaced) {
            let more = text[end..]
                .chars()
                .take_while(|c| is_word(*c))
                .map(char::len_utf8)
                .sum::<usize>();
            if more > 0 && !phrase.open && text[end..].starts_with(is_spaced) {
                return;
            }
            if phrase.open {
                end += more;
            }
        }
        self.from = hit.end();
        if self.language == Language::ANY {
            self.spoken.hear(phrase.languages);
        }
        let visible = |at: usize| folded.origin(at).unwrap_or(usize::MAX);
        // The end is the start of the next character.
        let span = visible(start)..visible(end).min(visible(end.saturating_sub(1)).saturating_add(4));
        self.found.push(Cue {
            kinds: phrase.kinds,
            span,
        });
    }
}

/// How many phrases were found in each language.
#[derive(Default)]
struct Spoken(Vec<(Language, u32)>);

impl Spoken {
    fn hear(&mut self, language: Language) {
        match self.0.iter_mut().find(|(known, _)| *known == language) {
            Some((_, count)) => *count += 1,
            None => self.0.push((language, 1)),
        }
    }

    /// Finds the one language with more phrases than any other.
    fn most(&self) -> Option<Language> {
        let most = self.0.iter().map(|(_, count)| *count).max()?;
        let mut of = self.0.iter().filter(|(_, count)| *count == most);
        let (language, _) = of.next()?;
        (of.next().is_none() && language.is_one()).then_some(*language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::words::{language_of, look_up};

    fn check(text: &str, kind: Kinds, expected: bool) {
        let folded = Folded::of(text);
        let (cues, _) = find(&folded, language_of(text, &look_up(&folded)));
        assert_eq!(
            cues.iter().any(|cue| cue.kinds.has(kind)),
            expected,
            "{text}: {cues:?}"
        );
    }

    #[test]
    fn phrases_start_where_they_are_looked_for() {
        for (phrase, _) in PHRASES.keys() {
            assert!(phrase.starts_with(is_word) || phrase.starts_with('#'), "{phrase}");
        }
    }

    #[test]
    fn cues_are_found_in_their_languages() {
        check("I'd recommend Acme.", Kinds::RECOMMEND, true);
        check("You can't go wrong with Acme.", Kinds::POSITIVE, true);
        check("You can't go wrong with Acme.", Kinds::AVOID, false);
        check("I wouldn't recommend Acme.", Kinds::AVOID, true);
        check("Von Acme würde ich abraten.", Kinds::BAD, true);
        check("快修侠不推荐，收费不透明。", Kinds::BAD, true);
        check("不错的选择", Kinds::POSITIVE.and(Kinds::RECOMMEND), true);
        check("overall it is fine", Kinds::CONTRAST, false);
        check("Jeg kunne ikke finde noget om Acme.", Kinds::ABSENCE, true);
        check("No wonder many people go there.", Kinds::NEGATOR, false);
        check("nominally", Kinds::NEGATOR, false);
    }
}
