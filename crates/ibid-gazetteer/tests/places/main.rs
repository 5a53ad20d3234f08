//! The places that texts are taken for. Expectations were written down by hand, place by place.

#![cfg(test)]

mod areas;
mod district;
mod doubt;
mod found;
mod fresh;
mod refused;
mod world;
mod writing;

use ibid_gazetteer::{KnownPlace, resolve};
use ibid_model::result::{PlaceMatch, RadiusScope};

/// Every text names exactly the town with this label.
fn check_all(texts: &[(&str, &str)]) {
    let wrong: Vec<String> = texts
        .iter()
        .filter_map(|(text, label)| {
            let found = match resolve(text) {
                Ok(found)
                    if found.scope() == RadiusScope::City
                        && matches!(found.matched(), PlaceMatch::Exact | PlaceMatch::Alternate) =>
                {
                    found.place().label()
                }
                other => format!("{other:?}"),
            };
            (found != *label).then(|| format!("{text:?} is {label}, not {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Nothing is found; the first suggestion, if one is expected, is this.
fn check_unknown(text: &str, suggestion: Option<&str>) {
    let error = match resolve(text) {
        Ok(found) => panic!("{text:?} was taken for {}", found.place().label()),
        Err(error) => error,
    };
    assert!(error.suggestions.len() <= 5, "{text}: {error:?}");
    let labels: Vec<String> = error.suggestions.iter().map(KnownPlace::label).collect();
    if let Some(suggestion) = suggestion {
        assert_eq!(labels.first().map(String::as_str), Some(suggestion), "{text}");
    }
    for label in &labels {
        let again = resolve(label).unwrap_or_else(|_| panic!("{label} does not resolve"));
        assert_eq!(&again.place().label(), label);
    }
}
