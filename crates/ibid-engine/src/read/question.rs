//! A question, prepared for all of its answers.

use super::brand::Target;
use super::text::{key, script, words};
use crate::read::words::{List, list};
use rustc_hash::FxHashSet;

/// A question that answers are compared with. Its words are no names.
pub(crate) struct Question<'a> {
    pub(super) text: &'a str,
    /// Its words, without the names in it.
    pub(super) asked: FxHashSet<Box<str>>,
    /// Names that it compares: an answer that describes one of them puts it forward.
    pub(super) compared: Vec<Box<str>>,
    /// The texts after `alternatives to`, `compared to` and the like, folded.
    pub(super) referred: Vec<String>,
    /// All of it as one key, to find it restated.
    pub(super) key: String,
    /// It names the target.
    pub(super) names_target: bool,
    /// The place it asks about, unless it asks for places.
    #[cfg(feature = "scan")]
    surroundings: Option<ibid_gazetteer::Surroundings>,
}

impl<'a> Question<'a> {
    /// Whether the question only refers to a name: `alternatives to Acme`.
    pub(super) fn refers_to(&self, name: &str) -> bool {
        if self.referred.is_empty() {
            return false;
        }
        let name: Vec<String> = words(name).map(|word| key(word).to_string()).collect();
        let name = format!(" {} ", name.join(" "));
        self.referred.iter().any(|clause| clause.contains(&name))
    }

    /// Prepares a question; an empty one where the question is unknown.
    pub(crate) fn of(target: &Target, text: &'a str) -> Self {
        let (asked, compared) = asked(text, target);
        let referred = if compared.is_empty() {
            referred(text)
        } else {
            Vec::new()
        };
        Self {
            #[cfg(feature = "scan")]
            surroundings: ibid_gazetteer::Surroundings::of_question(text)
                .filter(|_| !ASKED_FOR.iter().any(|kind| asked.contains(*kind))),
            referred,
            text,
            asked,
            compared,
            key: key(text).into(),
            names_target: target.is_named_in(text),
        }
    }

    /// Whether a text is exactly the name of a place within 100 km around the one that the question asks about.
    /// Without the gazetteer, none is known.
    pub(super) fn is_near(&self, text: &str) -> bool {
        #[cfg(feature = "scan")]
        let near = self.surroundings.is_some_and(|place| place.holds(text, 100.0));
        #[cfg(not(feature = "scan"))]
        let near = text.is_empty();
        near
    }

    /// Whether the question contains every word of a text.
    pub(super) fn holds(&self, text: &str) -> bool {
        if self.asked.is_empty() {
            return false;
        }
        let unspaced = !text.is_ascii() && text.chars().any(|c| script(c).is_unspaced());
        if unspaced {
            let key = key(text);
            return key.len() >= 6 && self.key.contains(&*key);
        }
        let mut words = words(text).peekable();
        words.peek().is_some()
            && words.all(|word| {
                let mut key = key(word);
                // Number and case may differ: `dentist` and `dentists`.
                self.asked.contains(&*key) || self.asked.contains(key.trim_end_matches('s')) || {
                    key.push('s');
                    self.asked.contains(&*key)
                }
            })
    }
}

/// Words of questions whose answers are places.
#[cfg(feature = "scan")]
static ASKED_FOR: List = list("places.asked-for");

/// The names that a question only refers to, up to the end of its clause: `What is like Acme?`
fn referred(question: &str) -> Vec<String> {
    static BEFORE: List = list("question.before");
    let lower = question.to_lowercase();
    let comparing = lower
        .starts_with("compare ")
        .then(|| lower.rfind(" to "))
        .flatten()
        .map(|at| at + 4);
    let starts = BEFORE
        .iter()
        .filter_map(|before| lower.find(before).map(|at| at + before.len()))
        .chain(comparing);
    let clause = |start: usize| {
        lower
            .get(start..)
            .and_then(|rest| rest.split(['?', '.', '!']).next())
    };
    starts
        .filter_map(clause)
        .map(|clause| {
            format!(
                " {} ",
                words(clause)
                    .map(|word| key(word).to_string())
                    .collect::<Vec<_>>()
                    .join(" ")
            )
        })
        .collect()
}

/// Splits a question into words without its names: the target's, and those it compares.
fn asked(question: &str, target: &Target) -> (FxHashSet<Box<str>>, Vec<Box<str>>) {
    static BETWEEN: List = list("question.between");
    let words: Vec<&str> = words(question).collect();
    let mut compared = vec![false; words.len()];
    let capital = |at: usize| words[at].starts_with(char::is_uppercase);
    for (at, word) in words.iter().enumerate() {
        let between = BETWEEN.has(word.to_lowercase().as_str()) && at > 0 && at + 1 < words.len();
        if between && capital(at - 1) && capital(at + 1) {
            compared[at - 1] = true;
            compared[at + 1] = true;
        }
    }
    let mut free = FxHashSet::default();
    let mut names = Vec::new();
    for (word, compared) in words.iter().zip(compared) {
        if compared {
            names.push(Box::from(*word));
        } else if !target.is_name(word) {
            free.insert(Box::from(&*key(word)));
        }
    }
    (free, names)
}
