//! One line in, one line out.

use super::targets::Targets;
use ibid_engine::read::{Answer, AnswerClass, Flag, LinkKind, Quote, Reading, Stance, read};
use ibid_model::result::Breakdown;
use ibid_model::{BrandName, Citation, Domain, Prominence, Score};
use ibid_provider::{Finish, annotations};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A logged answer. Unknown members are ignored.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    /// Whatever names the answer; handed back as it came.
    #[serde(default)]
    id: Value,
    /// What was asked.
    #[serde(default)]
    prompt: Option<String>,
    /// What was answered; `null` when there was no answer.
    #[serde(deserialize_with = "present")]
    answer: Option<String>,
    /// Sources beside the answer, in any router's shape: a list of them, a message, a whole answer.
    #[serde(default)]
    annotations: Value,
    /// Sources as plain addresses.
    #[serde(default)]
    sources: Option<Vec<String>>,
    #[serde(default)]
    domain: Option<String>,
    #[serde(default)]
    brand_names: Option<Vec<String>>,
}

/// A member that may be `null`, but must be there.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)
}

/// Why a line cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadRecord {
    #[error("over {} MiB", super::lines::LONGEST >> 20)]
    TooLong,
    #[error("no record: {0}")]
    Json(#[from] serde_json::Error),
    #[error("no domain, and none was given with --domain")]
    NoDomain,
    #[error("domain: {0}")]
    Domain(#[from] ibid_model::DomainError),
    #[error("brandNames[{index}]: {fault}")]
    Brand {
        index: usize,
        fault: ibid_model::TextError,
    },
}

/// What was read.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    id: Value,
    cited: bool,
    linked: bool,
    link_kind: LinkKind,
    named_in_text: bool,
    prominence: Prominence,
    rank: Option<u32>,
    stance: Stance,
    score: Score,
    breakdown: Breakdown,
    informative: bool,
    answer_class: AnswerClass,
    competitors: Vec<Rival>,
    quotes: Vec<Quote>,
    flags: Vec<Flag>,
}

/// Somebody else whom the answer names.
#[derive(Debug, Serialize)]
struct Rival {
    name: String,
    domain: Option<Domain>,
}

impl Record {
    pub(super) fn parse(line: &[u8]) -> Result<Self, BadRecord> {
        Ok(serde_json::from_slice(line)?)
    }

    pub(super) fn read(self, targets: &mut Targets) -> Result<Outcome, BadRecord> {
        let domain = self.domain.as_deref().map(str::parse).transpose()?;
        let brands = self.brand_names.as_deref().map(brands).transpose()?;
        let target = targets.of(domain, brands).ok_or(BadRecord::NoDomain)?;
        let mut citations = annotations::citations(&self.annotations);
        let listed = self.sources.unwrap_or_default().into_iter();
        citations.extend(listed.take(annotations::MOST).map(Citation::of_url));
        let reading = read(
            target,
            &Answer {
                text: self.answer.as_deref().unwrap_or_default(),
                citations: &citations,
                question: self.prompt.as_deref(),
                finish: Finish::Complete,
            },
        );
        Ok(Outcome::of(self.id, reading))
    }
}

fn brands(names: &[String]) -> Result<Vec<BrandName>, BadRecord> {
    let numbered = names.iter().enumerate();
    numbered
        .map(|(index, name)| name.parse().map_err(|fault| BadRecord::Brand { index, fault }))
        .collect()
}

impl Outcome {
    fn of(id: Value, reading: Reading) -> Self {
        let competitors = reading.competitors().map(|entity| Rival {
            name: entity.name.clone(),
            domain: entity.domain.clone(),
        });
        Self {
            id,
            cited: reading.cited(),
            linked: reading.linked(),
            link_kind: reading.link_kind,
            named_in_text: reading.named_in_text,
            prominence: reading.class,
            rank: reading.rank,
            stance: reading.stance,
            score: reading.score,
            breakdown: reading.breakdown,
            informative: reading.informative,
            answer_class: reading.answer_class,
            competitors: competitors.collect(),
            quotes: reading.quotes,
            flags: reading.flags,
        }
    }
}
