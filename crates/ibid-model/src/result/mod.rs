//! What a scan returns, on every surface.
//!
//! These types are the wire format: camelCase, with absent values as `null` where the contract states it.
//! They can be read back, to compare two results and to render a stored one.
//!
//! [`ScanResult`] is a scan: [`ModelResult`] a model of it, [`AnswerSummary`] an answer, [`RingResult`] a distance, [`Competitor`] a rival.
//! [`Comparison`] and [`History`] set several against each other, [`ScanPlan`] is one before it is asked, and [`AuditReport`] is a page.
//!
//! ```
//! use ibid_model::result::Level;
//!
//! // Each document of an API reads back into its type.
//! let level: Level = serde_json::from_str(
//!     r#"{"score": 42.0, "interval": {"low": 36.5, "high": 47.5, "level": 0.95, "lowPrecision": false}, "runs": 9, "since": null}"#,
//! )?;
//! assert_eq!((level.score.get(), level.runs), (42.0, 9));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod audit;
mod audit_comparison;
mod bots;
mod comparison;
mod competitor;
mod history;
mod insight;
mod method;
mod model;
mod plan;
mod project_report;
mod questions;
mod radius;
mod retrieval;
mod site_audit;
mod stopped;

pub use audit::{
    AuditBand, AuditCategory, AuditCheck, AuditDraft, AuditFix, AuditGate, AuditNote, AuditReport,
    CategoryId, CheckStatus, CrawlerClass, CrawlerReason, CrawlerVerdict, EvidenceKind, FixCertainty, GateId,
    NoteLevel, PageFacts, PageKind,
};
pub use audit_comparison::{AuditComparison, CheckChange};
pub use bots::{BotOutcome, BotReport, BotView};
pub use comparison::{
    CitedDifference, ComparedScan, Comparison, Difference, ModelDifference, Pairing, Reason, Verdict,
};
pub use competitor::{Competitor, CompetitorKind, RankInterval};
pub use history::{
    Cause, CauseRole, Citations, Explanation, Factor, History, HistoryChange, HistoryNote, HistoryNoteKind,
    Level, Others,
};
pub use insight::{
    CitedPage, CitedSite, FedCompetitor, Insights, IntentResult, Move, MoveEvidence, MoveKind, SiteKind,
    StanceCounts,
};
pub use method::{AliasSource, Method, NamedAlias, PreviousModelScore, PreviousScores, Usage, Warning};
pub use model::{AnswerForm, AnswerSummary, Breakdown, Decision, ModelFailure, ModelResult};
pub use plan::{
    OfferedPlan, PlaceChoice, PlaceQuestion, PlannedUntil, QuestionPreview, RingPreview, ScanPlan,
};
pub use project_report::{
    DisclosureRow, ProjectReport, ReportCompetitor, ReportCompetitors, ReportCover, ReportFormat,
    ReportModel, ReportNote, ReportNumbers, ReportPart, ReportPoint, ReportQuestion, ReportSection,
    ReportSite, ReportSourceKind, ReportSources, ReportSubject,
};
pub use questions::{CheckedQuestion, FindingKind, QuestionFinding, QuestionsReport};
pub use radius::{
    LocationReport, MapPoint, MarketResult, Place, PlaceCertainty, PlaceMatch, PlaceSuggestion, RadiusMap,
    RadiusReport, RadiusScope, RadiusStatus, RingResult, RingStatus,
};
pub use retrieval::{LocationHint, Retrieval, RetrievalSummary, Searched, Stratum};
pub use site_audit::{SiteAudit, SiteEffort, SiteFailure, SiteFinding, SiteLimit, SitePage, SiteTemplate};

pub use stopped::{Stopped, Until};

use crate::{Domain, Interval, Keyword, Score};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A website of the measured party in a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OwnWebsite {
    /// The host, with its path on a host that many owners share.
    pub website: String,
    /// Answers that link to it.
    pub answers: u32,
    /// Answers whose text names it or has its address. A name that two websites share counts for the first.
    #[serde(default)]
    pub mentions: u32,
}

/// The result of one scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanResult {
    /// The scanned domain.
    pub domain: Domain,
    /// The website and the further ones of its owner, with the answers that link to each and that name it; empty where it is the domain alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub websites: Vec<OwnWebsite>,
    /// The scanned keyword.
    pub keyword: Keyword,
    /// The place and what it was taken for; `null` when none was given.
    pub location: Option<LocationReport>,
    /// Mean of the model scores over the answers of the headline stratum, 0..100. Core questions only.
    pub overall_score: Score,
    /// 95 % interval of the overall score; `null` when nothing was answered.
    pub interval: Option<Interval>,
    /// The part of it that the choice of questions explains; absent in results of methods before 3.3, whose `interval` is that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_interval: Option<Interval>,
    /// The points that the error of reading the answers adds to either side, 95 times in 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading_error: Option<f64>,
    /// The reason why a scan that asks in batches asked no more; absent in a scan with counts, and in one that was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// The width and the money that a scan asked in batches for; absent in a scan with counts. It reached `samplingInterval`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// The core answers by stratum: how many searched the web, and the score from memory next to the headline.
    #[serde(default)]
    pub retrieval: RetrievalSummary,
    /// One entry a queried model, in the order asked.
    pub models: Vec<ModelResult>,
    /// Rings around the place, citation radius and competitors.
    pub radius: RadiusReport,
    /// Sites that answers cite, most cited first, at most fifty. Empty in results of older versions.
    #[serde(default)]
    pub sources: Vec<CitedSite>,
    /// Pages of the target that answers cite, most cited first, at most fifty. Empty in results of older versions.
    #[serde(default)]
    pub pages: Vec<CitedPage>,
    /// Core answers by intent of the question, in the order asked. Empty in results of older versions.
    #[serde(default)]
    pub intents: Vec<IntentResult>,
    /// Recommended moves, the one that concerns most answers first, at most six. Empty in results of older versions.
    #[serde(default)]
    pub moves: Vec<Move>,
    /// Names under which the target was looked for.
    pub brand_names: Vec<NamedAlias>,
    /// Calls, tokens and money.
    pub usage: Usage,
    /// The method behind the numbers.
    pub method: Method,
    /// Whether the sandbox invented the answers.
    pub sandbox: bool,
    /// Facts that the reader needs before trusting the numbers.
    pub warnings: Vec<Warning>,
    /// When the first question was asked.
    #[schemars(with = "String")]
    #[serde(serialize_with = "crate::time::serialize")]
    pub started_at: Timestamp,
    /// When the result was complete.
    #[schemars(with = "String")]
    #[serde(serialize_with = "crate::time::serialize")]
    pub finished_at: Timestamp,
}

impl ScanResult {
    /// Whether the answers come from a log that was handed in.
    pub fn is_imported(&self) -> bool {
        self.warnings
            .iter()
            .any(|warning| warning.code == Warning::IMPORTED)
    }

    /// The core answers that the overall score rests on, with their model; without those of a model in whose place another
    /// one answered, unless that is so of all.
    pub fn headline_answers(&self) -> impl Iterator<Item = (&ModelResult, &AnswerSummary)> {
        let headline = self.retrieval.headline;
        let none = self.models.iter().all(|model| model.substituted);
        let asked = self.models.iter().filter(move |model| none || !model.substituted);
        asked.flat_map(move |model| model.answers_in(headline).map(move |answer| (model, answer)))
    }
}
