//! Chooses a question's language: the caller's, else the place's, unless the keyword is in another one.
//!
//! Each language is modelled by its head words, and by the groups of letters in them.
//! If the keyword is likely in the place's first language, that weighs a hundred times, in English three times.
//! Words that many languages share ("hotel", "coworking") are as likely in all, so the place decides.
//! People abroad ask in English more often than in a third language, so that one has to be far likelier than English.

use super::Located;
use super::kind::Kind;
use super::phrases::{self, Phrases};
use crate::questions::is_brand;
use ibid_gazetteer::KnownPlace;
use ibid_model::result::Warning;
use ibid_model::{Language, PLACE_SLOT, ScanOrder};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// How much a place's first language weighs; without a place, English does.
/// At half, a few more keywords are taken for foreign ones; at twice, a few less.
const PLACE: f64 = 100.0;
/// How much a model relies on head words; the rest of a word's likelihood comes from its letters.
const WORDS: f64 = 0.5;
/// How many words and letters come from all languages, as a share, because people borrow words.
const BORROWED: f64 = 0.1;

/// Languages that are not written in Latin letters.
const OTHER_SCRIPTS: [&str; 10] = ["ar", "el", "he", "hi", "ja", "ko", "ru", "uk", "zh", "zh-Hant"];

/// Whether a name is in letters of a language.
pub(super) fn can_write(tag: &str, name: &str) -> bool {
    let latin = name.chars().any(|c| c.is_alphabetic() && is_latin(c));
    !(latin && OTHER_SCRIPTS.contains(&tag))
}

/// Names a language in English, if it has questions; another tag stays as it is.
#[must_use]
pub fn language_name(tag: &str) -> &str {
    phrases::name_of(tag).unwrap_or(tag)
}

/// Chooses the words for the core questions, and warns about the choice.
pub(super) fn of_core(
    order: &ScanOrder,
    located: Option<&Located>,
    warnings: &mut Vec<Warning>,
) -> &'static Phrases {
    let languages = located.map(|located| located.resolved().languages());
    let chosen = choose(order.keyword().as_str(), order.language(), languages);
    let tag = chosen.phrases.tag;
    if let Some(wanted) = chosen.missing {
        let message = format!(
            "there are no questions in \"{wanted}\" yet, so these are English: send your own, or let your model propose some"
        );
        warnings.push(Warning::new("language_fallback", message));
    } else if chosen.guessed {
        let name = language_name(tag);
        let message = format!(
            "the keyword reads as {name}, so the questions are in {name} unless you choose another language"
        );
        warnings.push(Warning::new("language_guessed", message));
    }
    chosen.phrases
}

/// Chooses the words for a market's questions in the same way, by the market's own languages.
/// `before` has those chosen for earlier markets, because most markets in a plan have the same languages.
pub(super) fn of_market(
    order: &ScanOrder,
    place: &KnownPlace,
    before: &mut Vec<(&'static [&'static str], &'static Phrases)>,
) -> &'static Phrases {
    let languages = place.languages();
    if let Some((_, phrases)) = before.iter().find(|(known, _)| *known == languages) {
        return phrases;
    }
    let phrases = choose(order.keyword().as_str(), order.language(), Some(languages)).phrases;
    before.push((languages, phrases));
    phrases
}

/// Tells which language a caller's question is in; the scan's counts as the place's.
pub(super) fn of_text(text: &str, scan: &'static Phrases) -> &'static Phrases {
    likeliest(&text.replace(PLACE_SLOT, " "), Some(&[scan.tag]))
}

/// Which words a scan got, and how they were chosen.
struct Chosen {
    phrases: &'static Phrases,
    /// The wanted language, if English replaces it.
    missing: Option<String>,
    /// Whether the keyword decided against the place.
    guessed: bool,
}

/// The language that people ask about a keyword in, where these are spoken (anywhere without any), and whether it is a guess: the
/// keyword decides against the place.
#[must_use]
pub fn likely_language(
    keyword: &str,
    languages: Option<&'static [&'static str]>,
) -> (Cow<'static, str>, bool) {
    let chosen = choose(keyword, None, languages);
    match chosen.missing {
        Some(wanted) => (wanted.into(), false),
        None => (chosen.phrases.tag.into(), chosen.guessed),
    }
}

fn choose(keyword: &str, wanted: Option<&Language>, languages: Option<&'static [&'static str]>) -> Chosen {
    let fallback = |wanted: &str| Chosen {
        phrases: phrases::english(),
        missing: Some(wanted.split('-').next().unwrap_or(wanted).to_owned()),
        guessed: false,
    };
    let certain = |phrases| Chosen {
        phrases,
        missing: None,
        guessed: false,
    };
    if let Some(language) = wanted.map(Language::as_str) {
        return phrases::of(language).map_or_else(|| fallback(language), certain);
    }
    let local = languages.unwrap_or(&["en"]);
    let with_questions = |tag: &&&str| phrases::tag_of(tag).is_some();
    let first = local.iter().find(with_questions).copied();
    // A language without questions is not guessed, because its words look like those of its neighbours.
    if first.is_none_or(|first| first == "en" && local.first() != Some(&"en")) {
        return fallback(local.first().copied().unwrap_or_default());
    }
    let phrases = likeliest(keyword, languages);
    // "Tubero" in Manila is no English word, and no brand either: it is of a language there that has no questions.
    let unwritten = local.iter().find(|tag| phrases::tag_of(tag).is_none());
    let is_unknown = || !is_brand(keyword) && !words(keyword).any(|word| models()[0].knows(&word));
    if let Some(tag) = unwritten.filter(|_| phrases.tag == "en" && is_unknown()) {
        return fallback(tag);
    }
    Chosen {
        phrases,
        missing: None,
        guessed: !local
            .iter()
            .filter_map(|tag| phrases::tag_of(tag))
            .any(|known| known == phrases.tag),
    }
}

/// Which language a text is likeliest in among people who speak these; anywhere without any.
fn likeliest(text: &str, local: Option<&[&str]>) -> &'static Phrases {
    let is_local =
        |tag: &str| local.is_some_and(|local| local.iter().any(|it| phrases::tag_of(it) == Some(tag)));
    let first = local
        .unwrap_or(&["en"])
        .iter()
        .find_map(|tag| phrases::tag_of(tag));
    let mut letters = text.chars().filter(|c| c.is_alphabetic());
    let in_latin = letters.clone().all(is_latin);
    let is_plain = letters.all(|c| c.is_ascii());
    let likelihoods = likelihoods(models(), text);
    let english = models().iter().zip(&likelihoods).next();
    let mut best = (f64::NEG_INFINITY, "en");
    for ((tag, model), likelihood) in phrases::tags().zip(models()).zip(&likelihoods) {
        let weight = match first == Some(tag) {
            true => PLACE,
            false if in_latin && tag == "en" => 3.0,
            // "Plumber" is a word of Hindi, too, but who types it elsewhere is rarely asking in Hindi.
            false if in_latin && OTHER_SCRIPTS.contains(&tag) => 1.0 / PLACE,
            false => 1.0,
        };
        // Brands, and English words that our English list lacks, look like words in some language.
        if let Some((of_english, in_english)) = english.filter(|_| is_plain && tag != "en" && !is_local(tag))
        {
            let has_own = words(text).any(|word| model.knows(&word) && !of_english.knows(&word));
            let lead = if has_own || local.is_none() {
                PLACE
            } else {
                PLACE * PLACE
            };
            if *likelihood < in_english + lead.ln() {
                continue;
            }
        }
        let score = likelihood + weight.ln();
        if score > best.0 {
            best = (score, tag);
        }
    }
    phrases::of(best.1).unwrap_or_else(phrases::english)
}

/// Makes the models and reads English, so the first plan need not wait for them.
pub(super) fn warm_up() {
    models();
    phrases::english();
}

/// One model for each language, in the order of the tags.
fn models() -> &'static [Model] {
    static MODELS: OnceLock<Vec<Model>> = OnceLock::new();
    MODELS.get_or_init(|| phrases::read_each(Model::new))
}

/// A language's words and letter groups, sorted, because maps with texts would be ten times as large.
struct Model {
    /// Hashes of the words.
    words: Box<[u32]>,
    /// Groups of one to three letters, and how often each occurs.
    groups: Box<[(u64, u32)]>,
    letters: u32,
}

/// How much shorter groups weigh beside counted ones.
const SHORTER: f64 = 5.0;
/// Counts for a letter that no word in the language has.
const RARE: f64 = 0.01;
const NONE: char = '\0';
const EDGE: char = ' ';

/// Splits a text into words in lower case. Those in an address, for example "example.com", belong to no language.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_whitespace()
        .filter(|word| !word.trim_end_matches('.').contains('.'))
        .flat_map(|word| word.split(|c: char| !c.is_alphanumeric() && !is_mark(c)))
        .filter(|word| word.chars().any(char::is_alphabetic))
        .map(str::to_lowercase)
}

/// How likely a text is in each language, as a logarithm.
fn likelihoods(models: &[Model], text: &str) -> Vec<f64> {
    let mut sums = vec![0.0; models.len()];
    for word in words(text) {
        let likelihoods: Vec<f64> = models.iter().map(|model| model.of(&word)).collect();
        let all = likelihoods.iter().sum::<f64>() / likelihoods.len() as f64;
        // Only words in Latin letters are borrowed unchanged.
        let borrowed = if word.chars().all(is_latin) { BORROWED } else { 0.0 };
        for (sum, likelihood) in sums.iter_mut().zip(likelihoods) {
            *sum += ((1.0 - borrowed) * likelihood + borrowed * all).ln();
        }
    }
    sums
}

impl Model {
    fn new(phrases: &Phrases, trades: &[(&str, Kind)]) -> Self {
        let frames = phrases.frames.values().flat_map(BTreeMap::values).flatten();
        let texts = phrases
            .words
            .values()
            .flatten()
            .chain(phrases.needs.values().flatten());
        // Slots have short names, which no language has as words.
        let texts = texts
            .chain(frames)
            .map(String::as_str)
            .chain(std::iter::once(phrases.common.as_str()))
            .chain(trades.iter().map(|(name, _)| *name));
        let (mut words, mut letters) = (Vec::new(), 0);
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        for word in texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && !is_mark(c))) {
            if word.is_empty() {
                continue;
            }
            let word = word.to_lowercase();
            for group in groups(&word) {
                for size in 1..=group.len() {
                    *counts.entry(key(last(group, size))).or_default() += 1;
                }
                letters += 1;
            }
            words.push(hash(&word));
        }
        words.sort_unstable();
        words.dedup();
        let mut groups: Vec<(u64, u32)> = counts.into_iter().collect();
        groups.sort_unstable();
        Self {
            words: words.into(),
            groups: groups.into(),
            letters,
        }
    }

    fn knows(&self, word: &str) -> bool {
        self.words.binary_search(&hash(word)).is_ok()
    }

    fn of(&self, word: &str) -> f64 {
        let known = if self.knows(word) { WORDS / 2_000.0 } else { 0.0 };
        known + (1.0 - WORDS) * groups(word).map(|group| self.next(group)).product::<f64>()
    }

    /// How likely a group's last letter follows the ones before it, mixed with its chance after fewer.
    fn next(&self, [first, second, third]: [char; 3]) -> f64 {
        let count = |group| {
            let found = self.groups.binary_search_by_key(&key(group), |(group, _)| *group);
            found.map_or(0.0, |at| f64::from(self.groups[at].1))
        };
        let alone = (count([NONE, NONE, third]) + RARE) / (f64::from(self.letters) + 1.0);
        let after_one =
            (count([NONE, second, third]) + SHORTER * alone) / (count([NONE, NONE, second]) + SHORTER);
        (count([first, second, third]) + SHORTER * after_one) / (count([NONE, first, second]) + SHORTER)
    }
}

/// Hashes a word. Among some thousand words two have the same hash in about one language of a thousand.
fn hash(word: &str) -> u32 {
    crate::hash::fnv1a(word.bytes()) as u32
}

/// A group of letters as a number.
fn key(group: [char; 3]) -> u64 {
    group
        .iter()
        .fold(0, |key, letter| key << 21 | u64::from(u32::from(*letter)))
}

/// Groups a word's letters by three, one group for each letter and one for the end.
fn groups(word: &str) -> impl Iterator<Item = [char; 3]> {
    let mut before = [NONE, EDGE];
    word.chars().chain([EDGE]).map(move |letter| {
        let group = [before[0], before[1], letter];
        before = [before[1], letter];
        group
    })
}

fn last(group: [char; 3], size: usize) -> [char; 3] {
    let mut last = [NONE; 3];
    last[3 - size..].copy_from_slice(&group[3 - size..]);
    last
}

fn is_latin(c: char) -> bool {
    c < '\u{250}' || ('\u{1e00}'..='\u{1eff}').contains(&c)
}

/// Whether a character is a vowel sign or accent within a word, which are no letters of their own.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}
