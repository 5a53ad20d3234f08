//! Places in answers: countries, addresses, and the surroundings of the place that the question asks about.

use super::asides::are_joined;
use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::text::{plain, words};
use crate::read::words::{BrandMention, List, list};

/// Whether a text names a country, or a part of a place in the question: `Central Leeds`.
pub(super) fn is_place(page: &Page<'_>, text: &str) -> bool {
    let folded = plain(text);
    if COUNTRIES.has(&folded) || is_address(text) {
        return true;
    }
    let mut parts = words(text);
    let part = parts.next().unwrap_or_default();
    PARTS.has(&plain(part))
        && text
            .strip_prefix(part)
            .is_some_and(|rest| rest.starts_with(' ') && page.question.holds(rest))
}

/// Whether a name outside the heads of items is a place: exactly called like one near the place asked about,
/// no well-known brand, and not beside one in an enumeration.
pub(super) fn is_nearby(page: &Page<'_>, name: &Span) -> bool {
    if !page.question.is_near(page.text(name)) || page.has_brand(name) {
        return false;
    }
    let sentence = page.sentence(name.start);
    let brands = sentence.map_or(&[][..], |sentence| page.brands_in(&sentence.span));
    let beside = |brand: &BrandMention| {
        !brand.ordinary
            && (are_joined(page, brand.span.end, name.start) || are_joined(page, name.end, brand.span.start))
    };
    !brands.iter().any(beside)
}

/// Whether a text is the address of a house: `12 High Street`, `Hauptstraße 5`, `Via Roma 8`.
pub(super) fn is_address(text: &str) -> bool {
    static STREETS: List = list("places.streets");
    static BEFORE: List = list("places.streets-before");
    static ENDINGS: List = list("places.street-endings");
    let numbered = |word: &str| word.len() <= 5 && word.starts_with(|c: char| c.is_ascii_digit());
    let mut parts = words(text);
    let Some(first) = parts.next() else {
        return false;
    };
    let second = parts.next().unwrap_or_default();
    let last = parts.last().unwrap_or(second);
    let street = |word: &str| STREETS.has(&plain(word));
    let named = |word: &str| ENDINGS.iter().any(|ending| plain(word).ends_with(ending));
    numbered(first) && (street(last) || BEFORE.has(&plain(second)))
        || numbered(last)
            && (BEFORE.has(&plain(first)) || words(text).any(|word| named(word) || street(word)))
}

/// Words before a place's name, for a part of it.
static PARTS: List = list("places.parts");

/// Countries under their English and native names, folded.
/// Names that are also brands are left out.
static COUNTRIES: List = list("places.countries");

#[cfg(test)]
mod tests {
    use crate::read::{Answer, Target, read};

    #[test]
    fn countries_and_parts_of_the_asked_place_are_no_competitors() {
        let domain = "vintokka.example".parse().unwrap();
        let target = Target::new(&domain, &["Vintokka".parse().unwrap()]);
        let answer = "I recommend Zorbulan Works, though it stands in Central Leeds. \
                      Quelt Labs is a good choice for buyers from Germany, Denmark and Japan.";
        let reading = read(
            &target,
            &Answer {
                question: Some("Which workshop in South Leeds is good?"),
                ..Answer::of_text(answer)
            },
        );
        let names: Vec<&str> = reading
            .competitors
            .iter()
            .map(|competitor| competitor.name.as_str())
            .collect();
        assert_eq!(names, ["Zorbulan Works", "Quelt Labs"]);
    }
}
