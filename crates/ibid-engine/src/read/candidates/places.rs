//! Countries, and parts of the place that the question asks about.

use crate::read::page::Page;
use crate::read::text::{plain, words};

/// Whether a text is the name of a country, or of a part of a place in the question: `Central Leeds`.
pub(super) fn is_place(page: &Page<'_>, text: &str) -> bool {
    let folded = plain(text);
    if COUNTRIES.contains(&&*folded) {
        return true;
    }
    let mut parts = words(text);
    let part = parts.next().unwrap_or_default();
    PARTS.contains(&&*plain(part))
        && text
            .strip_prefix(part)
            .is_some_and(|rest| rest.starts_with(' ') && page.question.holds(rest))
}

/// Words before the name of a place, for a part of it.
const PARTS: [&str; 14] = [
    "central", "north", "south", "east", "west", "northern", "southern", "eastern", "western", "greater",
    "downtown", "inner", "metro", "upper",
];

/// Countries under their English and native names, folded.
/// Names that are also brands are left out.
const COUNTRIES: [&str; 62] = [
    "usa",
    "united states",
    "united kingdom",
    "uk",
    "ireland",
    "canada",
    "australia",
    "new zealand",
    "germany",
    "deutschland",
    "austria",
    "osterreich",
    "switzerland",
    "schweiz",
    "suisse",
    "france",
    "spain",
    "espana",
    "portugal",
    "italy",
    "italia",
    "netherlands",
    "nederland",
    "belgium",
    "belgie",
    "belgique",
    "denmark",
    "danmark",
    "sweden",
    "sverige",
    "norway",
    "norge",
    "finland",
    "suomi",
    "iceland",
    "poland",
    "polska",
    "czechia",
    "cesko",
    "slovakia",
    "hungary",
    "romania",
    "greece",
    "turkey",
    "turkiye",
    "ukraine",
    "india",
    "china",
    "japan",
    "south korea",
    "indonesia",
    "vietnam",
    "thailand",
    "malaysia",
    "singapore",
    "brazil",
    "brasil",
    "mexico",
    "argentina",
    "chile",
    "south africa",
    "europe",
];

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
