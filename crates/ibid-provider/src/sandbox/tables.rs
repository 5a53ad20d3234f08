//! Phrases for answers and syllables for names, one table a language. `tables.toml` holds them.

use serde::Deserialize;
use std::sync::LazyLock;

/// What the invented world is made from.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tables {
    /// Names of companies without a home country.
    pub(super) everywhere: Names,
    /// The fallback.
    english: Words,
    others: Vec<Words>,
}

type Text = String;
/// Two forms of a text, or a text and its address.
type Pair = (String, String);

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    /// BCP 47 primary language.
    pub(super) tag: Text,
    /// Words that a question about websites contains, in lower case.
    pub(super) sites: Text,
    /// Openings of a list, with a place.
    pub(super) intro_placed: [Text; 3],
    /// Openings of a list, without one.
    pub(super) intro: [Text; 3],
    /// Why a business is good: predicates.
    pub(super) reasons: [Text; 10],
    /// The first business in prose.
    pub(super) first: [Text; 3],
    pub(super) next: [Text; 4],
    /// Several at once.
    pub(super) enumerate: [Text; 3],
    /// Between the parts of an enumeration, and before its last part.
    pub(super) joints: [Text; 2],
    /// Label of the best one.
    pub(super) best: Text,
    /// Labels of the others.
    pub(super) labels: [Text; 6],
    /// Heads of a table: name, why, website.
    pub(super) heads: [Text; 3],
    /// Names of directories.
    pub(super) compare: [Text; 2],
    /// Opens a list with criteria, which looks like one with businesses.
    pub(super) advice_head: Text,
    pub(super) advice: [Pair; 3],
    /// Closings.
    pub(super) outro: [Text; 3],
    /// Warnings against a business.
    pub(super) warnings: [Text; 3],
    pub(super) refusals: [Text; 2],
    /// Counter-questions.
    pub(super) questions: [Text; 2],
    /// End of a sentence in a list.
    pub(super) stop: Text,
    /// Directories: name, and address up to the start of a query.
    pub(super) directories: [Pair; 4],
    /// Media and forums: title and address.
    pub(super) media: [Pair; 4],
    /// What its businesses' names are made from.
    pub(super) names: Names,
}

/// Parts of business names in one language.
/// Each has a displayed form and a form for host names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    pub(super) heads: [Pair; 8],
    pub(super) tails: [Pair; 8],
    pub(super) frames: [Pair; 5],
    pub(super) ends: [Text; 3],
}

/// Read once. A test reads the file, so that the default is never used.
pub(super) static TABLES: LazyLock<Tables> =
    LazyLock::new(|| toml::from_str(include_str!("tables.toml")).unwrap_or_default());

impl Tables {
    /// Finds the words for a BCP 47 tag, or English.
    pub(super) fn words(&self, tag: &str) -> &Words {
        let primary = tag.split('-').next().unwrap_or(tag);
        let known = |words: &&Words| words.tag.eq_ignore_ascii_case(primary);
        self.others.iter().find(known).unwrap_or(&self.english)
    }

    #[cfg(test)]
    pub(super) fn languages(&self) -> impl Iterator<Item = &Words> {
        std::iter::once(&self.english).chain(&self.others)
    }
}

/// Fills a template in one pass, so that values with braces stay unchanged.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let value = values.iter().find(|(known, _)| *known == name);
        text.push_str(value.map_or("", |(_, value)| value));
        rest = after;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, holes: &[&str]) {
        let found: Vec<&str> = template
            .split('{')
            .skip(1)
            .map(|rest| rest.split('}').next().unwrap())
            .collect();
        for hole in holes {
            assert_eq!(
                found.iter().filter(|f| f == &hole).count(),
                1,
                "{template}: {hole}"
            );
        }
        assert_eq!(found.len(), holes.len(), "{template}");
    }

    #[test]
    fn every_template_has_the_holes_it_needs() {
        let tables: Tables = toml::from_str(include_str!("tables.toml")).unwrap();
        assert_eq!(tables.languages().count(), 8);
        for words in tables.languages() {
            words.intro_placed.iter().for_each(|t| check(t, &["k", "m"]));
            words.intro.iter().for_each(|t| check(t, &["k"]));
            words
                .first
                .iter()
                .chain(&words.next)
                .for_each(|t| check(t, &["n", "r"]));
            words.enumerate.iter().for_each(|t| check(t, &["l"]));
            words.compare.iter().for_each(|t| check(t, &["l"]));
            words.warnings.iter().for_each(|t| check(t, &["n"]));
            words.refusals.iter().for_each(|t| check(t, &[]));
            words.questions.iter().for_each(|t| check(t, &["k"]));
            words.reasons.iter().for_each(|t| check(t, &[]));
            let addresses = words.directories.iter().chain(&words.media);
            addresses.for_each(|(_, url)| assert!(url.starts_with("https://")));
            let frames = words.names.frames.iter().chain(&tables.everywhere.frames);
            frames.for_each(|(shown, label)| [shown, label].map(|t| check(t, &["s"])).into_iter().collect());
        }
    }

    #[test]
    fn a_tag_finds_its_words() {
        for (tag, expected) in [("pt-BR", "pt"), ("JA", "ja"), ("tlh", "en"), ("", "en")] {
            assert_eq!(TABLES.words(tag).tag, expected);
        }
    }

    #[test]
    fn filling_is_one_pass() {
        assert_eq!(fill("a {k} b {m}", &[("k", "{m}"), ("m", "x")]), "a {m} b x");
        assert_eq!(fill("{unknown", &[]), "");
    }
}
