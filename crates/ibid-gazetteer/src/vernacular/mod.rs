//! Areas without an administration that people name: "Provence", "Silicon Valley", "Asia", "Heathrow".

use crate::fold::fold;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// What a vernacular name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vernacular {
    /// A region, around the town that this text names.
    Region(&'static str),
    /// An airport, which means the city that this text names.
    Airport(&'static str),
    /// Several countries, by code, separated by commas.
    Area(&'static str),
}

static NAMES: LazyLock<HashMap<String, Vernacular>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    for (kind, spellings, anchor) in lines() {
        let meant = match kind {
            "airport" => Vernacular::Airport(anchor),
            "area" => Vernacular::Area(anchor),
            "region" => Vernacular::Region(anchor),
            _ => continue,
        };
        names.extend(
            spellings
                .split('|')
                .map(|name| (without_article(&fold(name)).to_owned(), meant)),
        );
    }
    names
});

/// Looks a folded name up.
pub(crate) fn lookup(key: &str) -> Option<Vernacular> {
    let key = without_article(key);
    let shorter = || NAMES.get(key.strip_suffix(" region")?);
    NAMES.get(key).or_else(shorter).copied()
}

/// Returns the name that the table lists first for what a folded name means.
pub(crate) fn canonical(key: &str) -> Option<&'static str> {
    let meant = lookup(key)?;
    let (_, spellings, _) = lines().find(|(_, spellings, _)| {
        let mut names = spellings.split('|');
        names.any(|name| lookup(&fold(name)) == Some(meant))
    })?;
    spellings.split('|').next()
}

fn without_article(key: &str) -> &str {
    key.strip_prefix("the ").unwrap_or(key)
}

/// Reads the table: kind, names, anchor.
fn lines() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    include_str!("names.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut fields = line.split('\t');
            Some((fields.next()?, fields.next()?, fields.next()?))
        })
}

/// Collects a kind's words, folded.
fn words(kind: &'static str) -> HashSet<String> {
    lines()
        .filter(|(of, ..)| *of == kind)
        .flat_map(|(_, words, _)| words.split('|').map(fold))
        .collect()
}

static NO_PLACE: LazyLock<HashSet<String>> = LazyLock::new(|| words("nowhere"));

/// Returns whether a folded text is a word that names no place.
pub(crate) fn is_no_place(key: &str) -> bool {
    NO_PLACE.contains(key)
}

/// Whether folded words next to a city may name a part of it: no distance, no order to a model, no second place.
pub(crate) fn may_be_name(key: &str) -> bool {
    static NEVER: LazyLock<HashSet<String>> = LazyLock::new(|| words("never"));
    static JOINS: LazyLock<HashSet<String>> = LazyLock::new(|| words("joins"));
    let words: Vec<&str> = key.split(' ').collect();
    let joins = |word: Option<&&str>| word.is_some_and(|word| JOINS.contains(*word));
    words.len() <= 5
        && !joins(words.first())
        && !joins(words.last())
        && !words.iter().any(|word| NEVER.contains(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;
    use ibid_model::result::RadiusScope;

    #[test]
    fn every_anchor_is_a_town_that_the_data_knows() {
        for (kind, names, anchor) in lines().filter(|(.., anchor)| !anchor.is_empty()) {
            if kind == "area" {
                assert!(anchor.split(',').all(|code| code.len() == 2), "{names}");
                continue;
            }
            let found = resolve(anchor).unwrap_or_else(|error| panic!("{names}: {anchor}: {error:?}"));
            assert_eq!(found.scope(), RadiusScope::City, "{names}: {anchor}");
        }
    }

    #[test]
    fn every_name_resolves() {
        for (_, names, _) in lines().filter(|(.., anchor)| !anchor.is_empty()) {
            for name in names.split('|') {
                assert!(resolve(name).is_ok(), "{name}");
            }
        }
    }
}
