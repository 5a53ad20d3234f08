//! The words of the questions, one table a language.
//!
//! Every template asks for several providers by name, orders no format,
//! and fits an asker who has never heard of the target.
//! How-to, shortlist and yes/no forms are left out: answers to them rarely name a provider.
//!
//! Keywords come in any form (singular, plural, mass noun, phrase).
//! So a template puts them where no article, number or case is needed, as in a search box.
//! English also has full sentences, for keywords whose form is known.
//!
//! In a template `{k}` is the keyword, `{a}` the keyword with its English article,
//! `{in}` the place with its preposition and `{m}` the place alone.
//! Without a place, `[...]` is dropped and `[a|b]` becomes `b`.
//! A template with `{a}` is followed by `~` and one without.

mod latin;
mod non_latin;

/// The intents, in the order of the questions: N questions cover N intents before any repeats.
pub(super) const INTENTS: [&str; 10] = [
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

/// The words of one language.
#[derive(Debug)]
pub(super) struct Phrases {
    /// BCP 47 tag: the primary language, except for Chinese in traditional characters.
    pub(super) tag: &'static str,
    /// One template for each intent.
    pub(super) templates: [&'static str; 10],
    /// Qualities that narrow a keyword. An earlier one goes around a later one.
    pub(super) qualities: [&'static str; 7],
}

/// Every language with questions. English is first, because it is the fallback.
pub(super) const LANGUAGES: [&Phrases; 17] = [
    &latin::EN,
    &latin::ES,
    &latin::DE,
    &latin::FR,
    &latin::PT,
    &latin::IT,
    &latin::NL,
    &non_latin::JA,
    &non_latin::AR,
    &non_latin::HI,
    &non_latin::KO,
    &latin::PL,
    &non_latin::RU,
    &latin::SV,
    &latin::TR,
    &non_latin::ZH,
    &non_latin::ZH_HANT,
];

/// The words for a language tag: those of the tag itself, otherwise of its primary language.
pub(super) fn of(tag: &str) -> Option<&'static Phrases> {
    let named = |tag: &str| LANGUAGES.into_iter().find(|phrases| phrases.tag == tag);
    named(tag).or_else(|| named(tag.split('-').next().unwrap_or(tag)))
}

impl Phrases {
    /// The `n`-th variant of a keyword, of [`Self::variants`]: unchanged, then with one, two and three qualities.
    pub(super) fn variant(&self, keyword: &str, n: usize) -> String {
        let chosen = combination(self.qualities.len(), n);
        let apply = |inner: String, index: &usize| {
            let (before, after) = self
                .qualities
                .get(*index)
                .and_then(|pattern| pattern.split_once("{k}"))
                .unwrap_or_default();
            let mut narrowed = before.to_owned();
            push_once(&mut narrowed, &inner);
            narrowed + after
        };
        chosen.iter().rev().fold(keyword.to_owned(), apply)
    }

    /// The number of qualities in the `n`-th way.
    pub(super) fn qualities_of(&self, n: usize) -> usize {
        combination(self.qualities.len(), n).len()
    }

    /// The number of different variants of a keyword: at most three of seven qualities.
    pub(super) const fn variants(&self) -> usize {
        let n = self.qualities.len();
        1 + n + n * (n - 1) / 2 + n * (n - 1) * (n - 2) / 6
    }
}

/// Appends a value, without its first word if the text ends in the same word:
/// "best" before "best pizza" is written once.
pub(super) fn push_once(text: &mut String, value: &str) {
    let last = text.trim_end().rsplit(' ').next().unwrap_or_default();
    let (first, rest) = value.split_once(' ').unwrap_or((value, ""));
    if text.ends_with(' ') && !rest.is_empty() && last.to_lowercase() == first.to_lowercase() {
        text.push_str(rest);
    } else {
        text.push_str(value);
    }
}

/// The `n`-th set of at most three of the first `of` numbers, smaller sets first.
fn combination(of: usize, n: usize) -> Vec<usize> {
    let pairs = (0..of).flat_map(|a| (a + 1..of).map(move |b| vec![a, b]));
    let triples =
        (0..of).flat_map(|a| (a + 1..of).flat_map(move |b| (b + 1..of).map(move |c| vec![a, b, c])));
    std::iter::once(Vec::new())
        .chain((0..of).map(|a| vec![a]))
        .chain(pairs)
        .chain(triples)
        .nth(n)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::{KeywordsPerRing, QueriesPerKeyword, QuestionsPerModel};
    use std::collections::HashSet;

    #[test]
    fn every_template_names_keyword_and_place() {
        for phrases in LANGUAGES {
            for template in phrases.templates {
                for form in template.split('~') {
                    let keyword = form.contains("{k}") || form.contains("{a}");
                    let place = form.contains("{in}") || form.contains("{m}");
                    assert!(keyword && place, "{form}");
                    assert_eq!(form.matches('[').count(), form.matches(']').count(), "{form}");
                }
            }
            for pattern in phrases.qualities {
                assert_eq!(pattern.matches("{k}").count(), 1, "{pattern}");
            }
        }
    }

    #[test]
    fn no_two_templates_or_variants_are_alike() {
        for phrases in LANGUAGES {
            let templates: HashSet<_> = phrases.templates.iter().collect();
            assert_eq!(templates.len(), 10, "{}", phrases.tag);
            let variants: HashSet<_> = (0..phrases.variants()).map(|n| phrases.variant("x", n)).collect();
            assert_eq!(variants.len(), phrases.variants(), "{}", phrases.tag);
        }
    }

    #[test]
    fn the_words_suffice_for_every_bound() {
        assert!(INTENTS.len() >= usize::from(QuestionsPerModel::RANGE.1));
        assert!(INTENTS.len() >= usize::from(QueriesPerKeyword::RANGE.1));
        assert!(
            LANGUAGES
                .iter()
                .all(|phrases| phrases.variants() >= usize::from(KeywordsPerRing::RANGE.1))
        );
    }
}
