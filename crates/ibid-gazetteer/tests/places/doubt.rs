//! The reading of a text that could be several places, is misspelt, or is no place at all.

use crate::{check_all, check_unknown};
use ibid_gazetteer::{KnownPlace, resolve};
use ibid_model::result::{PlaceMatch, RadiusScope};

#[test]
fn prominence() {
    check_all(&[
        ("Valencia", "Valencia, Spain"),
        ("Paris", "Paris, Île-de-France, France"),
        ("London", "London, England, United Kingdom"),
        ("Victoria", "Victoria, British Columbia, Canada"),
        ("Granada", "Granada, Andalusia, Spain"),
        ("Boston", "Boston, Massachusetts, United States"),
        ("Birmingham", "Birmingham, England, United Kingdom"),
        ("Cambridge", "Cambridge, England, United Kingdom"),
        ("San Francisco", "San Francisco, California, United States"),
        ("Santiago de Compostela", "Santiago de Compostela, Galicia, Spain"),
        ("Moscow", "Moscow, Russia"),
        ("Geneva", "Geneva, Switzerland"),
        ("Odessa", "Odesa, Ukraine"),
        ("Cancun", "Cancún, Quintana Roo, Mexico"),
        ("Córdoba", "Córdoba, Cordoba, Argentina"),
        ("Genova", "Genoa, Liguria, Italy"),
        ("Kansas City", "Kansas City, Missouri, United States"),
        ("Frankfurt", "Frankfurt am Main, Hesse, Germany"),
        ("Hamburg", "Hamburg, Germany"),
        ("Alexandria", "Alexandria, Egypt"),
        ("Athens", "Athens, Attica, Greece"),
        ("Singapore", "Singapore"),
        ("Monaco", "Monaco, Municipality of Monaco"),
        ("Hong Kong", "Hong Kong"),
        ("Gibraltar", "Gibraltar"),
        ("Washington", "Washington, District of Columbia, United States"),
        ("New York", "New York City, New York, United States"),
        ("Salvador", "Salvador, Bahia, Brazil"),
        ("Mexico City", "Mexico City, Mexico"),
        ("Bali", "Denpasar, Bali, Indonesia"),
    ]);
}

#[test]
fn ambiguity_is_reported() {
    let valencia = resolve("Valencia").unwrap();
    assert!(valencia.ambiguous());
    let alternatives: Vec<String> = valencia.alternatives().iter().map(KnownPlace::label).collect();
    assert_eq!(
        alternatives.first().map(String::as_str),
        Some("Valencia, Carabobo, Venezuela")
    );
    assert!(alternatives.len() <= 4);

    // Other towns of the name exist, but none is prominent enough to be meant.
    let paris = resolve("Paris").unwrap();
    assert!(!paris.ambiguous() && !paris.alternatives().is_empty());
    // The country settles it.
    let spain = resolve("Valencia, Spain").unwrap();
    assert!(!spain.ambiguous() && spain.alternatives().is_empty());

    let georgia = resolve("Georgia").unwrap();
    assert!(georgia.ambiguous());
    assert_eq!(
        georgia
            .alternatives()
            .first()
            .map(|place| place.label())
            .as_deref(),
        Some("Atlanta, Georgia, United States")
    );
    assert!(resolve("Springfield").unwrap().ambiguous());
    assert!(
        resolve("CA")
            .unwrap()
            .alternatives()
            .iter()
            .any(|place| place.label() == "Canada")
    );
}

#[test]
fn typing_errors_are_corrected_where_only_one_place_fits() {
    for (text, label) in [
        ("Barcelnoa, Spain", "Barcelona, Catalonia, Spain"),
        ("Barclona", "Barcelona, Catalonia, Spain"),
        ("Barclona Spain", "Barcelona, Catalonia, Spain"),
        ("Barcelona, Spian", "Barcelona, Catalonia, Spain"),
        ("Munihc, Germany", "Munich, Bavaria, Germany"),
        ("Springfeild, Ilinois", "Springfield, Illinois, United States"),
        ("Cincinatti, OH", "Cincinnati, Ohio, United States"),
        ("Melborne, Australia", "Melbourne, Victoria, Australia"),
        (
            "Newcastel upon Tyne, UK",
            "Newcastle upon Tyne, England, United Kingdom",
        ),
        ("Albequerque", "Albuquerque, New Mexico, United States"),
        ("Москав", "Moscow, Russia"),
    ] {
        let found = resolve(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(found.place().label(), label, "{text}");
        assert_eq!(
            (found.matched(), found.spelling()),
            (PlaceMatch::Corrected, found.place().name()),
            "{text}"
        );
    }
    let country = resolve("Untied Kingdom").unwrap();
    assert_eq!(
        (country.place().name(), country.spelling()),
        ("United Kingdom", "United Kingdom")
    );
    let region = resolve("Massachusets").unwrap();
    assert_eq!(
        (region.scope(), region.spelling()),
        (RadiusScope::Region, "Massachusetts")
    );
}

#[test]
fn unknown_texts_are_refused() {
    for text in [
        "",
        "   ",
        ",,,",
        "12345 67890",
        "near me",
        "worldwide",
        "home",
        "asdfqwer",
        "\u{0}",
        "🍕",
    ] {
        check_unknown(text, None);
    }
    // A town that is not in that country or state; a country that is none.
    check_unknown(
        "Springfield, Atlantis",
        Some("Springfield, Illinois, United States"),
    );
    check_unknown("Valencia, Germany", Some("Valencia, Spain"));
    check_unknown("Madrid, France", Some("Madrid, Spain"));
    check_unknown("Seattle, Texas, USA", Some("Seattle, Washington, United States"));
    // Too short to correct, or too unlike anything.
    check_unknown("Toyko", Some("Tokyo, Japan"));
    check_unknown(
        "L'Hospitalet",
        Some("L'Hospitalet de Llobregat, Catalonia, Spain"),
    );
    check_unknown(&"x".repeat(10_000), None);
}
