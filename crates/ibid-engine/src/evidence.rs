//! A result's evidence: questions, answers and readings, enough to explain it and to score it again.

use crate::read::Reading;
use ibid_model::Finish;
use ibid_model::result::{NamedAlias, Retrieval};
use ibid_model::{BrandName, Citation, Domain, Keyword, ModelAlias, Ring, ScanId, Website};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every question, answer and reading of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The scan.
    pub scan_id: ScanId,
    /// The domain that was looked for.
    pub domain: Domain,
    /// The website and the further ones of its owner; empty where it is the domain alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub websites: Vec<Website>,
    /// The keyword.
    pub keyword: Keyword,
    /// Names that the caller added.
    pub brand_names: Vec<BrandName>,
    /// Names of other parties that contain a name of the target; empty in evidence of older versions.
    #[serde(default)]
    pub not_names: Vec<BrandName>,
    /// Every name that was looked for, with its source.
    pub aliases: Vec<NamedAlias>,
    /// Version of the method that made the readings.
    pub method: EvidenceMethod,
    /// One entry a call, in the order planned.
    pub answers: Vec<EvidenceAnswer>,
}

impl Evidence {
    /// The website and the further ones of its owner.
    pub(crate) fn websites(&self) -> Vec<Website> {
        match self.websites.is_empty() {
            true => vec![self.domain.clone().into()],
            false => self.websites.clone(),
        }
    }
}

/// The method behind a reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceMethod {
    /// Its version.
    pub version: String,
}

/// One call: the question, the answer and its reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceAnswer {
    /// The question, as in the result.
    pub question_id: String,
    /// The alias asked.
    pub model: ModelAlias,
    /// The concrete model that answered.
    pub resolved_model: Option<String>,
    /// The ring, for ring questions.
    pub ring: Option<Ring>,
    /// The market, for ring questions.
    pub market: Option<String>,
    /// The intent of the question.
    pub template: String,
    /// BCP 47 tag of its language.
    pub language: String,
    /// The question.
    pub question: String,
    /// The answer; `null` if there was no answer.
    pub text: Option<String>,
    /// The end of the answer (complete, truncated, refused); `null` in evidence of older versions.
    #[serde(default)]
    pub finish: Option<Finish>,
    /// Sources that the provider returned in addition to the text.
    pub citations: Vec<Citation>,
    /// The web search behind the answer; unknown in evidence of older versions.
    #[serde(default)]
    pub retrieval: Retrieval,
    /// The reason that there was no answer.
    pub error: Option<String>,
    /// The reading of the answer. Its shape follows the version of the method.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub reading: Option<Reading>,
}
