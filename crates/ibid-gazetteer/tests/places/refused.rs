//! A known city with a country or region in which the data has no place of that name.

use ibid_gazetteer::{PlaceRefusal, resolve};
use ibid_model::result::PlaceMatch;

/// Cities that people know, by the names they type.
pub(crate) const CITIES: [&str; 50] = [
    "Houston",
    "Zurich",
    "Leeds",
    "Lyon",
    "Porto",
    "Munich",
    "Osaka",
    "Seoul",
    "Nairobi",
    "Chicago",
    "Warsaw",
    "Kraków",
    "Gothenburg",
    "Helsinki",
    "Marseille",
    "Toulouse",
    "Hamburg",
    "Stuttgart",
    "Milan",
    "Naples",
    "Bologna",
    "Sevilla",
    "Zaragoza",
    "Lisbon",
    "Rotterdam",
    "Antwerp",
    "Prague",
    "Budapest",
    "Bucharest",
    "Istanbul",
    "Ankara",
    "Mumbai",
    "Bengaluru",
    "Shanghai",
    "Shenzhen",
    "Bangkok",
    "Jakarta",
    "Brisbane",
    "Auckland",
    "Johannesburg",
    "Lagos",
    "Cairo",
    "Casablanca",
    "Montréal",
    "Calgary",
    "Philadelphia",
    "Seattle",
    "Guadalajara",
    "Bogotá",
    "Curitiba",
];

/// Countries and regions.
pub(crate) const AREAS: [&str; 40] = [
    "Spain",
    "Germany",
    "France",
    "Italy",
    "Poland",
    "Japan",
    "Kenya",
    "Norway",
    "Greece",
    "Vietnam",
    "Mongolia",
    "Iceland",
    "Finland",
    "Nepal",
    "Egypt",
    "Jordan",
    "Thailand",
    "Bavaria",
    "Catalonia",
    "Tuscany",
    "Florida",
    "Texas",
    "Nevada",
    "Ontario",
    "Hokkaido",
    "Queensland",
    "Kerala",
    "Normandy",
    "Saxony",
    "Andalusia",
    "Sicily",
    "Lombardy",
    "Oregon",
    "Alaska",
    "Scotland",
    "Wales",
    "Sweden",
    "Portugal",
    "Morocco",
    "South Korea",
];

#[test]
fn a_city_that_is_not_there_is_refused_with_suggestions() {
    let mut checked = 0;
    let mut wrong = Vec::new();
    for city in CITIES {
        let known = resolve(city).unwrap_or_else(|error| panic!("{city}: {error:?}"));
        for area in AREAS {
            // Pairs that exist are no part of the test: the place lies in the area and has the name.
            let text = format!("{city}, {area}");
            match resolve(&text) {
                Ok(found) => {
                    let place = found.place();
                    let there = (place.country() == area || place.admin() == Some(area))
                        && found.matched() != PlaceMatch::Corrected;
                    if !there {
                        wrong.push(format!("{text}: {}", found.place().label()));
                    }
                }
                Err(error) => {
                    checked += 1;
                    let labels: Vec<String> = error.suggestions.iter().map(|place| place.label()).collect();
                    if error.refusal != PlaceRefusal::Elsewhere || !labels.contains(&known.place().label()) {
                        wrong.push(format!("{text}: {:?} {labels:?}", error.refusal));
                    }
                }
            }
        }
    }
    println!("{checked} refused, {} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked >= 1_000, "{checked}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
