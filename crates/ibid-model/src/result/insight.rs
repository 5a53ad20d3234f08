//! What follows from a result: cited sites, the target's cited pages, results by intent, and moves.

use crate::{Domain, Interval, ModelAlias, Ring, Score};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a result's answers say about what to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Insights {
    /// Sites that answers cite.
    pub sources: Vec<CitedSite>,
    /// Cited pages of the target.
    pub pages: Vec<CitedPage>,
    /// Core answers by intent of the question.
    pub intents: Vec<IntentResult>,
    /// Recommended moves.
    pub moves: Vec<Move>,
}

/// A site that answers cite, by a link in the text or as a source outside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CitedSite {
    /// The registrable domain, behind any redirector.
    pub domain: Domain,
    /// The kind of the site.
    pub kind: SiteKind,
    /// Valid answers that cite it.
    pub answers: u32,
    /// Those over all valid answers that cite any site, 0..1.
    pub share: f64,
    /// Different pages of it that are cited.
    pub pages: u32,
    /// Its most cited page.
    pub url: String,
    /// Answers that cite it and also cite the target. 0 says that the site was never cited together with the target.
    pub target_answers: u32,
    /// The competitors that the answers citing it put forward, most frequent first, at most five.
    pub competitors: Vec<FedCompetitor>,
    /// Models that cite it, in the order of the result.
    pub models: Vec<ModelAlias>,
}

/// The kind of a cited site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SiteKind {
    /// The scanned domain.
    Own,
    /// The website of a competitor.
    Competitor,
    /// A directory, marketplace or review site.
    Directory,
    /// Press, encyclopaedia, forum or social network.
    Media,
    /// Any other site.
    Other,
}

impl SiteKind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A competitor that is put forward by answers citing a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FedCompetitor {
    /// Its name.
    pub name: String,
    /// Answers that cite the site and put the competitor forward.
    pub answers: u32,
}

/// A page of the target that answers cite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CitedPage {
    /// Its address, without tracking parameters and fragment.
    pub url: String,
    /// Valid answers that cite it.
    pub answers: u32,
    /// Those over all valid answers that cite any site, 0..1.
    pub share: f64,
    /// Intents of the questions, most frequent first.
    pub intents: Vec<String>,
    /// Models that cite it, in the order of the result.
    pub models: Vec<ModelAlias>,
}

/// The core answers of the headline stratum to the questions of one intent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntentResult {
    /// The intent, as in `method.templates`; `own` for questions of the caller.
    pub intent: String,
    /// Different questions.
    pub questions: u32,
    /// Valid answers.
    pub answers: u32,
    /// Mean answer score, 0..100; `null` without answers.
    pub score: Option<Score>,
    /// Citing answers over valid answers, 0..1; `null` without answers.
    pub cited_rate: Option<f64>,
    /// 95 % interval of the cited rate.
    pub cited_rate_interval: Option<Interval>,
    /// The stance of the answers.
    pub stances: StanceCounts,
    /// The competitors put forward most, at most three.
    pub top_competitors: Vec<String>,
}

/// Valid answers by their stance towards the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StanceCounts {
    /// They recommend it.
    pub recommended: u32,
    /// They name it, or link to it without naming it.
    pub neutral: u32,
    /// They advise against it, or say that it is gone.
    pub discouraged: u32,
    /// They do not cite it.
    pub absent: u32,
}

/// A recommended move, with the facts that it follows from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// The rule behind it.
    pub kind: MoveKind,
    /// The move in one sentence.
    pub title: String,
    /// The reason, with its numbers.
    pub why: String,
    /// Answers that it concerns; moves are ordered by them.
    pub answers: u32,
    /// Chance, 0..1, that it is more than luck; at least .8. `null` for criticism, which is quoted, for questions to replace,
    /// which are counted, and in results of older versions.
    #[serde(default)]
    pub chance: Option<f64>,
    /// At most five facts.
    pub evidence: Vec<MoveEvidence>,
}

/// The rule behind a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum MoveKind {
    /// Answers advise against the target.
    Criticism,
    /// Questions of intents for which answers cite the target less often than otherwise.
    LostQuestions,
    /// Directories, media and other sites that answers cite, never together with the target.
    MissingSources,
    /// Questions to which pages of competitors are cited and no page of the target.
    MissingPages,
    /// The nearest town in which answers cite the target less often than at home.
    LostTown,
    /// Questions whose answers all name no provider, so they measure nothing.
    ReplaceQuestions,
}

impl MoveKind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One fact behind a move. Members that do not apply are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MoveEvidence {
    /// The question, as in the evidence of the scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question_id: Option<String>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    /// The page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The town.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub town: Option<String>,
    /// The ring of the town.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ring: Option<Ring>,
    /// Its distance from the place of the scan, in kilometres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_km: Option<f64>,
    /// The passage of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The model that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelAlias>,
    /// The competitors that are put forward there, at most three.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub competitors: Vec<String>,
    /// Answers behind this fact.
    pub answers: u32,
}
