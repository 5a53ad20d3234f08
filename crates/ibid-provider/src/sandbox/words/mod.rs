//! Phrases of answers, one table a language.
//!
//! `{k}` is the keyword, `{m}` the place, `{n}` a name, `{r}` a reason (a predicate whose subject is the name),
//! `{l}` an enumeration.

mod de;
mod en;
mod es;
mod fr;
mod it;
mod ja;
mod nl;
mod pt;

/// The words of one language.
pub(super) struct Words {
    /// BCP 47 primary language.
    pub(super) tag: &'static str,
    /// Words that a question about websites contains, in lower case.
    pub(super) sites: &'static str,
    /// Openings of a list, with a place.
    pub(super) intro_placed: [&'static str; 3],
    /// Openings of a list, without one.
    pub(super) intro: [&'static str; 3],
    /// Why a business is good: predicates.
    pub(super) reasons: [&'static str; 10],
    /// The first business in prose.
    pub(super) first: [&'static str; 3],
    /// The further ones.
    pub(super) next: [&'static str; 4],
    /// Several at once.
    pub(super) enumerate: [&'static str; 3],
    /// Between the parts of an enumeration, and before its last part.
    pub(super) joints: [&'static str; 2],
    /// Label of the best one.
    pub(super) best: &'static str,
    /// Labels of the others.
    pub(super) labels: [&'static str; 6],
    /// Heads of a table: name, why, website.
    pub(super) heads: [&'static str; 3],
    /// Names of directories.
    pub(super) compare: [&'static str; 2],
    /// Head and items of a list of criteria.
    /// It looks like a list of businesses.
    pub(super) advice: (&'static str, [(&'static str, &'static str); 3]),
    /// Closings.
    pub(super) outro: [&'static str; 3],
    /// Warnings against a business.
    pub(super) warnings: [&'static str; 3],
    /// Refusals.
    pub(super) refusals: [&'static str; 2],
    /// Counter-questions.
    pub(super) questions: [&'static str; 2],
    /// End of a sentence in a list.
    pub(super) stop: &'static str,
    /// Directories: name, and address up to where a query fits.
    pub(super) directories: [(&'static str, &'static str); 4],
    /// Media and forums: title and address.
    pub(super) media: [(&'static str, &'static str); 4],
}

/// The languages of answers.
/// English is first, because it is the fallback.
pub(super) const LANGUAGES: [&Words; 8] = [
    &en::EN,
    &es::ES,
    &de::DE,
    &fr::FR,
    &pt::PT,
    &it::IT,
    &nl::NL,
    &ja::JA,
];

/// The words of a BCP 47 tag, or English.
pub(super) fn of(tag: &str) -> &'static Words {
    let primary = tag.split('-').next().unwrap_or(tag);
    LANGUAGES
        .into_iter()
        .find(|words| words.tag.eq_ignore_ascii_case(primary))
        .unwrap_or(LANGUAGES[0])
}

/// Fills a template in one pass, so values with braces stay unchanged.
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
        for words in LANGUAGES {
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
            words
                .directories
                .iter()
                .for_each(|(_, url)| assert!(url.starts_with("https://")));
        }
    }

    #[test]
    fn a_tag_finds_its_words() {
        for (tag, expected) in [("pt-BR", "pt"), ("JA", "ja"), ("tlh", "en"), ("", "en")] {
            assert_eq!(of(tag).tag, expected);
        }
    }

    #[test]
    fn filling_is_one_pass() {
        assert_eq!(fill("a {k} b {m}", &[("k", "{m}"), ("m", "x")]), "a {m} b x");
        assert_eq!(fill("{unknown", &[]), "");
    }
}
