//! The words of the questions, one table a language.
//!
//! `{k}` is the keyword phrase, `{m}` the place. Every template asks for several providers by name, orders no
//! format, and could be asked by somebody who has never heard of the target. How-to, shortlist and yes/no forms
//! are left out: answers to them rarely name a provider.

mod de;
mod en;
mod es;
mod fr;
mod it;
mod ja;
mod nl;
mod pt;

/// The intents, in the order they are asked: N questions cover N intents before any repeats.
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
pub(super) struct Phrases {
    /// BCP 47 primary language.
    pub(super) tag: &'static str,
    /// One template an intent that names a place.
    pub(super) placed: [&'static str; 10],
    /// One template an intent without a place.
    pub(super) placeless: [&'static str; 10],
    /// Ways to narrow a keyword by quality.
    pub(super) qualities: [&'static str; 9],
    /// Ways to narrow a keyword by who asks.
    pub(super) segments: [&'static str; 6],
}

/// Every language there are questions in; English first, because it is the fallback.
pub(super) const LANGUAGES: [&Phrases; 8] = [
    &en::EN,
    &es::ES,
    &de::DE,
    &fr::FR,
    &pt::PT,
    &it::IT,
    &nl::NL,
    &ja::JA,
];

/// The words of a language, if there are any.
pub(super) fn of(primary: &str) -> Option<&'static Phrases> {
    LANGUAGES.into_iter().find(|phrases| phrases.tag == primary)
}

impl Phrases {
    /// The `n`-th way to say a keyword, of [`Self::variants`]: as it is, by quality, by segment, by both.
    pub(super) fn variant(&self, keyword: &str, n: usize) -> String {
        let (qualities, segments) = (self.qualities.len(), self.segments.len());
        let pattern = |table: &[&str], index: usize, inner: &str| {
            table
                .get(index)
                .map_or_else(|| inner.to_owned(), |pattern| pattern.replace("{k}", inner))
        };
        match n {
            0 => keyword.to_owned(),
            n if n <= qualities => pattern(&self.qualities, n - 1, keyword),
            n if n <= qualities + segments => pattern(&self.segments, n - 1 - qualities, keyword),
            n => {
                let both = n - 1 - qualities - segments;
                let narrowed = pattern(&self.qualities, both % qualities, keyword);
                pattern(&self.segments, both / qualities % segments, &narrowed)
            }
        }
    }

    /// How many different ways there are to say a keyword.
    pub(super) const fn variants(&self) -> usize {
        1 + self.qualities.len() + self.segments.len() + self.qualities.len() * self.segments.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::{KeywordsPerRing, QueriesPerKeyword, QuestionsPerModel};
    use std::collections::HashSet;

    #[test]
    fn every_template_names_keyword_and_place() {
        for phrases in LANGUAGES {
            for template in phrases.placed {
                assert_eq!(template.matches("{k}").count(), 1, "{template}");
                assert_eq!(template.matches("{m}").count(), 1, "{template}");
            }
            for template in phrases.placeless {
                assert_eq!(template.matches("{k}").count(), 1, "{template}");
                assert!(!template.contains("{m}"), "{template}");
            }
            for pattern in phrases.qualities.iter().chain(&phrases.segments) {
                assert_eq!(pattern.matches("{k}").count(), 1, "{pattern}");
            }
        }
    }

    #[test]
    fn no_two_templates_or_variants_are_alike() {
        for phrases in LANGUAGES {
            let templates: HashSet<_> = phrases.placed.iter().chain(&phrases.placeless).collect();
            assert_eq!(templates.len(), 20, "{}", phrases.tag);
            let variants: HashSet<_> = (0..phrases.variants()).map(|n| phrases.variant("x", n)).collect();
            assert_eq!(variants.len(), phrases.variants(), "{}", phrases.tag);
        }
    }

    #[test]
    fn there_are_words_for_every_bound() {
        assert!(INTENTS.len() >= usize::from(QuestionsPerModel::MAX));
        assert!(INTENTS.len() >= usize::from(QueriesPerKeyword::MAX));
        assert!(
            LANGUAGES
                .iter()
                .all(|phrases| phrases.variants() >= usize::from(KeywordsPerRing::MAX))
        );
    }
}
