//! Words for the questions: one file a language, so that a speaker can correct it without Rust.
//!
//! A file holds frames by kind and intent, needs, head words by kind, and marks.
//! CONTRIBUTING.md describes its form.
//! A test reads every file, so a file that cannot be read never reaches a release; here it would be empty.

use super::kind::{Kind, fold};
use super::needs;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::OnceLock;

/// What questions in one language are made from.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Phrases {
    /// BCP 47 tag: the primary language, except for Chinese in traditional characters.
    #[serde(skip)]
    pub(super) tag: &'static str,
    /// Phrases that narrow a keyword, by kind.
    pub(super) needs: BTreeMap<Kind, Vec<String>>,
    /// Texts with slots, by kind and intent.
    pub(super) frames: BTreeMap<Kind, BTreeMap<String, Vec<String>>>,
    /// Head words by kind.
    pub(super) words: BTreeMap<Kind, Vec<String>>,
    /// Other words of the language, apart by blanks.
    #[serde(default)]
    pub(super) common: String,
    pub(super) marks: Marks,
    /// Words that agree with the keyword, by the name of their slot: for a single thing, and for several.
    #[serde(default)]
    pub(super) agree: BTreeMap<String, [String; 2]>,
    #[serde(default)]
    pub(super) article: Articles,
    #[serde(default)]
    pub(super) place: Places,
    /// Hashes the file, so that a rewording shows.
    #[serde(skip)]
    pub(super) version: u32,
    /// Kinds by folded head word, and by the names of trades and places.
    #[serde(skip)]
    pub(super) kinds: FxHashMap<String, Kind>,
}

/// Words that show what a keyword is.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Marks {
    /// Superlatives.
    pub(super) best: Vec<String>,
    /// Words that set one thing against another.
    pub(super) compare: Vec<String>,
    /// First words of a question.
    pub(super) question: Vec<String>,
    /// Endings that mean "near me".
    pub(super) near: Vec<String>,
    /// What is asked after a keyword that is a question, so that answers name someone.
    #[serde(default)]
    pub(super) follow: Vec<String>,
    /// Words that a trouble ends in ("leak"), or begins with ("blocked *"), by what mends it ("{k} repair").
    #[serde(default)]
    pub(super) problems: BTreeMap<String, Vec<String>>,
    /// Words that make a keyword a sentence: "toilet wont flush". It is asked like a question.
    #[serde(default)]
    pub(super) says: Vec<String>,
    /// Words after the head of a phrase, in languages whose head is the last word: "for" in "crm for teams".
    #[serde(default)]
    pub(super) after_head: Vec<String>,
    /// How several things end, in languages whose head is the first word: "seguros de coche".
    #[serde(default)]
    pub(super) plural_ending: Option<String>,
}

/// Nouns whose English article is known.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Articles {
    /// Nouns without article.
    pub(super) without: Vec<String>,
    /// Nouns with an article.
    pub(super) with: Vec<String>,
    /// Endings of nouns with an article.
    pub(super) with_ending: Vec<String>,
}

/// Places in a language that inflects their names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Places {
    /// A phrase for being in a town that leaves its name unchanged.
    pub(super) town: String,
    /// The same for a region.
    pub(super) region: String,
    /// The same for a country.
    pub(super) country: String,
    /// By English name: the name, and the phrase for being there.
    pub(super) towns: FxHashMap<String, (String, String)>,
    /// By country code.
    pub(super) countries: FxHashMap<String, (String, String)>,
}

/// A language and its file, which is read when the language is first used.
struct Language {
    tag: &'static str,
    /// In English.
    name: &'static str,
    /// Packed by the build script.
    file: &'static [u8],
    phrases: OnceLock<Phrases>,
}

/// Names of trades and places by language and kind, made by `data/trades.py`.
const TRADES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/", "trades.tsv"));

/// A language with its name in English.
macro_rules! language {
    ($tag:literal, $name:literal) => {
        Language {
            tag: $tag,
            name: $name,
            file: include_bytes!(concat!(env!("OUT_DIR"), "/", $tag, ".toml")),
            phrases: OnceLock::new(),
        }
    };
}

/// Every language with questions. English is first, because it is the fallback.
static LANGUAGES: [Language; 28] = [
    language!("en", "English"),
    language!("es", "Spanish"),
    language!("de", "German"),
    language!("fr", "French"),
    language!("pt", "Portuguese"),
    language!("it", "Italian"),
    language!("nl", "Dutch"),
    language!("ja", "Japanese"),
    language!("ar", "Arabic"),
    language!("hi", "Hindi"),
    language!("ko", "Korean"),
    language!("pl", "Polish"),
    language!("ru", "Russian"),
    language!("sv", "Swedish"),
    language!("tr", "Turkish"),
    language!("zh", "Chinese"),
    language!("zh-Hant", "Traditional Chinese"),
    language!("cs", "Czech"),
    language!("da", "Danish"),
    language!("el", "Greek"),
    language!("fi", "Finnish"),
    language!("he", "Hebrew"),
    language!("hu", "Hungarian"),
    language!("id", "Indonesian"),
    language!("nb", "Norwegian"),
    language!("ro", "Romanian"),
    language!("uk", "Ukrainian"),
    language!("vi", "Vietnamese"),
];

/// Lists every language with questions by its tag, English first.
pub(super) fn tags() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|language| language.tag)
}

/// Returns the fallback's words.
pub(super) fn english() -> &'static Phrases {
    LANGUAGES[0].phrases()
}

/// Finds the words for a language tag: for the tag itself, otherwise for its primary language.
/// A language is read when it is first asked for, since most processes need a few.
pub(super) fn of(tag: &str) -> Option<&'static Phrases> {
    find(tag).map(Language::phrases)
}

/// Names a language with questions in English.
pub(super) fn name_of(tag: &str) -> Option<&'static str> {
    LANGUAGES
        .iter()
        .find(|language| language.tag == tag)
        .map(|language| language.name)
}

pub(super) fn tag_of(tag: &str) -> Option<&'static str> {
    find(tag).map(|language| language.tag)
}

fn find(tag: &str) -> Option<&'static Language> {
    let named = |tag: &str| LANGUAGES.iter().find(|language| language.tag == tag);
    named(tag).or_else(|| named(tag.split('-').next().unwrap_or(tag)))
}

/// Reads every language and its trade names one after the other, so that no two are in memory.
pub(super) fn read_each<T>(mut make: impl FnMut(&Phrases, &[(&str, Kind)]) -> T) -> Vec<T> {
    let names = unpacked(TRADES);
    let read = |language: &Language| make(&language.file(), &trades(&names, language.tag));
    LANGUAGES.iter().map(read).collect()
}

impl Language {
    fn phrases(&'static self) -> &'static Phrases {
        self.phrases.get_or_init(|| {
            let mut phrases = self.file();
            let names = unpacked(TRADES);
            phrases.kinds = kinds(&phrases.words, &trades(&names, self.tag));
            phrases
        })
    }

    /// Reads the file alone.
    fn file(&self) -> Phrases {
        let text = unpacked(self.file);
        let needs = needs::file(self.tag);
        Phrases {
            tag: self.tag,
            version: crate::hash::fnv1a(text.bytes().chain(needs.bytes())) as u32,
            ..toml::from_str(&text).unwrap_or_default()
        }
    }
}

/// Gathers all known words by kind. A word in the file counts before a trade's name.
fn kinds(words: &BTreeMap<Kind, Vec<String>>, trades: &[(&str, Kind)]) -> FxHashMap<String, Kind> {
    let mut kinds: FxHashMap<String, Kind> = trades.iter().map(|(name, kind)| (fold(name), *kind)).collect();
    for (kind, words) in words {
        kinds.extend(words.iter().map(|word| (fold(word), *kind)));
    }
    kinds
}

/// Picks one language's names for trades and places, with their kinds.
fn trades<'a>(names: &'a str, tag: &str) -> Vec<(&'a str, Kind)> {
    let rows = names.lines().filter_map(|line| line.split_once('\t'));
    let rows = rows.filter(|(of, _)| *of == tag);
    rows.filter_map(|(_, rest)| rest.split_once('\t'))
        .flat_map(|(kind, names)| {
            let kind = Kind::named(kind);
            names.split('|').filter_map(move |name| Some((name, kind?)))
        })
        .collect()
}

/// Unpacks a file's text; empty if it cannot be read.
fn unpacked(file: &[u8]) -> String {
    let mut text = String::new();
    let read = flate2::read::DeflateDecoder::new(file).read_to_string(&mut text);
    read.map(|_| text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::spoken::SpokenPlace;
    use super::super::wording::wordings;
    use super::*;
    use std::collections::{BTreeSet, HashSet};

    const INTENTS: [&str; 10] = [
        "list",
        "best",
        "website",
        "providers",
        "need",
        "trust",
        "price",
        "near",
        "alternatives",
        "compare",
    ];
    const KINDS: [Kind; 9] = [
        Kind::Any,
        Kind::Trade,
        Kind::Person,
        Kind::Venue,
        Kind::Food,
        Kind::Institution,
        Kind::Product,
        Kind::Software,
        Kind::Money,
    ];

    fn faults(language: &Language) -> Vec<String> {
        let file: Phrases = match toml::from_str(&unpacked(language.file)) {
            Ok(file) => file,
            Err(error) => return vec![error.to_string()],
        };
        let mut faults = Vec::new();
        for (kind, intents) in &file.frames {
            for (intent, frame) in intents
                .iter()
                .flat_map(|(intent, frames)| frames.iter().map(move |it| (intent, it)))
            {
                let slots = frame.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
                let slots: BTreeSet<&str> = slots.map(|(slot, _)| slot).collect();
                let known = ["k", "a", "in", "p", "need"];
                let sound = INTENTS.contains(&intent.as_str())
                    && slots
                        .iter()
                        .all(|slot| known.contains(slot) || file.agree.contains_key(*slot))
                    && (slots.contains("k") || slots.contains("a"))
                    && (slots.contains("in") || slots.contains("p"))
                    && frame.matches('[').count() == frame.matches(']').count()
                    && !frame.contains("}:")
                    && !frame.contains("  ");
                if !sound {
                    faults.push(format!("{kind:?} {intent}: {frame}"));
                }
            }
        }
        let words: Vec<&String> = file.words.values().flatten().collect();
        let mut seen = HashSet::new();
        let unsound =
            |word: &&&String| word.is_empty() || word.to_lowercase() != ***word || word.trim() != ***word;
        faults.extend(
            words
                .iter()
                .filter(unsound)
                .map(|word| format!("not in lower case: {word}")),
        );
        faults.extend(
            words
                .iter()
                .filter(|word| !seen.insert(**word))
                .map(|word| format!("twice: {word}")),
        );
        if words.len() < 400 {
            faults.push(format!("{} words", words.len()));
        }
        let place = &file.place;
        let patterns = [&place.town, &place.region, &place.country];
        if patterns
            .iter()
            .any(|pattern| pattern.contains("{p}") == place.town.is_empty())
        {
            faults.push("a pattern of places has no {p}".to_owned());
        }
        faults
    }

    #[test]
    fn every_language_file_is_sound() {
        for language in &LANGUAGES {
            assert_eq!(faults(language), Vec::<String>::new(), "{}", language.tag);
        }
    }

    /// 24 core questions and 15 for a town are good where no need repeats a frame more than a few times.
    #[test]
    fn every_kind_has_enough_questions_in_every_language() {
        let place = SpokenPlace {
            name: "Qo".to_owned(),
            phrase: "in Qo".to_owned(),
        };
        let mut poor = Vec::new();
        for phrases in tags().filter_map(of) {
            for kind in KINDS {
                let keyword = match kind {
                    Kind::Any => "xyzzy",
                    kind => phrases.words[&kind]
                        .iter()
                        .find(|word| wordings(phrases, word, Some(&place)).kind == Some(kind))
                        .unwrap(),
                };
                for place in [Some(&place), None] {
                    let found = wordings(phrases, keyword, place);
                    let frames: HashSet<String> = found
                        .list
                        .iter()
                        .map(|it| {
                            phrases
                                .needs
                                .values()
                                .flatten()
                                .fold(it.text.clone(), |text, need| text.replace(need, "~"))
                        })
                        .collect();
                    let intents = found
                        .list
                        .iter()
                        .take(24)
                        .map(|it| it.intent)
                        .collect::<HashSet<_>>()
                        .len();
                    if found.list.len() < 30 || frames.len() < 16 || intents < 6 {
                        let counts = (found.list.len(), frames.len(), intents);
                        poor.push(format!(
                            "{} {keyword} {}: {counts:?}",
                            phrases.tag,
                            place.is_some()
                        ));
                    }
                }
            }
        }
        assert!(poor.is_empty(), "{poor:#?}");
    }
}
