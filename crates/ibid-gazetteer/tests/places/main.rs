//! What texts are taken for. Expectations were written down by hand, place by place.

#![cfg(test)]

mod areas;
mod doubt;
mod found;
mod writing;

use ibid_gazetteer::resolve;
use ibid_model::result::{PlaceMatch, RadiusScope};

/// Every text names exactly the town with this label.
fn check_all(texts: &[(&str, &str)]) {
    let wrong: Vec<String> = texts
        .iter()
        .filter_map(|(text, label)| {
            let found = match resolve(text) {
                Ok(found) if found.scope() == RadiusScope::City && found.matched() == PlaceMatch::Exact => {
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
    if let Some(suggestion) = suggestion {
        assert_eq!(
            error.suggestions.first().map(String::as_str),
            Some(suggestion),
            "{text}"
        );
    }
    for suggestion in &error.suggestions {
        let again = resolve(suggestion).unwrap_or_else(|_| panic!("{suggestion} does not resolve"));
        assert_eq!(&again.place().label(), suggestion);
    }
}
