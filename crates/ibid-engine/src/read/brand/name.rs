//! One name in the form in which it is looked up.

use super::inflected;
use crate::read::text::{is_word, key, plain, script};
use crate::read::words::meaning;
use ibid_model::result::AliasSource;

/// The proof that a name needs to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::read) enum Proof {
    /// No condition: it is a name in every place.
    Plain,
    /// A capital inside a sentence, or the place of a name: it is an ordinary word, or short.
    Written,
    /// Where a name stands: the whole head of an item, a bold name, the text of an own link.
    Head,
}

impl Proof {
    /// The proof that a given name needs.
    pub(super) fn of_given(name: &str) -> Self {
        let folded = plain(name);
        let mut words = folded
            .split(|c: char| !is_word(c))
            .filter(|word| !word.is_empty());
        let letters = folded.chars().filter(|c| is_word(*c)).count();
        let cased = name.chars().all(|c| !c.is_alphabetic() || script(c).has_case());
        if cased && (letters < 4 || words.all(|word| meaning(word).is_ordinary())) {
            return Self::Written;
        }
        Self::Plain
    }
}

/// One name in the form in which it is looked up.
#[derive(Clone, Debug)]
pub(in crate::read) struct Name {
    /// Folded letters and digits.
    pub(super) key: String,
    pub(super) proof: Proof,
    /// The name as given.
    pub(super) text: String,
    /// The caller gave it, so that its capitals mean something.
    pub(super) given: bool,
    /// The name comes from the caller, or from the target's links or home page, not only from the domain's label.
    pub(super) known: bool,
    /// The caller listed it as the name of another party.
    pub(super) excluded: bool,
    /// The key writes `ue` as `u`: it counts only if the text has an accented letter.
    pub(super) only_accented: bool,
    /// The key lacks the name's `and`: it counts only if the text has `&` or `+`.
    pub(super) only_ampersand: bool,
    /// The key lacks an ending that languages replace: it counts only with another ending.
    pub(super) stem: bool,
    /// The key is only the start of the name; the rest is compared word by word, in any grammatical case.
    pub(super) loose: bool,
}

impl Name {
    /// A name from the caller, without conditions.
    fn of(key: String, text: &str, proof: Proof) -> Self {
        Self {
            key,
            proof,
            text: text.to_owned(),
            given: true,
            known: true,
            excluded: false,
            only_accented: false,
            only_ampersand: false,
            stem: false,
            loose: false,
        }
    }

    /// Names another party that holds one of the target's names.
    pub(super) fn of_other(text: &str) -> Self {
        Self {
            excluded: true,
            ..Self::of(key(text).into(), text, Proof::Plain)
        }
    }

    /// The name and the spellings that texts may have for it.
    pub(super) fn variants(text: &str, key: String, proof: Proof, source: AliasSource) -> Vec<Self> {
        let of = |key: String| Self {
            given: source == AliasSource::Request,
            known: source != AliasSource::Domain,
            ..Self::of(key, text, proof)
        };
        let mut names = vec![of(key.clone())];
        if key.is_ascii() {
            let digraphs = [("ae", "a"), ("oe", "o"), ("ue", "u"), ("aa", "a")];
            let plain = digraphs
                .iter()
                .fold(key.clone(), |key, (two, one)| key.replace(two, one));
            // `ks` is a spelling of `x` where Cyrillic is written in Latin letters, and so on.
            let letters = [("x", "ks"), ("ay", "ai"), ("ey", "ei"), ("j", "y")];
            let spelled = digraphs
                .iter()
                .chain(&letters)
                .map(|(from, to)| key.replace(from, to))
                .chain([plain]);
            for other in spelled.collect::<Vec<_>>() {
                if other != key && other.len() >= 4 && names.iter().all(|name| name.key != other) {
                    names.push(Self {
                        only_accented: true,
                        ..of(other)
                    });
                }
            }
            for and in ["and", "und", "et", "og"] {
                let bare = key.replacen(and, "", 1);
                if bare.len() != key.len()
                    && bare.len() >= 4
                    && key
                        .find(and)
                        .is_some_and(|at| at >= 2 && at + and.len() + 2 <= key.len())
                {
                    names.push(Self {
                        only_ampersand: true,
                        ..of(bare)
                    });
                }
            }
            if text.contains('&') {
                for and in ["and", "und"] {
                    names.push(of(self::key(&text.replace('&', and)).into()));
                }
            }
        }
        // Slavic, Baltic and Finnish names drop their last vowel before an ending.
        let last = text.chars().next_back();
        let vowel = last.is_some_and(|c| "аяоеьйыиaoey".contains(c));
        if vowel && key.len() >= 6 {
            let mut stem = key.clone();
            // A soft sign leaves no trace in the key.
            if last != Some('ь') {
                stem.pop();
            }
            if last == Some('я') {
                stem.pop();
            }
            names.push(Self {
                stem: true,
                ..of(stem)
            });
        }
        // Every word of a name is inflected: `Kavárnu Mlýnskou`.
        let start: String = key.chars().take(inflected::START).collect();
        if key.chars().count() >= inflected::SHORTEST {
            names.push(Self {
                loose: true,
                ..of(start)
            });
        }
        names
    }
}
