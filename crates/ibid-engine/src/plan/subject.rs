//! What a website sells, guessed from the words of its page. A person corrects the guess before it is asked about.

use super::kind::{Kind, fold};
use super::phrases::{self, Phrases};

/// Most words of a known trade or product.
const MOST_WORDS: usize = 5;
/// Most words in a part of a title that is taken for a keyword as it is.
const TITLE_WORDS: usize = 6;
/// Words before a general word such as "software" that belong to it.
const BEFORE: usize = 2;
/// Marks between the parts of a title. A hyphen counts between blanks only.
const MARKS: &[char] = &[
    '|', '–', '—', '·', '•', ':', ';', ',', '.', '!', '?', '»', '«', '(', ')', '/', '、', '。', '｜', '，',
];
/// Types of structured data that say nothing about a trade.
const GENERAL: [&str; 12] = [
    "article",
    "brand",
    "corporation",
    "local business",
    "online business",
    "online store",
    "organization",
    "person",
    "service",
    "store",
    "web page",
    "web site",
];

/// Words on a page that say what its owner sells.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageWords<'a> {
    /// Texts of the page, such as title and heading, those that say most first.
    pub texts: &'a [String],
    /// Schema.org types of the owner, such as `DentalClinic`.
    pub types: &'a [String],
    /// Names of the owner, which are no keywords.
    pub names: &'a [String],
    /// BCP 47 tag of the texts; `None` if unknown, which reads as English.
    pub language: Option<&'a str>,
}

/// What a website sells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LikelySubject {
    /// The product or service, as people would type it.
    pub keyword: String,
    /// What kind of thing it is, for example `trade` or `software`; `None` if it is no known word.
    pub kind: Option<&'static str>,
    /// Which language the keyword is in; `None` if the place decides.
    pub language: Option<&'static str>,
}

impl LikelySubject {
    /// Guesses from a page: the longest known trade or product in its texts, else in its types, else a part of its title.
    /// `None` if there is none of these.
    ///
    /// ```
    /// use ibid_engine::plan::{LikelySubject, PageWords};
    ///
    /// let texts = ["Zentora | Emergency plumbers in Leeds".to_owned()];
    /// let page = PageWords { texts: &texts, ..PageWords::default() };
    /// assert_eq!(LikelySubject::of(&page).unwrap().keyword, "plumber");
    /// ```
    #[must_use]
    pub fn of(page: &PageWords<'_>) -> Option<Self> {
        let spoken = page.language.and_then(phrases::of);
        let own = spoken.unwrap_or_else(phrases::english);
        let language = spoken.map(|phrases| phrases.tag);
        let names: Vec<String> = page.names.iter().map(|name| fold(name)).collect();
        let parts = || page.texts.iter().flat_map(|text| parts(text));
        let is_name = |part: &str| names.contains(&fold(part));
        let known = |phrases: &'static Phrases| {
            let found = parts()
                .filter(|part| !is_name(part))
                .filter_map(|part| longest(phrases, part));
            // Among equally long ones the first counts, because the title comes before the heading.
            found.reduce(|best, next| if next.words > best.words { next } else { best })
        };
        let found = known(own).or_else(|| known(phrases::english()));
        if let Some(Known { keyword, kind, .. }) = found {
            return Some(Self {
                keyword,
                kind: Some(kind.as_str()),
                language,
            });
        }
        let of_types = page.types.iter().map(|name| spaced(name));
        let mut of_types = of_types.filter(|name| !GENERAL.contains(&name.as_str()));
        if let Some((keyword, kind)) =
            of_types.find_map(|name| Some((name.clone(), *phrases::english().kinds.get(&name)?)))
        {
            return Some(Self {
                keyword,
                kind: Some(kind.as_str()),
                language: None,
            });
        }
        let title = page.texts.first()?;
        let part = self::parts(title).find(|part| {
            let words = part.split_whitespace().count();
            (2..=TITLE_WORDS).contains(&words) && !names.iter().any(|name| fold(part).contains(name.as_str()))
        })?;
        Some(Self {
            keyword: part.to_lowercase(),
            kind: None,
            language,
        })
    }
}

/// A known trade or product in a text.
struct Known {
    keyword: String,
    kind: Kind,
    words: usize,
}

/// Splits a title at the marks between its parts.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(MARKS)
        .flat_map(|part| part.split(" - "))
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

/// Finds a part's longest known phrase, and the first among equally long ones.
fn longest(phrases: &Phrases, part: &str) -> Option<Known> {
    // These languages write no blanks between words.
    if matches!(phrases.tag, "ja" | "zh" | "zh-Hant") {
        let letters: Vec<(usize, char)> = part.char_indices().collect();
        return (2..=letters.len().min(8)).rev().find_map(|length| {
            letters.windows(length).find_map(|window| {
                let (from, to) = (window.first()?.0, window.last()?);
                let text = part.get(from..to.0 + to.1.len_utf8())?;
                let kind = *phrases.kinds.get(&fold(text))?;
                Some(Known {
                    keyword: text.to_owned(),
                    kind,
                    words: 1,
                })
            })
        });
    }
    let words: Vec<&str> = part.split_whitespace().collect();
    (1..=words.len().min(MOST_WORDS)).rev().find_map(|length| {
        words.windows(length).enumerate().find_map(|(at, window)| {
            let text = fold(&window.join(" "));
            let single = one_of(phrases, &text);
            let known = std::iter::once(text.as_str()).chain(single.as_deref());
            let (text, kind) = known
                .rev()
                .find_map(|text| Some((text, *phrases.kinds.get(text)?)))?;
            // Accents are lost by folding, so the words of the page are kept where they are the known ones.
            let as_written = window.join(" ").to_lowercase();
            let keyword = if fold(&as_written) == text {
                as_written
            } else {
                text.to_owned()
            };
            let before = if length == 1 {
                before(phrases, kind, &words[..at])
            } else {
                String::new()
            };
            Some(Known {
                keyword: before + &keyword,
                kind,
                words: length,
            })
        })
    })
}

/// The text for a single thing, where English names several.
fn one_of(phrases: &Phrases, text: &str) -> Option<String> {
    let stem = text.strip_suffix('s').filter(|_| phrases.tag == "en")?;
    let known = |stem: &str| phrases.kinds.contains_key(stem).then(|| stem.to_owned());
    known(stem)
        .or_else(|| known(stem.strip_suffix('e')?))
        .or_else(|| known(&format!("{}y", stem.strip_suffix("ie")?)))
}

/// The words before a general word that say which one: "route planning" before "software".
fn before(phrases: &Phrases, kind: Kind, words: &[&str]) -> String {
    if !matches!(kind, Kind::Software | Kind::Money | Kind::Product) || phrases.marks.after_head.is_empty() {
        return String::new();
    }
    let marks = &phrases.marks;
    let is_own = |word: &&&str| {
        let folded = fold(word);
        let marked = [&marks.best, &marks.question, &marks.after_head]
            .iter()
            .any(|list| list.contains(&folded));
        folded.chars().count() > 3 && folded.chars().all(char::is_alphabetic) && !marked
    };
    let own = words.iter().rev().take_while(is_own).take(BEFORE).count();
    words[words.len() - own..]
        .iter()
        .map(|word| word.to_lowercase() + " ")
        .collect()
}

/// Writes a type as words, for example `DentalClinic` as "dental clinic".
fn spaced(name: &str) -> String {
    let mut words = String::new();
    let mut was_lower = false;
    for letter in name.chars() {
        if letter.is_uppercase() && was_lower {
            words.push(' ');
        }
        was_lower = letter.is_lowercase();
        words.extend(letter.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], types: &[&str], language: Option<&str>, expected: Option<(&str, Option<&str>)>) {
        let owned = |texts: &[&str]| -> Vec<String> { texts.iter().map(|text| (*text).to_owned()).collect() };
        let (texts, types, names) = (owned(texts), owned(types), owned(&["Zentora", "Zentora Ltd"]));
        let page = PageWords {
            texts: &texts,
            types: &types,
            names: &names,
            language,
        };
        let found = LikelySubject::of(&page);
        let found = found.as_ref().map(|found| (found.keyword.as_str(), found.kind));
        assert_eq!(found, expected, "{texts:?} {types:?}");
    }

    #[test]
    fn a_page_says_what_its_owner_sells() {
        let trade = Some("trade");
        check(
            &["Zentora | Emergency Plumbers in Leeds"],
            &[],
            None,
            Some(("plumber", trade)),
        );
        check(
            &["Home", "Your dentist in York"],
            &[],
            Some("en"),
            Some(("dentist", Some("person"))),
        );
        check(
            &["Zentora – Project management software for small teams"],
            &[],
            Some("en"),
            Some(("project management software", Some("software"))),
        );
        check(
            &["Zentora: the best route planning software"],
            &[],
            Some("en"),
            Some(("route planning software", Some("software"))),
        );
        check(
            &["Zahnarzt Dr. Meier - Leipzig"],
            &[],
            Some("de-DE"),
            Some(("zahnarzt", Some("person"))),
        );
        check(
            &["Panadería Zentora"],
            &[],
            Some("es"),
            Some(("panadería", Some("food"))),
        );
        check(
            &["ゼントラ｜渋谷の美容院"],
            &[],
            Some("ja"),
            Some(("美容院", Some("person"))),
        );
    }

    #[test]
    fn types_and_the_title_are_the_second_and_third_source() {
        check(
            &["Welcome"],
            &["LocalBusiness", "Plumber"],
            Some("en"),
            Some(("plumber", Some("trade"))),
        );
        check(
            &["Zentora | Modular quantum sensors"],
            &[],
            Some("en"),
            Some(("modular quantum sensors", None)),
        );
        check(&["Zentora", "Zentora Ltd"], &["Organization"], Some("en"), None);
        check(&[], &[], None, None);
    }
}
