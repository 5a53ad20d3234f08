//! A scan in short. Every part is a type of the whole result.

use ibid_model::result::{
    CompetitorKind, LocationReport, ModelFailure, RadiusScope, RadiusStatus, Stratum, Warning,
};
use ibid_model::{Domain, Interval, Keyword, ModelAlias, Prominence, ScanResult, Score};
use serde::Serialize;

/// Competitors of a summary.
const LEADING: usize = 5;

/// A scan in short.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanSummary {
    domain: Domain,
    keyword: Keyword,
    /// The place and its interpretation; `null` without a place.
    location: Option<LocationReport>,
    /// Mean of the model scores, 0 to 100.
    overall_score: Score,
    /// 95 % interval of the overall score; `null` without an answer.
    interval: Option<Interval>,
    /// How much of it the choice of questions explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampling_interval: Option<Interval>,
    /// The points that the error of reading adds to either side.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading_error: Option<f64>,
    /// The answers behind the score: those with a web search, those from memory, or all.
    headline: Stratum,
    /// One entry a model, in the order asked.
    models: Vec<ModelSummary>,
    /// Rings around the place.
    radius: RadiusSummary,
    /// The leading competitors, the website among them where it is one.
    competitors: Vec<CompetitorSummary>,
    /// Calls planned.
    calls: u32,
    /// Calls with a valid answer.
    answered: u32,
    /// What the provider billed, in US dollars; `null` if it sent no bill.
    cost_usd: Option<f64>,
    method_version: String,
    /// Whether the sandbox invented the answers.
    sandbox: bool,
    /// Facts that the reader needs before trusting the numbers.
    warnings: Vec<Warning>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ModelSummary {
    model: ModelAlias,
    /// Mean score of its answers, 0 to 100.
    score: Score,
    /// 95 % interval of the score.
    score_interval: Option<Interval>,
    /// Citing answers over valid answers, 0 to 1.
    cited_rate: f64,
    /// Most frequent class among its citing answers.
    prominence: Prominence,
    /// Median rank over the answers that rank the website.
    rank: Option<f64>,
    /// Why the model has no score, or stopped early.
    error: Option<ModelFailure>,
}

/// The radius in short.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RadiusSummary {
    /// Whether rings were scanned.
    status: RadiusStatus,
    /// The point that the rings are measured from.
    scope: Option<RadiusScope>,
    /// Distance within which the website is cited often enough; `null` when unknown.
    citation_radius_km: Option<f64>,
    /// The radius reaches at least this far.
    censored: bool,
    /// The radius is under the distance given.
    at_most: bool,
}

/// A competitor in short.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CompetitorSummary {
    /// 1-based position among its kind.
    rank: u32,
    /// The name most answers use.
    name: String,
    /// Its website, where answers gave one.
    domain: Option<Domain>,
    /// Whether this is the scanned website.
    #[serde(rename = "self")]
    is_self: bool,
    /// Visibility, 0 to 100.
    score: f64,
    /// Informative answers that name it, 0 to 1.
    appearance_rate: f64,
}

impl From<&ScanResult> for ScanSummary {
    fn from(result: &ScanResult) -> Self {
        let models = result.models.iter().map(|model| ModelSummary {
            model: model.model.clone(),
            score: model.score,
            score_interval: model.score_interval,
            cited_rate: model.cited_rate,
            prominence: model.prominence,
            rank: model.rank,
            error: model.error.clone(),
        });
        let competitors = result.radius.top_competitors.iter();
        let competitors = competitors
            .filter(|row| row.kind == CompetitorKind::Rival)
            .take(LEADING);
        let competitors = competitors.map(|row| CompetitorSummary {
            rank: row.rank,
            name: row.name.clone(),
            domain: row.domain.clone(),
            is_self: row.is_self,
            score: row.score,
            appearance_rate: row.appearance_rate,
        });
        Self {
            domain: result.domain.clone(),
            keyword: result.keyword.clone(),
            location: result.location.clone(),
            overall_score: result.overall_score,
            interval: result.interval,
            sampling_interval: result.sampling_interval,
            reading_error: result.reading_error,
            headline: result.retrieval.headline,
            models: models.collect(),
            radius: RadiusSummary {
                status: result.radius.status,
                scope: result.radius.scope,
                citation_radius_km: result.radius.citation_radius_km,
                censored: result.radius.censored,
                at_most: result.radius.at_most,
            },
            competitors: competitors.collect(),
            calls: result.usage.questions,
            answered: result.usage.answered,
            cost_usd: result.usage.cost_usd.map(|cost| cost.dollars()),
            method_version: result.method.version.clone(),
            sandbox: result.sandbox,
            warnings: result.warnings.clone(),
        }
    }
}
