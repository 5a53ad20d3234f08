//! Properties of the resolver over the whole data.

use super::*;
use crate::layout::MARKET;
use proptest::prelude::*;

/// Places spread over the data, the same ones every time.
fn sample(every: usize) -> impl Iterator<Item = (Row, KnownPlace)> {
    let g = gazetteer().unwrap();
    g.rows().step_by(every).map(|row| (row, g.place(row)))
}

#[test]
fn every_label_leads_back_to_its_region() {
    let g = gazetteer().unwrap();
    let mut lost = Vec::new();
    let mut count = 0;
    for (_, place) in sample(293).filter(|(row, _)| g.has(*row, MARKET)) {
        // A separator inside the name cuts it in two: the search may settle on the other half.
        if place.name.contains([',', '/', '(']) || place.name.contains(" - ") {
            continue;
        }
        count += 1;
        match resolve(&place.label()) {
            // Two towns of one name in one region share their label; the more prominent one has it.
            Ok(found) if found.place.admin == place.admin && found.place.population > place.population => {}
            Ok(found) if found.place.name == place.name => {}
            _ => lost.push(place.label()),
        }
    }
    assert!(count > 300);
    assert!(lost.is_empty(), "{} of {count}: {lost:?}", lost.len());
}

#[test]
fn every_place_has_a_name_a_country_and_a_language() {
    for (_, place) in sample(13) {
        assert!(!place.name.is_empty() && !place.country.is_empty(), "{place:?}");
        assert_eq!(place.country_code.len(), 2, "{place:?}");
        assert!(
            (-90.0..=90.0).contains(&place.lat) && (-180.0..=180.0).contains(&place.lon),
            "{place:?}"
        );
        for language in place.languages {
            assert_eq!(
                language.parse::<ibid_model::Language>().unwrap().as_str(),
                *language
            );
        }
    }
}

#[test]
fn every_country_with_a_place_resolves_by_its_name() {
    let g = gazetteer().unwrap();
    for row in g.rows().step_by(41) {
        let name = g.place(row).country;
        let found = resolve(name).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!(found.place.country, name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn no_text_panics_and_the_answer_is_always_the_same(text in "\\PC{0,60}") {
        prop_assert_eq!(resolve(&text), resolve(&text));
    }

    #[test]
    fn no_address_panics(words in proptest::collection::vec("[A-Za-zÀ-ž0-9東京市, ./()-]{1,12}", 0..9)) {
        if let Ok(found) = resolve(&words.join(" ")) {
            prop_assert!(found.alternatives.len() <= MAX_ALTERNATIVES);
            prop_assert!(!found.spelling.is_empty());
            let harmless = !found.spelling.contains([',', '"', '\n', '{', '<']);
            prop_assert!(harmless, "{}", found.spelling);
        }
    }

    #[test]
    fn one_error_in_a_famous_name_still_finds_it_or_says_so(
        name in prop::sample::select(vec!["Barcelona, Spain", "Stockholm, Sweden", "Melbourne, Australia"]),
        at in 0..6usize,
        letter in "[a-z]",
    ) {
        let mut typed: Vec<char> = name.chars().collect();
        typed[at] = letter.chars().next().unwrap();
        let typed: String = typed.into_iter().collect();
        match resolve(&typed) {
            Ok(found) => prop_assert_eq!(found.place.label(), resolve(name).unwrap().place.label()),
            Err(unknown) => prop_assert!(!unknown.suggestions.is_empty()),
        }
    }
}
