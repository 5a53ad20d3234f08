//! One line in, one line out.

use super::targets::{Names, Targets};
use super::text;
use ibid_engine::read::{Answer, AnswerClass, Flag, LinkKind, Party, Quote, Reading, Stance, explain, read};
use ibid_model::result::Breakdown;
use ibid_model::{BrandName, Domain, Prominence, Score};
use ibid_provider::{Finish, annotations};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// A logged answer. Unknown members are ignored.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    /// The caller's own name for the answer, of any type; returned unchanged.
    #[serde(default)]
    id: Value,
    /// The question: a text, or the messages that were sent.
    #[serde(default)]
    prompt: Value,
    /// The answer: a text, the parts of a message, a message or a whole completion; `null` when there was no answer.
    #[serde(deserialize_with = "present")]
    answer: Value,
    /// Sources outside the answer text, in any router's shape: a list of them, a message, a whole answer.
    #[serde(default)]
    annotations: Value,
    /// The same under the names that other tools use, in any of the same shapes.
    #[serde(default)]
    sources: Value,
    #[serde(default)]
    citations: Value,
    #[serde(default, alias = "search_results")]
    search_results: Value,
    #[serde(default, alias = "grounding_metadata")]
    grounding_metadata: Value,
    #[serde(default)]
    references: Value,
    #[serde(default)]
    links: Value,
    #[serde(default)]
    domain: Option<String>,
    #[serde(default)]
    own_domains: Option<OneOrMore>,
    #[serde(default)]
    brand_names: Option<OneOrMore>,
    #[serde(default)]
    not_names: Option<OneOrMore>,
}

/// A list of names, or one name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    More(Vec<String>),
    One(String),
}

impl OneOrMore {
    fn into_list(self) -> Vec<String> {
        match self {
            Self::More(names) => names,
            Self::One(name) => vec![name],
        }
    }
}

/// A member that may be `null`, but must be there.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Value::deserialize(deserializer)
}

/// A line that cannot be read, with the reason.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadRecord {
    #[error("over {} MiB", super::lines::LONGEST >> 20)]
    TooLong,
    #[error("no record: {0}")]
    Json(#[from] serde_json::Error),
    #[error("answer: no text in it; a text, a message or a completion is read")]
    NoText,
    #[error("no domain, and none was given with --domain")]
    NoDomain,
    #[error("ownDomains: at most {most} websites, not {0}", most = super::most_own())]
    TooManyOwn(usize),
    #[error("domain: {0}")]
    Domain(#[from] ibid_model::DomainError),
    #[error("{list}[{index}]: {fault}")]
    Name {
        list: &'static str,
        index: usize,
        fault: ibid_model::TextError,
    },
}

/// How one answer reads.
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
    competitors: Vec<Competitor>,
    quotes: Vec<Quote>,
    flags: Vec<Flag>,
    /// Every name of the answer with the evidence for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<Vec<Party>>,
}

/// A competitor that the answer names.
#[derive(Debug, Serialize)]
struct Competitor {
    name: String,
    domain: Option<Domain>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    products: Vec<String>,
}

impl Record {
    pub(super) fn parse(line: &[u8]) -> Result<Self, BadRecord> {
        Ok(serde_json::from_slice(line)?)
    }

    pub(super) fn read(self, targets: &mut Targets, explained: bool) -> Result<Outcome, BadRecord> {
        let domain = self
            .domain
            .as_deref()
            .map(str::trim)
            .filter(|domain| !domain.is_empty());
        let domain = domain.map(str::parse).transpose()?;
        let own = self.own_domains.map(OneOrMore::into_list);
        let many = own.as_ref().map(Vec::len).filter(|own| *own > super::most_own());
        if let Some(many) = many {
            return Err(BadRecord::TooManyOwn(many));
        }
        let own = own.map(|own| {
            own.iter()
                .map(|website| website.parse())
                .collect::<Result<_, _>>()
        });
        let names = Names {
            domain,
            own: own.transpose()?,
            brands: names("brandNames", self.brand_names)?,
            others: names("notNames", self.not_names)?,
        };
        let target = targets.of(names).ok_or(BadRecord::NoDomain)?;
        // Ordered by detail: a later bare address of the same source is dropped.
        let listed = vec![
            self.annotations,
            self.search_results,
            self.sources,
            self.citations,
            self.grounding_metadata,
            self.references,
            self.links,
            // A whole completion has its sources inside.
            if self.answer.is_string() {
                Value::Null
            } else {
                self.answer.clone()
            },
        ];
        let citations = annotations::citations(&Value::Array(listed));
        let answer = match &self.answer {
            Value::Null => Cow::default(),
            // A message that only calls a tool has no text.
            Value::Object(message) if message.get("content").is_some_and(Value::is_null) => Cow::default(),
            answer => text::of(answer).ok_or(BadRecord::NoText)?,
        };
        let prompt = text::asked(&self.prompt);
        let answer = Answer {
            text: &answer,
            citations: &citations,
            question: prompt.as_deref(),
            finish: Finish::Complete,
        };
        let (reading, names) = if explained {
            let (reading, names) = explain(target, &answer);
            (reading, Some(names))
        } else {
            (read(target, &answer), None)
        };
        Ok(Outcome::of(self.id, reading, names))
    }
}

/// Reads a list of names; `None` when the line has no such list.
fn names(list: &'static str, names: Option<OneOrMore>) -> Result<Option<Vec<BrandName>>, BadRecord> {
    let Some(names) = names.map(OneOrMore::into_list) else {
        return Ok(None);
    };
    let numbered = names.iter().enumerate();
    let parsed = numbered.map(|(index, name)| {
        name.parse()
            .map_err(|fault| BadRecord::Name { list, index, fault })
    });
    parsed.collect::<Result<_, _>>().map(Some)
}

impl Outcome {
    fn of(id: Value, reading: Reading, names: Option<Vec<Party>>) -> Self {
        let competitors = reading.others().map(|competitor| Competitor {
            name: competitor.name.clone(),
            domain: competitor.domain.clone(),
            products: competitor.products.clone(),
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
            names,
        }
    }
}
