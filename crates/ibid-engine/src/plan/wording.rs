//! The wording of one question: a template, a keyword and a place.

use super::phrases::{Phrases, push_once};
use super::spoken::SpokenPlace;

/// Fills a template.
///
/// A keyword that already names the place, or ends in "near me", does not get the place twice.
pub(super) fn question(
    phrases: &Phrases,
    template: &str,
    keyword: &str,
    place: Option<&SpokenPlace>,
) -> String {
    let keyword = match place {
        Some(_) => without_near_me(keyword),
        None => keyword,
    };
    let named = place.is_some_and(|place| names_place(keyword, &place.name));
    let place = place.filter(|_| !named);
    let (sentence, neutral) = template.split_once('~').unwrap_or((template, template));
    let article = english_article(phrases, keyword).filter(|_| !named);
    let chosen = if article.is_some() { sentence } else { neutral };
    let slots = SlotValues {
        keyword,
        article: article.as_deref().unwrap_or(keyword),
        place,
    };
    slots.fill(chosen)
}

/// The values of the slots of a template.
struct SlotValues<'a> {
    keyword: &'a str,
    article: &'a str,
    place: Option<&'a SpokenPlace>,
}

impl SlotValues<'_> {
    fn fill(&self, template: &str) -> String {
        let mut text = String::with_capacity(template.len() + self.keyword.len() + 40);
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('[') {
            self.put(&mut text, before);
            let (inner, after) = after.split_once(']').unwrap_or((after, ""));
            let (placed, placeless) = inner.split_once('|').unwrap_or((inner, ""));
            self.put(&mut text, if self.place.is_some() { placed } else { placeless });
            rest = after;
        }
        self.put(&mut text, rest);
        text
    }

    /// Adds a piece of a template.
    /// The slots are read once, so a keyword that contains `{m}` stays unchanged.
    fn put(&self, text: &mut String, piece: &str) {
        let mut rest = piece;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let (slot, after) = after.split_once('}').unwrap_or((after, ""));
            let value = match (slot, self.place) {
                ("k", _) => self.keyword,
                ("a", _) => self.article,
                ("in", Some(place)) => place.phrase.as_str(),
                ("m", Some(place)) => place.name.as_str(),
                (_, _) => "",
            };
            push_once(text, value);
            rest = after;
        }
        text.push_str(rest);
    }
}

/// Returns whether a keyword contains the name of the place as whole words.
fn names_place(keyword: &str, place: &str) -> bool {
    let (keyword, place) = (keyword.to_lowercase(), place.to_lowercase());
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    keyword.match_indices(&place).any(|(at, name)| {
        let before = keyword.get(..at).and_then(|text| text.chars().next_back());
        let after = keyword
            .get(at + name.len()..)
            .and_then(|text| text.chars().next());
        !place.is_ascii() || (apart(before) && apart(after))
    })
}

/// Endings of keywords that mean "near me".
const NEAR_ME: [&str; 15] = [
    " near me",
    " nearby",
    " cerca de mí",
    " cerca de mi",
    " in der nähe",
    " in meiner nähe",
    " près de chez moi",
    " autour de moi",
    " perto de mim",
    " vicino a me",
    " in de buurt",
    " w pobliżu",
    " рядом со мной",
    " nära mig",
    " yakınımda",
];

/// The keyword without an ending that means "near me".
fn without_near_me(keyword: &str) -> &str {
    let lower = keyword.to_lowercase();
    NEAR_ME
        .iter()
        .filter(|ending| lower.len() == keyword.len() && lower.ends_with(**ending))
        .find_map(|ending| keyword.get(..keyword.len() - ending.len()))
        .unwrap_or(keyword)
}

/// The keyword with the article that an English sentence needs; `None` if its form is not known.
fn english_article(phrases: &Phrases, keyword: &str) -> Option<String> {
    if phrases.tag != "en" {
        return None;
    }
    let lower = keyword.to_lowercase();
    let mut words: Vec<&str> = lower.split(' ').collect();
    // "crm for small teams": the words before the preposition decide.
    if let Some(at) = words
        .iter()
        .position(|word| matches!(*word, "for" | "in" | "with" | "of" | "near" | "to" | "without"))
    {
        words.truncate(at);
    }
    let (last, first) = (words.last()?, words.first()?);
    let superlative = matches!(
        *first,
        "best" | "top" | "cheapest" | "nearest" | "the" | "a" | "an" | "my"
    );
    if superlative || !lower.is_ascii() || words.iter().any(|word| QUESTION_WORDS.contains(word)) {
        return None;
    }
    let plural = last.len() > 3
        && last.ends_with('s')
        && !["ss", "us", "is", "news", "gas", "glasses"]
            .iter()
            .any(|end| last.ends_with(end));
    if plural || MASS.contains(last) {
        return Some(keyword.to_owned());
    }
    let single = SINGLE.contains(last)
        || (last.len() > 4
            && AGENTS.iter().any(|end| last.ends_with(end))
            && ![
                "beer", "water", "paper", "leather", "timber", "copper", "silver", "butter", "summer",
                "winter",
            ]
            .contains(last));
    single.then(|| {
        let vowel = first.starts_with(['a', 'e', 'i', 'o', 'u'])
            && !["uni", "use", "usa", "uk", "eu", "one"]
                .iter()
                .any(|start| first.starts_with(start));
        format!("{} {keyword}", if vowel { "an" } else { "a" })
    })
}

const QUESTION_WORDS: [&str; 9] = ["how", "what", "where", "who", "which", "when", "why", "and", "or"];

/// Endings of nouns for persons.
const AGENTS: [&str; 9] = [
    "er", "ist", "ian", "eer", "yer", "actor", "ector", "ctor", "itect",
];

/// Nouns without article.
const MASS: [&str; 36] = [
    "insurance",
    "software",
    "marketing",
    "accounting",
    "advice",
    "help",
    "repair",
    "cleaning",
    "removal",
    "delivery",
    "training",
    "therapy",
    "photography",
    "design",
    "coffee",
    "pizza",
    "furniture",
    "clothing",
    "jewelry",
    "jewellery",
    "catering",
    "hosting",
    "storage",
    "printing",
    "coaching",
    "consulting",
    "financing",
    "electricity",
    "internet",
    "sushi",
    "food",
    "equipment",
    "parking",
    "tutoring",
    "landscaping",
    "roofing",
];

/// Nouns that take an article.
const SINGLE: [&str; 44] = [
    "hotel",
    "restaurant",
    "agency",
    "shop",
    "store",
    "clinic",
    "salon",
    "gym",
    "bank",
    "school",
    "company",
    "firm",
    "bar",
    "cafe",
    "bakery",
    "pharmacy",
    "garage",
    "spa",
    "museum",
    "studio",
    "service",
    "vet",
    "solicitor",
    "architect",
    "accountant",
    "consultant",
    "crm",
    "app",
    "tool",
    "platform",
    "supplier",
    "florist",
    "contractor",
    "doctor",
    "tutor",
    "chiropractor",
    "attorney",
    "mechanic",
    "nursery",
    "hospital",
    "university",
    "kindergarten",
    "laundry",
    "specialist",
];

#[cfg(test)]
mod tests {
    use super::super::phrases;
    use super::*;

    fn spoken() -> SpokenPlace {
        SpokenPlace {
            name: "Leeds".to_owned(),
            phrase: "in Leeds".to_owned(),
        }
    }

    fn check(keyword: &str, intent: usize, placed: &str, placeless: &str) {
        let english = phrases::of("en").unwrap();
        let template = english.templates[intent];
        assert_eq!(question(english, template, keyword, Some(&spoken())), placed);
        assert_eq!(question(english, template, keyword, None), placeless);
    }

    #[test]
    fn english_takes_an_article_where_the_form_is_known() {
        check(
            "plumber",
            4,
            "I need a plumber in Leeds. Who should I contact?",
            "I need a plumber. Who should I contact?",
        );
        check(
            "estate agents",
            4,
            "I need estate agents in Leeds. Who should I contact?",
            "I need estate agents. Who should I contact?",
        );
        check(
            "accountant for small firms",
            4,
            "I need an accountant for small firms in Leeds. Who should I contact?",
            "I need an accountant for small firms. Who should I contact?",
        );
        check(
            "kombucha",
            4,
            "I need help with this in Leeds: kombucha. Who should I contact?",
            "I need help with this: kombucha. Who should I contact?",
        );
    }

    #[test]
    fn a_place_in_the_keyword_is_not_repeated() {
        let english = phrases::of("en").unwrap();
        assert_eq!(
            question(english, english.templates[7], "plumber leeds", Some(&spoken())),
            "Which places would you suggest for this search: plumber leeds?"
        );
        check(
            "plumber near me",
            1,
            "plumber in Leeds, best first: who makes the list?",
            "plumber near me, best first: who makes the list?",
        );
        assert_eq!(english.variant("best pizza", 1), "best pizza");
    }
}
