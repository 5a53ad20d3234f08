//! Results of one model.

use super::retrieval::{Retrieval, RetrievalSummary, Stratum};
use crate::{Interval, ModelAlias, Prominence, Score};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// The result of one model over all its core questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelResult {
    /// The alias that was queried.
    pub model: ModelAlias,
    /// Its display label.
    pub model_label: String,
    /// Whether at least one valid answer cites the domain.
    pub cited: bool,
    /// Mean score of the answers of its headline stratum, 0..100.
    #[serde(deserialize_with = "score_or_none")]
    pub score: Score,
    /// Its core answers by stratum.
    #[serde(default)]
    pub retrieval: RetrievalSummary,
    /// Most frequent class among its citing answers; ties go to the lower class.
    pub prominence: Prominence,
    /// The concrete model that answered, as the provider named it.
    pub resolved_model: Option<String>,
    /// Whether that is another model than the one asked for. Such answers stay out of levels and trends.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub substituted: bool,
    /// Citing answers over valid answers, 0..1.
    pub cited_rate: f64,
    /// 95 % interval of the cited rate.
    pub cited_rate_interval: Option<Interval>,
    /// Answers with a link to the domain over valid answers, 0..1.
    pub linked_rate: f64,
    /// Median rank over the answers that rank the domain.
    pub rank: Option<f64>,
    /// 95 % interval of the score.
    pub score_interval: Option<Interval>,
    /// Valid answers of its headline stratum over questions asked, 0..1.
    pub coverage: f64,
    /// Answers that name any provider over valid answers, 0..1.
    pub informative_rate: f64,
    /// One entry a core question that the model was asked, in the order planned.
    pub answers: Vec<AnswerSummary>,
    /// Why the model has no score, or stopped early; `null` when all went well.
    pub error: Option<ModelFailure>,
}

/// One answer's reading, in short; the evidence has the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerSummary {
    /// The question, as in the evidence.
    pub question_id: String,
    /// Hash of the question's text and the place it was asked for: answers of two scans are compared where it
    /// agrees. `null` in results of older versions.
    #[serde(default)]
    pub question_hash: Option<String>,
    /// The prominence with which the domain is cited; `null` when there was no valid answer.
    pub class: Option<Prominence>,
    /// Answer score, 0..100; `null` when there was no valid answer.
    pub score: Option<Score>,
    /// The parts the score is the sum of.
    pub breakdown: Option<Breakdown>,
    /// 1-based rank among the recommended candidates.
    pub rank: Option<u32>,
    /// Its form; `null` when there was no valid answer and in results of older versions.
    #[serde(default)]
    pub form: Option<AnswerForm>,
    /// Providers that the answer puts forward or warns of, the target among them; `null` when there was no valid answer and in
    /// results of older versions. A question whose answers name none measures nothing.
    #[serde(default)]
    pub named: Option<u32>,
    /// The passage that cites the domain.
    pub quote: Option<String>,
    /// The cited address on the domain.
    pub url: Option<String>,
    /// The web search behind the answer.
    #[serde(default)]
    pub retrieval: Retrieval,
}

/// How an answer is laid out: the error of reading depends on it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForm {
    /// Two items of a list or more.
    List,
    /// Two rows of a table or more.
    Table,
    /// Anything else.
    Prose,
}

/// Reads a score. A model without an answer has 0 or, in queued scans, `null`.
fn score_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Score, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl ModelResult {
    /// Whether the model gave no valid answer at all. Its score of 0 is then none.
    pub fn is_unanswered(&self) -> bool {
        self.coverage == 0.0
    }

    /// Iterates over a stratum's valid answers.
    pub fn answers_in(&self, stratum: Stratum) -> impl Iterator<Item = &AnswerSummary> {
        let asked = self.retrieval.search_asked;
        self.answers
            .iter()
            .filter(move |answer| answer.class.is_some() && stratum.counts(answer.retrieval.searched, asked))
    }
}

/// The parts of an answer score: `base + rank + link + share`, at most `cap` when there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Breakdown {
    /// By class: primary 70, secondary 40, mentioned 15, none 0.
    pub base: f64,
    /// 15 · 1/log2(rank+1).
    pub rank: f64,
    /// 10 with an own link in the text, 5 with one among the sources.
    pub link: f64,
    /// 5 · position-adjusted share of the words.
    pub share: f64,
    /// Highest score allowed, 10 for a discouraged mention.
    pub cap: Option<f64>,
}

/// What decided on a name in an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The rule, in words.
    pub rule: Cow<'static, str>,
    /// How often people decide as the rule does, 0..1, in labelled answers whose names are in no table of
    /// brands; `None` for rules that few of these answers need.
    pub sure: Option<f32>,
    /// The sentence or line that decided.
    pub passage: String,
}

/// Why a model could not answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ModelFailure {
    /// Stable snake_case word.
    pub code: String,
    /// A sentence in our words; never the provider's text.
    pub message: String,
    /// What to do about it; absent in results of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

impl std::fmt::Display for ModelFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(format!("{}. {}", self.message, self.remedy).trim_end())
    }
}
