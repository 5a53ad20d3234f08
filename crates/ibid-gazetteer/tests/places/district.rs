//! A known city with words that name no place.

use crate::refused::{AREAS, CITIES};
use ibid_gazetteer::{PlaceRefusal, resolve};

/// Every text is the town of this label, and the district stays.
fn check(texts: &[(&str, &str, Option<&str>)]) {
    for (text, label, district) in texts {
        let found = resolve(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(
            (found.place().label().as_str(), found.district()),
            (*label, *district),
            "{text}"
        );
    }
}

#[test]
fn the_city_is_taken_and_the_words_stay() {
    check(&[
        (
            "Shoreditch, London",
            "London, England, United Kingdom",
            Some("Shoreditch"),
        ),
        (
            "London, Elmwick",
            "London, England, United Kingdom",
            Some("Elmwick"),
        ),
        (
            "London Shoreditch",
            "London, England, United Kingdom",
            Some("Shoreditch"),
        ),
        (
            "Shoreditch London UK",
            "London, England, United Kingdom",
            Some("Shoreditch"),
        ),
        (
            "Shoreditch, London, UK",
            "London, England, United Kingdom",
            Some("Shoreditch"),
        ),
        (
            "Köln-Longerich",
            "Köln, North Rhine-Westphalia, Germany",
            Some("Longerich"),
        ),
        ("Aarhus C", "Århus, Central Jutland, Denmark", Some("C")),
        ("Vinohrady, Praha 2", "Prague, Czechia", Some("Vinohrady")),
        ("上海新天地", "Shanghai, China", Some("新天地")),
        ("Iulișca, București", "Bucharest, Romania", Some("Iulișca")),
        // Known sections, abbreviations and addresses are no unknown districts.
        ("București Sector 3", "Sector 3, Bucharest, Romania", None),
        ("Köln-Nippes", "Nippes, North Rhine-Westphalia, Germany", None),
        ("Frankfurt a.M.", "Frankfurt am Main, Hesse, Germany", None),
        (
            "10 Downing Street, London, UK",
            "London, England, United Kingdom",
            None,
        ),
        ("75011 Paris", "Paris, Île-de-France, France", None),
    ]);
}

#[test]
fn an_ordinal_is_a_district() {
    let paris = "Paris, Île-de-France, France";
    check(&[
        ("Paris 3ème", paris, Some("3ème")),
        ("75003 Paris 3e", paris, Some("3e")),
        ("Paris 3", paris, None),
        (
            "2e Kerkstraat 5, Amsterdam",
            "Amsterdam, North Holland, Netherlands",
            None,
        ),
    ]);
}

#[test]
fn a_postal_code_with_a_country_is_not_the_country() {
    for text in [
        "75008, France",
        "90210, USA",
        "10115 Germany",
        "SW1A 1AA, UK",
        "75008",
    ] {
        let refused = resolve(text).map_err(|error| error.refusal);
        assert_eq!(refused.err(), Some(PlaceRefusal::PostalCode), "{text}");
    }
    assert!(resolve("10115 Berlin, Germany").is_ok());
}

#[test]
fn a_typing_error_before_a_country_is_no_district_of_its_capital() {
    for (text, label) in [
        ("Guadalahara, Mexico", "Guadalajara, Jalisco, Mexico"),
        ("Kadıköy, İstanbul", "Istanbul, Turkey"),
    ] {
        assert_eq!(
            resolve(text).map(|found| found.place().label()).as_deref(),
            Ok(label),
            "{text}"
        );
    }
    assert!(resolve("Birmigham, Florida").is_err());
}

#[test]
fn a_city_with_a_namesake_of_a_third_of_its_size_needs_more() {
    for text in ["Quayside, Newcastle", "Centro, Valencia", "Poblenou Barcelona"] {
        let error = resolve(text).unwrap_err();
        assert_eq!(error.refusal, PlaceRefusal::Namesakes, "{text}");
        assert!(error.suggestions.len() > 1, "{text}: {error:?}");
    }
    check(&[("Centro, Valencia, Spain", "Valencia, Spain", Some("Centro"))]);
}

/// A name with one letter left out, written twice, or swapped with the next.
fn misspelt(name: &str) -> [String; 3] {
    let letters: Vec<char> = name.chars().collect();
    let at = letters.len() / 2;
    let mut left_out = letters.clone();
    left_out.remove(at);
    let mut twice = letters.clone();
    twice.insert(at, letters[at]);
    let mut swapped = letters;
    swapped.swap(at - 1, at);
    [left_out, twice, swapped].map(String::from_iter)
}

#[test]
fn a_misspelt_region_is_no_district() {
    let mut checked = 0;
    let mut wrong = Vec::new();
    for (index, area) in AREAS.iter().enumerate() {
        for (number, written) in misspelt(area).iter().enumerate() {
            let city = CITIES[(7 * index + number) % CITIES.len()];
            for text in [format!("{city}, {written}"), format!("{city} {written}")] {
                checked += 1;
                let Ok(found) = resolve(&text) else { continue };
                let place = found.place();
                // Some cities lie in the area that was meant, or have a namesake there.
                let there = place.country() == *area || place.admin() == Some(area);
                if !there && !found.ambiguous() {
                    wrong.push(format!("{text}: {} {:?}", place.label(), found.district()));
                }
            }
        }
    }
    assert!(
        checked >= 100 && wrong.is_empty(),
        "{} of {checked}: {}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn words_that_name_nothing_are_no_district() {
    for text in [
        "Ignore previous instructions, Paris",
        "Paris, forget what you were told",
        "and Paris",
        "15 minutes from Paris",
        "London or so",
        "Gotham City",
    ] {
        assert!(resolve(text).is_err(), "{text}: {:?}", resolve(text));
    }
    for text in [
        "Kensington and Chelsea, London",
        "Shoreditch, London",
        "Kansas City",
        "Salt Lake City",
    ] {
        assert!(resolve(text).is_ok(), "{text}");
    }
}

#[test]
fn a_county_is_no_town_overseas() {
    for (text, country, name) in [
        ("Kent", "GB", "Kent"),
        ("Goa", "IN", "Goa"),
        ("Var", "FR", "Var"),
        ("County Kerry", "IE", "Kerry"),
        ("Kings County, New York", "US", "Kings County"),
        ("Mittelfranken", "DE", "Mittelfranken"),
    ] {
        let found = resolve(text).unwrap();
        assert_eq!(found.place().country_code(), country, "{text}");
        assert_eq!(found.area_in("en").unwrap_or(found.spelling()), name, "{text}");
    }
    // A large city of the name is taken, but not in silence.
    for text in ["Surrey", "Norfolk"] {
        assert!(resolve(text).unwrap().ambiguous(), "{text}");
    }
}
