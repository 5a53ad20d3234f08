//! How answers end.

use serde::{Deserialize, Serialize};

/// The way in which an answer ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Finish {
    /// On its own.
    #[default]
    Complete,
    /// At the token limit: the text may break off.
    Truncated,
    /// The provider or the model declined to answer.
    Refused,
}
