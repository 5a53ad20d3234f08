//! The reasons why an order cannot be planned.

use ibid_model::result::PlaceSuggestion;
use ibid_model::{Counts, Faults, UsdMicros};

/// The reason why an order cannot be planned.
/// No question has been asked and no money spent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// The location names no place that the gazetteer knows.
    #[error("the location is unknown: {reason}; {}", advice(suggestions))]
    UnknownPlace {
        /// The reason, for example that the region has no place with this name.
        reason: String,
        /// Up to five places that may have been meant.
        suggestions: Vec<PlaceSuggestion>,
    },
    /// Questions of the caller that cannot be asked.
    #[error("{0}")]
    Questions(Faults),
    /// More questions than the operator allows.
    #[error("the scan would ask {questions} questions (about {estimate}); at most {most} are allowed")]
    TooLarge {
        /// Questions, all models together.
        questions: u64,
        /// The ceiling.
        most: u32,
        /// The estimated cost at the provider.
        estimate: UsdMicros,
    },
    /// Members that the buyer named cost more than their price allows.
    #[error("the plan costs about {estimate}, at most {most} is taken on for this price")]
    TooExpensive {
        /// The estimated cost at the provider, with the smallest values of all other members.
        estimate: UsdMicros,
        /// The most that it may be.
        most: UsdMicros,
        /// The largest counts that fit; `None` if even the smallest do not fit.
        fits: Option<Counts>,
    },
}

/// The next step after an unknown place.
fn advice(suggestions: &[PlaceSuggestion]) -> String {
    if suggestions.is_empty() {
        return "try \"nearest town, country\" or \"lat, lon\"".to_owned();
    }
    let labels: Vec<&str> = suggestions.iter().map(|place| place.label.as_str()).collect();
    format!("did you mean {}?", labels.join(" or "))
}
