//! The method and the cost of the numbers.

use crate::{AskedSet, Interval, ModelAlias, Prominence, Score, UsdMicros};
use serde::{Deserialize, Serialize};

/// The measuring method of a result: enough to recompute it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Method {
    /// Version of the reading and scoring rules.
    pub version: String,
    /// BCP 47 tag of the language most questions were asked in.
    pub language: String,
    /// Templates of the core questions, in the order asked.
    pub templates: Vec<String>,
    /// The version of a question set that the core questions come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_set: Option<AskedSet>,
    /// Whether web search was on.
    pub web_search: bool,
    /// Whether the keyword or a question of the caller names the target, which makes the scan unfit for trends.
    pub branded: bool,
    /// Resamples of each bootstrap.
    pub resamples: u32,
    /// The numbers that earlier versions gave for the same answers, oldest first; only in a result that was scored
    /// again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub previous: Vec<PreviousScores>,
}

/// The scores of the same answers by an earlier version of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviousScores {
    /// Its version.
    pub version: String,
    /// Overall score, 0..100.
    pub overall_score: Score,
    /// 95 % interval of that.
    pub interval: Option<Interval>,
    /// The scores of the models, in the order asked.
    pub models: Vec<PreviousModelScore>,
}

/// The score of one model's answers by an earlier version of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviousModelScore {
    /// The alias.
    pub model: ModelAlias,
    /// Mean answer score, 0..100.
    pub score: Score,
    /// The prominence with which it cited the domain.
    pub prominence: Prominence,
    /// Citing answers over valid answers, 0..1.
    pub cited_rate: f64,
}

/// A name of the target, and where it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamedAlias {
    /// The name.
    pub name: String,
    /// The source of the name.
    pub source: AliasSource,
}

/// The source of a name of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AliasSource {
    /// The caller gave it.
    Request,
    /// The domain label, or a split of it.
    Domain,
    /// The target's home page.
    HomePage,
    /// The text of a link to the domain in an answer.
    Anchor,
}

/// Calls, tokens and money of a scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Calls planned: every question to every model.
    pub questions: u32,
    /// Calls with a valid answer.
    pub answered: u32,
    /// Calls without one: they failed, or what came was empty or an error page.
    pub failed: u32,
    /// Prompt tokens billed, as far as the provider said.
    pub prompt_tokens: u64,
    /// Completion tokens billed, as far as the provider said.
    pub completion_tokens: u64,
    /// The bill of the provider in US dollars; `null` when it sent none.
    #[serde(with = "dollars")]
    #[schemars(with = "Option<f64>")]
    pub cost_usd: Option<UsdMicros>,
    /// The estimate before the scan, in US dollars; `null` in results of older versions.
    #[serde(default, with = "dollars")]
    #[schemars(with = "Option<f64>")]
    pub estimated_cost_usd: Option<UsdMicros>,
    /// Questions asked a second time because the first answer was from memory.
    #[serde(default)]
    pub second_attempts: u32,
    /// Web searches, as far as the provider counted them.
    #[serde(default)]
    pub searches: u32,
}

/// One thing the reader should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Warning {
    /// Stable snake_case word, such as `partial`.
    pub code: String,
    /// A sentence.
    pub message: String,
}

impl Warning {
    /// Warns that a result's answers come from a log that was handed in.
    pub const IMPORTED: &'static str = "imported";

    /// A warning.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
        }
    }
}

/// Micros inside, a number of dollars on the wire.
mod dollars {
    use crate::UsdMicros;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(
        clippy::ref_option,
        reason = "serde's with-modules take the field by reference"
    )]
    pub(super) fn serialize<S: Serializer>(
        amount: &Option<UsdMicros>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        amount.map(UsdMicros::dollars).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<UsdMicros>, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.and_then(UsdMicros::from_dollars))
    }
}
