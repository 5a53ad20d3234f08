//! Checks the places in a caller's own questions.

use super::PlanError;
use ibid_gazetteer::KnownPlace;
use ibid_model::result::PlaceMatch;
use ibid_model::{FaultReason, Faults, LocationText, ScanOrder};

/// Unknown places after which the others are not looked up: a misspelt one takes a thousand times as long as a known
/// one, so twice as many would take a second of a plan.
const MOST_UNKNOWN: usize = 10;

/// Checks that the gazetteer has the place of every question, as it is spelt.
pub(super) fn check(order: &ScanOrder) -> Result<(), PlanError> {
    let mut faults = Faults::default();
    let mut seen: Vec<(&LocationText, Option<String>)> = Vec::new();
    for (index, question) in order.questions().iter().enumerate() {
        let Some(place) = &question.place else { continue };
        let known = seen.iter().find(|(text, _)| *text == place);
        let fault = match known {
            Some((_, fault)) => fault.clone(),
            None if seen.iter().filter(|(_, fault)| fault.is_some()).count() >= MOST_UNKNOWN => continue,
            None => {
                let fault = unknown(place);
                seen.push((place, fault.clone()));
                fault
            }
        };
        if let Some(message) = fault {
            faults.push_question(
                format!("/questions/{index}/place"),
                FaultReason::PlaceUnknown,
                message,
            );
        }
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(PlanError::Questions(faults)),
    }
}

/// The sentence about a place that the gazetteer does not have; `None` for a known one.
fn unknown(place: &LocationText) -> Option<String> {
    let meant = match ibid_gazetteer::resolve(place.as_str()) {
        Ok(found) if found.matched() != PlaceMatch::Corrected => return None,
        Ok(found) => vec![found.place().label()],
        Err(unknown) => unknown.suggestions.iter().map(KnownPlace::label).collect(),
    };
    let advice = match meant.is_empty() {
        true => "try \"nearest town, country\"".to_owned(),
        false => format!("did you mean {}?", meant.join(" or ")),
    };
    Some(format!("the place \"{place}\" is unknown; {advice}"))
}
