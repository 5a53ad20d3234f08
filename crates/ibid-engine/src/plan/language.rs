//! The language of a question: the caller's, else that of the place, unless the keyword is of another one.
//!
//! Each language is a model of words: its own head words, and the groups of letters in them.
//! The likelihood of the keyword in the first language of the place weighs a hundred times.
//! Words that many languages share ("hotel", "coworking") are as likely in all, so the place decides.

use super::Located;
use super::phrases::{self, Phrases};
use ibid_gazetteer::KnownPlace;
use ibid_model::result::Warning;
use ibid_model::{Language, ScanOrder};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The weight of the first language of a place; without a place, of English.
/// At half, a few more keywords are taken for foreign ones; at twice, a few less.
const PLACE: f64 = 100.0;
/// The share of head words in a model; the rest of a word's likelihood comes from its letters.
const WORDS: f64 = 0.5;
/// The share of words and letters that come from all languages, because people borrow words.
const BORROWED: f64 = 0.1;

/// The words of the core questions, with the warnings about them.
pub(super) fn of_core(
    order: &ScanOrder,
    located: Option<&Located>,
    warnings: &mut Vec<Warning>,
) -> &'static Phrases {
    let languages = located.map(|located| located.resolved().languages());
    let chosen = choose(order, languages);
    let tag = chosen.phrases.tag;
    if let Some(wanted) = chosen.missing {
        let message = format!("there are no questions in \"{wanted}\" yet, so they were asked in English");
        warnings.push(Warning::new("language_fallback", message));
    } else if chosen.guessed {
        let message = format!(
            "the keyword was taken for \"{tag}\", so the questions are in it; \"language\" sets another"
        );
        warnings.push(Warning::new("language_guessed", message));
    }
    chosen.phrases
}

/// The words of a market's questions, chosen in the same way with the market's own languages.
pub(super) fn of_market(order: &ScanOrder, place: &KnownPlace) -> &'static Phrases {
    choose(order, Some(place.languages())).phrases
}

/// The language of a question of the caller; the one of the scan counts as the language of the place.
pub(super) fn of_text(text: &str, scan: &'static Phrases) -> &'static Phrases {
    likeliest(text, &[scan.tag])
}

/// The words of a scan, and how they were chosen.
struct Chosen {
    phrases: &'static Phrases,
    /// The wanted language, if English replaces it.
    missing: Option<String>,
    /// Whether the keyword decided against the place.
    guessed: bool,
}

fn choose(order: &ScanOrder, languages: Option<&'static [&'static str]>) -> Chosen {
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
    if let Some(language) = order.language().map(Language::as_str) {
        return phrases::of(language).map_or_else(|| fallback(language), certain);
    }
    let local = languages.unwrap_or(&["en"]);
    let with_questions = |tag: &&&str| phrases::of(tag).is_some();
    let first = local.iter().find(with_questions).copied();
    // The words of a language without questions look like those of its neighbours, so it is not guessed.
    if first.is_none_or(|first| first == "en" && local.first() != Some(&"en")) {
        return fallback(local.first().copied().unwrap_or_default());
    }
    let phrases = likeliest(order.keyword().as_str(), local);
    Chosen {
        phrases,
        missing: None,
        guessed: !local
            .iter()
            .filter_map(|tag| phrases::of(tag))
            .any(|known| known.tag == phrases.tag),
    }
}

/// The likeliest language of a text among people who speak these.
fn likeliest(text: &str, local: &[&str]) -> &'static Phrases {
    let first = local
        .iter()
        .find_map(|tag| phrases::of(tag))
        .map(|known| known.tag);
    let models = models();
    let mut best = (f64::NEG_INFINITY, phrases::english());
    let likelihoods = models.of(text);
    for (phrases, likelihood) in phrases::all().zip(likelihoods) {
        let weight = if first == Some(phrases.tag) { PLACE } else { 1.0 };
        let score = likelihood + weight.ln();
        if score > best.0 {
            best = (score, phrases);
        }
    }
    best.1
}

/// Makes the models, so the first plan need not wait for them.
pub(super) fn warm_up() {
    models();
}

fn models() -> &'static Models {
    static MODELS: OnceLock<Models> = OnceLock::new();
    MODELS.get_or_init(Models::new)
}

/// The words and the groups of letters of every language.
struct Models {
    languages: Vec<Model>,
}

#[derive(Default)]
struct Model {
    words: FxHashSet<String>,
    /// Counts of groups of one to three letters.
    groups: FxHashMap<[char; 3], u32>,
    letters: u32,
}

/// The weight of shorter groups beside counted ones.
const SHORTER: f64 = 5.0;
/// The count of a letter that no word of the language has.
const RARE: f64 = 0.01;
const NONE: char = '\0';
const EDGE: char = ' ';

impl Models {
    fn new() -> Self {
        Self {
            languages: phrases::all().map(Model::new).collect(),
        }
    }

    /// The logarithm of the likelihood of a text in each language.
    fn of(&self, text: &str) -> Vec<f64> {
        let mut sums = vec![0.0; self.languages.len()];
        // The words of an address ("example.com") are of no language.
        let words = text
            .split_whitespace()
            .filter(|word| !word.trim_end_matches('.').contains('.'));
        for word in words.flat_map(|word| word.split(|c: char| !c.is_alphanumeric() && !is_mark(c))) {
            let word = word.to_lowercase();
            if !word.chars().any(char::is_alphabetic) {
                continue;
            }
            let likelihoods: Vec<f64> = self.languages.iter().map(|model| model.of(&word)).collect();
            let all = likelihoods.iter().sum::<f64>() / likelihoods.len() as f64;
            // Only words in Latin letters are borrowed unchanged.
            let borrowed = if word.chars().all(is_latin) { BORROWED } else { 0.0 };
            for (sum, likelihood) in sums.iter_mut().zip(likelihoods) {
                *sum += ((1.0 - borrowed) * likelihood + borrowed * all).ln();
            }
        }
        sums
    }
}

impl Model {
    fn new(phrases: &Phrases) -> Self {
        let mut model = Self::default();
        let frames = phrases.frames.values().flat_map(BTreeMap::values).flatten();
        let texts = phrases
            .words
            .values()
            .flatten()
            .chain(phrases.needs.values().flatten());
        // Slots have short names, which no language has as words.
        for text in texts
            .chain(frames)
            .map(String::as_str)
            .chain(phrases::trades(phrases.tag).map(|(name, _)| name))
        {
            for word in text.split(|c: char| !c.is_alphanumeric() && !is_mark(c)) {
                if word.is_empty() {
                    continue;
                }
                let word = word.to_lowercase();
                for group in groups(&word) {
                    for size in 1..=group.len() {
                        *model.groups.entry(last(group, size)).or_default() += 1;
                    }
                    model.letters += 1;
                }
                model.words.insert(word);
            }
        }
        model
    }

    fn of(&self, word: &str) -> f64 {
        let known = if self.words.contains(word) {
            WORDS / 2_000.0
        } else {
            0.0
        };
        known + (1.0 - WORDS) * groups(word).map(|group| self.next(group)).product::<f64>()
    }

    /// The chance of the last letter of a group after the ones before it, mixed with its chance after fewer.
    fn next(&self, [first, second, third]: [char; 3]) -> f64 {
        let count = |group| f64::from(self.groups.get(&group).copied().unwrap_or(0));
        let alone = (count([NONE, NONE, third]) + RARE) / (f64::from(self.letters) + 1.0);
        let after_one =
            (count([NONE, second, third]) + SHORTER * alone) / (count([NONE, NONE, second]) + SHORTER);
        (count([first, second, third]) + SHORTER * after_one) / (count([NONE, first, second]) + SHORTER)
    }
}

/// The groups of letters in a word, one for each of its letters and its end.
fn groups(word: &str) -> impl Iterator<Item = [char; 3]> {
    let mut before = [NONE, EDGE];
    word.chars().chain([EDGE]).map(move |letter| {
        let group = [before[0], before[1], letter];
        before = [before[1], letter];
        group
    })
}

/// The last letters of a group.
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
