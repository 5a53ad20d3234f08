//! Countries, and parts of the place that the question asks about.

use crate::read::page::Page;
use crate::read::text::{plain, words};
use crate::read::words::{List, list};

/// Whether a text is the name of a country, or of a part of a place in the question: `Central Leeds`.
pub(super) fn is_place(page: &Page<'_>, text: &str) -> bool {
    let folded = plain(text);
    if COUNTRIES.has(&folded) {
        return true;
    }
    let mut parts = words(text);
    let part = parts.next().unwrap_or_default();
    PARTS.has(&plain(part))
        && text
            .strip_prefix(part)
            .is_some_and(|rest| rest.starts_with(' ') && page.question.holds(rest))
}

/// Words before the name of a place, for a part of it.
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
