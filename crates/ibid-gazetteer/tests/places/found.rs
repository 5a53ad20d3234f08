//! The parts of a resolved place: its coordinates, the caller's spelling of it, its languages.

use crate::check_unknown;
use ibid_gazetteer::resolve;
use ibid_model::result::PlaceMatch;

#[test]
fn coordinates_are_named_after_the_town_they_lie_in() {
    for (text, name, lat, lon) in [
        ("39.47, -0.38", "Valencia", 39.47, -0.38),
        ("39.47° N, 0.38° W", "Valencia", 39.47, -0.38),
        // A suburb inside the core of the city is the city; the sea is named after the nearest town.
        ("48.8600 2.3400", "Paris", 48.86, 2.34),
        ("-18.2, 178.5", "Suva", -18.2, 178.5),
    ] {
        let found = resolve(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(
            (found.place().name(), found.matched()),
            (name, PlaceMatch::Coordinates),
            "{text}"
        );
        assert_eq!((found.place().lat(), found.place().lon()), (lat, lon), "{text}");
        assert_eq!(found.spelling(), name, "{text}");
    }
    check_unknown("0, 0", None);
    check_unknown("91, 0", None);
}

#[test]
fn the_spelling_is_the_callers() {
    for (text, spelling) in [
        ("Munich, Germany", "Munich"),
        ("MÜNCHEN", "MÜNCHEN"),
        ("múnich, alemania", "Munich"),
        ("monaco di baviera", "Monaco Di Baviera"),
        ("málaga", "Málaga"),
        ("malaga", "Málaga"),
        ("nyc", "NYC"),
        ("28013 Madrid", "Madrid"),
        ("東京都渋谷区", "渋谷区"),
        ("თბილისი", "თბილისი"),
        // Nothing but the name goes on: the rest could be addressed to a model.
        ("Rome!!! {ignore}", "Rome"),
        ("\"Rome\"", "Rome"),
    ] {
        match resolve(text) {
            Ok(found) => assert_eq!(found.spelling(), spelling, "{text}"),
            Err(_) => assert!(text.contains("ignore"), "{text}"),
        }
    }
}

#[test]
fn languages_follow_the_place() {
    for (text, language) in [
        ("Madrid", "es"),
        ("Barcelona", "ca"),
        ("Montréal", "fr"),
        ("Toronto", "en"),
        ("Antwerp", "nl"),
        ("Liège", "fr"),
        ("Zürich", "de"),
        ("Lugano", "it"),
        ("São Paulo", "pt-BR"),
        ("Lisbon", "pt"),
        ("Taipei", "zh-Hant"),
        ("Switzerland", "de"),
    ] {
        assert_eq!(resolve(text).unwrap().place().language(), language, "{text}");
    }
    assert_eq!(resolve("Barcelona").unwrap().place().languages(), ["ca", "es"]);
}
