//! Why an order cannot be planned.

use ibid_model::UsdMicros;

/// Why an order cannot be planned. Nothing has been asked or spent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The place is not in the gazetteer.
    #[error("the location is unknown; {}", advice(suggestions))]
    UnknownPlace {
        /// Up to five places that it may have meant.
        suggestions: Vec<String>,
    },
    /// More questions than the operator allows.
    #[error("the scan would ask {questions} questions (about {estimate}); at most {most} are allowed")]
    TooLarge {
        /// Questions, all models together.
        questions: u64,
        /// The ceiling.
        most: u32,
        /// What they would cost.
        estimate: UsdMicros,
    },
}

/// What to try instead of an unknown place.
fn advice(suggestions: &[String]) -> String {
    if suggestions.is_empty() {
        "try \"nearest town, country\" or \"lat, lon\"".to_owned()
    } else {
        format!("did you mean {}?", suggestions.join(" or "))
    }
}
