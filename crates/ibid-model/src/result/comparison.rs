//! How two scans differ.

use super::retrieval::RetrievalSummary;
use crate::{Domain, Interval, Keyword, ModelAlias, ScanId, Score};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Two scans compared, second minus first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// Whether the same measurement gave another result.
    pub verdict: Verdict,
    /// The verdict in words.
    pub sentence: String,
    /// Reasons that block the comparison or limit it.
    pub reasons: Vec<Reason>,
    /// The scan compared with.
    pub first: ComparedScan,
    /// The scan that is compared.
    pub second: ComparedScan,
    /// The difference over the core answers of all models that both scans asked.
    pub overall: Difference,
    /// The difference for each model of either scan; verdicts hold for all of them together (Holm).
    pub models: Vec<ModelDifference>,
    /// The difference over the markets that both scans asked about; `null` unless both scanned rings.
    pub radius: Option<Difference>,
}

/// The verdict of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// p is under 0.05, and the interval of the difference excludes 0.
    Changed,
    /// The difference is no larger than asking twice would give.
    WithinNoise,
    /// The scans do not measure the same thing, or share too little for a test.
    NotComparable,
}

impl Verdict {
    /// The verdict as people read it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::WithinNoise => "within noise",
            Self::NotComparable => "not comparable",
        }
    }
}

/// Something that limits a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reason {
    /// Stable snake_case word.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// Whether it alone makes the scans not comparable.
    pub blocks: bool,
    /// The parts that may be compared all the same, in a sentence; `null` when none may.
    pub still_comparable: Option<String>,
}

/// One of the two scans.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedScan {
    /// The scan; `null` when the result came without its id.
    pub scan_id: Option<ScanId>,
    /// The scanned domain.
    pub domain: Domain,
    /// The scanned keyword.
    pub keyword: Keyword,
    /// The place, as it was taken.
    pub location: Option<String>,
    /// Its overall score, 0..100.
    pub overall_score: Score,
    /// 95 % interval of that.
    pub interval: Option<Interval>,
    /// Version of the method that scored it.
    pub method_version: String,
    /// Its core answers by stratum.
    #[serde(default)]
    pub retrieval: RetrievalSummary,
    /// When it was complete.
    #[schemars(with = "String")]
    #[serde(serialize_with = "crate::time::serialize")]
    pub finished_at: Timestamp,
}

/// A difference of scores with its test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The verdict of the test on these numbers alone, without their meaning.
    pub verdict: Verdict,
    /// The pairing of the two sides.
    pub pairing: Pairing,
    /// Questions (or markets), each with the answers of all models: the units of the test and of the interval.
    #[serde(default)]
    pub questions: u32,
    /// Questions (or markets) and models with a valid answer in both scans; 0 when unpaired.
    pub pairs: u32,
    /// Pairs whose scores differ.
    pub differing: u32,
    /// Answers (or markets) of the first scan that were used.
    pub first_answers: u32,
    /// Answers (or markets) of the second scan that were used.
    pub second_answers: u32,
    /// Mean score of the first scan over what is compared, 0..100, models weighing equally; `null` if that is nothing.
    pub first: Option<f64>,
    /// The same of the second scan.
    pub second: Option<f64>,
    /// Second minus first, in points, −100..100.
    pub mean: Option<f64>,
    /// 95 % interval of the difference over whole questions, in points.
    pub interval: Option<Interval>,
    /// Two-sided p-value of the permutation test; `null` where no test was made.
    pub p_value: Option<f64>,
    /// The difference, in points, that a test of this size finds four times in five.
    pub detectable: Option<f64>,
    /// The same for being cited at all.
    pub cited: Option<CitedDifference>,
}

/// The pairing of two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pairing {
    /// Answers of a model to the same question, one against the other.
    Paired,
    /// All questions of one scan against all of the other.
    Unpaired,
    /// Nothing to put against each other.
    None,
}

/// A difference of cited rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CitedDifference {
    /// Cited rate of the first scan over what is compared, 0..1.
    pub first: f64,
    /// Cited rate of the second scan.
    pub second: f64,
    /// Pairs that were not cited and now are; `null` when unpaired.
    pub gained: Option<u32>,
    /// Pairs that were cited and no longer are; `null` when unpaired.
    pub lost: Option<u32>,
    /// Two-sided p-value of the permutation test over whole questions.
    pub p_value: Option<f64>,
}

/// The difference of one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelDifference {
    /// The alias.
    pub model: ModelAlias,
    /// Its display label.
    pub model_label: String,
    /// The concrete model of the first scan.
    pub first_resolved_model: Option<String>,
    /// The concrete model of the second scan.
    pub second_resolved_model: Option<String>,
    /// The numbers; the verdict takes all models into account.
    pub difference: Difference,
    /// Holm's adjustment of the p-value over the models tested.
    pub adjusted_p_value: Option<f64>,
}
