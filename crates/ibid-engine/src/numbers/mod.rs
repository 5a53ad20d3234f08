//! The numbers of a result, from its samples: one way for a fresh scan and for one that is scored again.

mod rings;

use self::rings::{map, ring_status, status, top_competitors_of};
use crate::radius::{self, MarketCount, RingCount};
use crate::read::{Reading, Target};
use crate::score::{self, CompetitorTable, GroupScore, ModelScore, Sample};
use crate::slot::Slot;
use ibid_model::result::{
    AnswerSummary, MarketResult, ModelFailure, ModelResult, RadiusReport, RadiusScope, RingResult, Warning,
};
use ibid_model::{BrandName, Domain, ModelAlias, Ring};
use std::collections::BTreeSet;

/// Every reading of a scan in its place, with what scoring it needs.
pub(crate) struct Numbers<'a> {
    pub(crate) target: &'a Target,
    /// The models asked, in the order of the result.
    pub(crate) models: Vec<ModelAlias>,
    /// Seed of the competitors' rank intervals and of the range of the radius.
    pub(crate) seed: u64,
    /// In the order planned.
    pub(crate) samples: Vec<(Slot, Sample<'a>)>,
}

/// The model that was asked.
pub(crate) struct ModelIdentity {
    pub(crate) alias: ModelAlias,
    pub(crate) label: String,
    /// The concrete model that answered most often.
    pub(crate) resolved: Option<String>,
}

/// A ring and its markets, without numbers yet.
pub(crate) struct RingPlaces {
    pub(crate) ring: Ring,
    pub(crate) from_km: u16,
    pub(crate) to_km: u16,
    /// Their numbers are replaced.
    pub(crate) markets: Vec<MarketResult>,
}

impl<'a> Numbers<'a> {
    /// The numbers of the scan as a whole, from its core answers.
    pub(crate) fn overall(&self) -> GroupScore {
        score::group(&self.core())
    }

    /// The numbers of each model, in order, from its core answers.
    pub(crate) fn models(&self) -> Vec<ModelScore> {
        let core = self.core();
        (0..self.models.len())
            .map(|index| score::model(&core, index))
            .collect()
    }

    /// The rings with their numbers, the competitors of all answers, and the citation radius.
    pub(crate) fn radius(&self, scope: Option<RadiusScope>, rings: Vec<RingPlaces>) -> RadiusReport {
        let (rings, counts): (Vec<_>, Vec<_>) = rings.into_iter().map(|ring| self.ring(ring)).unzip();
        // Under a country rings are tiers of its cities, so there is no distance to fall off with.
        let measured = (scope != Some(RadiusScope::Country) && !rings.is_empty())
            .then(|| radius::citation_radius(&counts, self.seed));
        RadiusReport {
            status: status(scope.is_some(), &rings),
            scope,
            top_competitors: self.competitors(),
            citation_radius_km: measured.and_then(|measured| measured.citation_radius_km),
            radius_range_km: measured.and_then(|measured| measured.radius_range_km),
            censored: measured.is_some_and(|measured| measured.censored),
            at_most: measured.is_some_and(|measured| measured.at_most),
            threshold_pct: radius::THRESHOLD_PCT,
            map: (!rings.is_empty()).then(|| map(&rings)),
            rings,
        }
    }

    fn competitors(&self) -> Vec<ibid_model::result::Competitor> {
        let table = CompetitorTable {
            target: self.target,
            models: &self.models,
            seed: self.seed,
        };
        score::competitors(&self.taken(|_| true), &table)
    }

    fn ring(&self, places: RingPlaces) -> (RingResult, RingCount) {
        let ring = places.ring;
        let numbers = score::group(&self.taken(|slot| slot.ring() == Some(ring)));
        let markets = places.markets.into_iter().enumerate();
        let (markets, counts): (Vec<_>, Vec<_>) = markets
            .map(|(index, market)| self.market(Slot::Ring { ring, market: index }, market))
            .unzip();
        let result = RingResult {
            ring,
            from_km: places.from_km,
            to_km: places.to_km,
            status: ring_status(markets.is_empty(), &numbers),
            score: numbers.score,
            score_interval: numbers.interval,
            answers: numbers.valid,
            cited_rate: numbers.cited_rate.map(round4),
            cited_rate_informative: numbers.cited_rate_informative.map(round4),
            cited_rate_interval: numbers.cited_rate_interval,
            markets,
        };
        (
            result,
            RingCount {
                ring,
                markets: counts,
            },
        )
    }

    fn market(&self, slot: Slot, place: MarketResult) -> (MarketResult, MarketCount) {
        let samples = self.taken(|other| other == slot);
        let numbers = score::group(&samples);
        let count = MarketCount {
            // As published, so that the radius follows from the published numbers.
            distance_km: place.distance_km,
            cited: numbers.cited,
            answered: numbers.informative,
            questions: questions_of(&samples),
        };
        let result = MarketResult {
            score: numbers.score,
            cited_rate: numbers.cited_rate.map(round4),
            questions: numbers.asked,
            answered: numbers.valid,
            top_competitors: top_competitors_of(&samples),
            ..place
        };
        (result, count)
    }

    fn core(&self) -> Vec<Sample<'a>> {
        self.taken(|slot| slot == Slot::Core)
    }

    /// The samples of the slots that `take` lets through.
    fn taken(&self, take: impl Fn(Slot) -> bool) -> Vec<Sample<'a>> {
        let taken = self.samples.iter().filter(|(slot, _)| take(*slot));
        taken.map(|(_, sample)| *sample).collect()
    }
}

/// The result of one model.
pub(crate) fn model_result(
    identity: ModelIdentity,
    scored: &ModelScore,
    answers: Vec<AnswerSummary>,
    error: Option<ModelFailure>,
) -> ModelResult {
    let numbers = &scored.numbers;
    ModelResult {
        model: identity.alias,
        model_label: identity.label,
        cited: numbers.cited > 0,
        score: numbers.score.unwrap_or_default(),
        prominence: scored.prominence,
        resolved_model: identity.resolved,
        cited_rate: round4(numbers.cited_rate.unwrap_or_default()),
        cited_rate_interval: numbers.cited_rate_interval,
        linked_rate: round4(numbers.linked_rate.unwrap_or_default()),
        rank: scored.rank,
        score_interval: numbers.interval,
        coverage: round4(numbers.coverage.unwrap_or_default()),
        informative_rate: round4(numbers.informative_rate.unwrap_or_default()),
        answers,
        error,
    }
}

/// Different questions with an answer that names any provider.
fn questions_of(samples: &[Sample<'_>]) -> u32 {
    let counted = |sample: &&Sample<'_>| {
        sample.reading.is_valid() && (sample.reading.informative || sample.reading.cited())
    };
    let questions: BTreeSet<usize> = samples
        .iter()
        .filter(counted)
        .map(|sample| sample.question)
        .collect();
    questions.len() as u32
}

/// Four decimals, as rates are sent.
fn round4(rate: f64) -> f64 {
    (rate * 10_000.0).round() / 10_000.0
}

/// One answer's reading, in short.
pub(crate) fn summary_of(
    question_id: String,
    question_hash: Option<String>,
    reading: &Reading,
) -> AnswerSummary {
    let valid = reading.is_valid();
    AnswerSummary {
        question_id,
        question_hash,
        class: valid.then_some(reading.class),
        score: valid.then_some(reading.score),
        breakdown: valid.then_some(reading.breakdown),
        rank: reading.rank,
        quote: reading.quotes.first().map(|quote| quote.text.clone()),
        url: reading.url.clone(),
    }
}

/// Code of the warning that questions were not answered.
pub(crate) const PARTIAL: &str = "partial";
/// Codes of the warnings that the keyword, or a question of the caller, names the target.
const BRANDED_KEYWORD: &str = "branded_keyword";
const BRANDED_QUESTION: &str = "branded_question";

/// Whether a warning says that a scan is branded.
pub(crate) fn is_about_branding(warning: &Warning) -> bool {
    [BRANDED_KEYWORD, BRANDED_QUESTION].contains(&warning.code.as_str())
}

/// The warnings about words that name the target: the keyword, and questions of the caller. A scan with one of them is
/// branded.
pub(crate) fn branding<'a>(
    domain: &Domain,
    names: &[BrandName],
    keyword: &str,
    own: impl Iterator<Item = &'a str>,
) -> Vec<Warning> {
    let target = Target::new(domain, names);
    let mut warnings = Vec::new();
    if target.is_named_in(keyword) {
        let message = "the keyword names the domain scanned, so its own questions lead to it; keep this scan out of trends";
        warnings.push(Warning::new(BRANDED_KEYWORD, message));
    }
    let named: Vec<String> = own
        .filter(|question| target.is_named_in(question))
        .map(|question| format!("\"{question}\""))
        .collect();
    if !named.is_empty() {
        let questions = named.join(", ");
        let message = format!(
            "a question names the domain scanned and so leads to it: {questions}; keep this scan out of trends"
        );
        warnings.push(Warning::new(BRANDED_QUESTION, message));
    }
    warnings
}
