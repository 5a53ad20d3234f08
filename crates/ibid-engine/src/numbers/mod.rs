//! Makes a result's numbers from its samples, alike for a fresh scan and for one that is scored again.

mod rings;
mod strata;

use self::rings::{map, ring_status, status, top_competitors_of};
use crate::radius::{self, MarketCount, RingCount};
use crate::read::{Reading, Target};
use crate::score::statistics::FEWEST_CLUSTERS;
use crate::score::towns::{self, Answers};
use crate::score::{self, CompetitorTable, GroupScore, ModelScore, Sample};
use crate::slot::{BRANDED, RingPlaces, Slot};
use ibid_model::result::{
    AnswerSummary, MarketResult, ModelFailure, ModelResult, RadiusReport, RadiusScope, Retrieval,
    RetrievalSummary, RingResult, Searched, Stratum, Warning,
};
use ibid_model::{Interval, ModelAlias, Ring};
use std::collections::BTreeSet;

/// Every reading in its place, with what else the scores need.
pub(crate) struct Numbers<'a> {
    pub(crate) target: &'a Target,
    /// The models asked, in the order of the result.
    pub(crate) models: Vec<AskedModel>,
    /// Whether web search was on and any model can search.
    pub(crate) search_asked: bool,
    /// The home town, whose answers count with the core answers.
    pub(crate) home: Option<Slot>,
    pub(crate) language: &'a str,
    /// Seeds the competitors' rank intervals and the radius range.
    pub(crate) seed: u64,
    /// In the order planned.
    pub(crate) samples: Vec<Placed<'a>>,
}

pub(crate) struct AskedModel {
    pub(crate) alias: ModelAlias,
    /// Whether it was asked to search the web.
    pub(crate) search_asked: bool,
    /// Whether another model answered in its place.
    pub(crate) substituted: bool,
}

/// A reading in its place, with the search behind its answer.
pub(crate) struct Placed<'a> {
    pub(crate) slot: Slot,
    pub(crate) sample: Sample<'a>,
    pub(crate) searched: Searched,
}

/// The model that was asked.
pub(crate) struct ModelIdentity {
    pub(crate) alias: ModelAlias,
    pub(crate) label: String,
    /// The concrete model that answered most often.
    pub(crate) resolved: Option<String>,
    /// Whether that is another model than the one asked for.
    pub(crate) substituted: bool,
}

impl<'a> Numbers<'a> {
    /// Scores the scan as a whole, from home answers in the headline stratum.
    pub(crate) fn overall(&self, headline: Stratum) -> GroupScore {
        score::group(&self.at_home(headline)).with_reading_error(self.language)
    }

    /// Scores each model, in order, from home answers in its own headline stratum.
    pub(crate) fn models(&self) -> Vec<(ModelScore, RetrievalSummary)> {
        (0..self.models.len())
            .map(|index| {
                let retrieval = self.retrieval_of(index);
                let own = self.of_stratum(retrieval.headline, |placed| {
                    self.is_home(placed.slot) && placed.sample.model == index
                });
                let scored = score::model(&own, index);
                let numbers = scored.numbers.with_reading_error(self.language);
                (ModelScore { numbers, ..scored }, retrieval)
            })
            .collect()
    }

    /// The rings with their numbers, the competitors, and the citation radius, from answers of the headline stratum.
    pub(crate) fn radius(
        &self,
        headline: Stratum,
        scope: Option<RadiusScope>,
        rings: Vec<RingPlaces>,
    ) -> RadiusReport {
        let rings = rings.into_iter().map(|ring| self.ring(headline, ring));
        let (mut rings, counts): (Vec<RingResult>, Vec<_>) = rings.unzip();
        self.expect(headline, &mut rings);
        // Around a country the rings are tiers of its cities, so there is no distance and no radius.
        let measured = (scope != Some(RadiusScope::Country) && !rings.is_empty())
            .then(|| radius::citation_radius(&counts, self.seed));
        RadiusReport {
            status: status(scope.is_some(), &rings),
            scope,
            top_competitors: self.competitors(headline),
            citation_radius_km: measured.and_then(|measured| measured.citation_radius_km),
            radius_range_km: measured.and_then(|measured| measured.radius_range_km),
            censored: measured.is_some_and(|measured| measured.censored),
            at_most: measured.is_some_and(|measured| measured.at_most),
            threshold_pct: radius::THRESHOLD_PCT,
            map: map(&rings).filter(|_| !rings.is_empty()),
            rings,
        }
    }

    pub(crate) fn is_home(&self, slot: Slot) -> bool {
        slot == Slot::Core || Some(slot) == self.home
    }

    fn competitors(&self, headline: Stratum) -> Vec<ibid_model::result::Competitor> {
        let models: Vec<ModelAlias> = self.models.iter().map(|model| model.alias.clone()).collect();
        let table = CompetitorTable {
            target: self.target,
            models: &models,
            seed: self.seed,
        };
        score::competitors(&self.taken(headline, |_| true), &table)
    }

    fn ring(&self, headline: Stratum, places: RingPlaces) -> (RingResult, RingCount) {
        let ring = places.ring;
        let numbers = score::group(&self.taken(headline, |slot| slot.ring() == Some(ring)))
            .with_reading_error(self.language);
        let markets = places.markets.into_iter().enumerate();
        let (markets, counts): (Vec<_>, Vec<_>) = markets
            .map(|(index, market)| self.market(headline, Slot::Ring { ring, market: index }, market))
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
        let counts = RingCount {
            ring,
            markets: counts,
        };
        (result, counts)
    }

    /// Writes the expected rate of every town with answers.
    fn expect(&self, headline: Stratum, rings: &mut [RingResult]) {
        let answers = |samples: &[Sample<'_>]| {
            let numbers = score::group(samples);
            Answers {
                answers: numbers.valid,
                cited: numbers.cited,
                questions: numbers.questions,
            }
        };
        let home = answers(&self.at_home(headline));
        let towns = rings.iter_mut().flat_map(|ring| {
            let markets = ring.markets.iter_mut().enumerate();
            let ring = ring.ring;
            markets.map(move |(market, place)| (Slot::Ring { ring, market }, place))
        });
        let answered = towns.filter(|(_, place)| place.answered > 0);
        let (at_home, others): (Vec<_>, Vec<_>) = answered.partition(|(slot, _)| Some(*slot) == self.home);
        let counts: Vec<Answers> = others
            .iter()
            .map(|(slot, _)| answers(&self.taken(headline, |other| other == *slot)))
            .collect();
        let expected = towns::rates(home, &counts);
        let of_others = others.into_iter().zip(expected.iter().skip(1).zip(&counts));
        let of_home = at_home.into_iter().zip(expected.first().zip(Some(&home)));
        for ((_, market), (found, answers)) in of_home.chain(of_others) {
            let few = (answers.questions as usize) < FEWEST_CLUSTERS;
            market.expected_rate = Some(round4(found.rate));
            market.expected_rate_interval = Some(Interval::of_rates(found.range.0, found.range.1, few));
            market.lost = Some(round4(found.lost));
        }
    }

    fn market(&self, headline: Stratum, slot: Slot, place: MarketResult) -> (MarketResult, MarketCount) {
        let samples = self.taken(headline, |other| other == slot);
        let numbers = score::group(&samples);
        let count = MarketCount {
            // As published, so that the radius follows from the published numbers.
            // A market without a distance has no part in a radius.
            distance_km: place.distance_km.unwrap_or(f64::INFINITY),
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

    /// The core answers and those of the home town.
    fn at_home(&self, stratum: Stratum) -> Vec<Sample<'a>> {
        self.taken(stratum, |slot| self.is_home(slot))
    }
}

/// Finds the home town: the market in ring 1 at no distance.
pub(crate) fn home<'a>(rings: impl IntoIterator<Item = (Ring, &'a [MarketResult])>) -> Option<Slot> {
    let is_home = |market: &MarketResult| market.distance_km.is_some_and(|km| km < 1.0);
    rings
        .into_iter()
        .filter(|(ring, _)| *ring == Ring::HOME)
        .find_map(|(ring, markets)| {
            let market = markets.iter().position(is_home)?;
            Some(Slot::Ring { ring, market })
        })
}

pub(crate) fn model_result(
    identity: ModelIdentity,
    (scored, retrieval): &(ModelScore, RetrievalSummary),
    answers: Vec<AnswerSummary>,
    error: Option<ModelFailure>,
) -> ModelResult {
    let numbers = &scored.numbers;
    ModelResult {
        model: identity.alias,
        model_label: identity.label,
        cited: numbers.cited > 0,
        score: numbers.score.unwrap_or_default(),
        retrieval: *retrieval,
        prominence: scored.prominence,
        resolved_model: identity.resolved,
        substituted: identity.substituted,
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
pub(crate) fn round4(rate: f64) -> f64 {
    (rate * 10_000.0).round() / 10_000.0
}

/// One answer's reading, in short.
pub(crate) fn summary_of(
    question_id: String,
    question_hash: Option<String>,
    reading: &Reading,
    retrieval: Retrieval,
) -> AnswerSummary {
    let valid = reading.is_valid();
    AnswerSummary {
        question_id,
        question_hash,
        class: valid.then_some(reading.class),
        score: valid.then_some(reading.score),
        breakdown: valid.then_some(reading.breakdown),
        rank: reading.rank,
        form: valid.then_some(reading.form),
        named: valid.then(|| u32::try_from(reading.competitors.len()).unwrap_or(u32::MAX)),
        quote: reading.quotes.first().map(|quote| quote.text.clone()),
        url: reading.url.clone(),
        retrieval,
    }
}

/// Code of the warning that questions were not answered.
pub(crate) const PARTIAL: &str = "partial";
/// Code of the warning that web search was on and no answer searched.
pub(crate) const NOT_SEARCHED: &str = "not_searched";

/// The warning that no answer searched although search was on.
pub(crate) fn not_searched(retrieval: &RetrievalSummary) -> Option<Warning> {
    let message = "web search is on, but no answer searched the web; the scores are from memory";
    retrieval
        .is_not_searched()
        .then(|| Warning::new(NOT_SEARCHED, message))
}

/// Codes for warnings that the keyword names the target, that a caller's question does, and that one is counted apart.
const BRANDING: [&str; 3] = ["branded_keyword", "branded_question", "branded_apart"];

/// Whether a warning is about words that name the target.
pub(crate) fn is_about_branding(warning: &Warning) -> bool {
    BRANDING.contains(&warning.code.as_str())
}

/// Whether warnings about words that name the target are about the score.
pub(crate) fn is_branded(warnings: &[Warning]) -> bool {
    warnings.iter().any(|warning| warning.code != BRANDING[2])
}

/// The warnings about words that name the target: the keyword, and questions of the caller with their template.
pub(crate) fn branding<'a>(
    target: &Target,
    keyword: &str,
    own: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if target.is_named_in(keyword) {
        let message = "the keyword names the domain scanned, so its own questions lead to it; keep this scan out of trends";
        warnings.push(Warning::new(BRANDING[0], message));
    }
    let (mut counted, mut apart): (Vec<String>, Vec<String>) = Default::default();
    for (template, question) in own {
        if template == BRANDED {
            apart.push(format!("\"{question}\""));
        } else if target.is_named_in(question) {
            counted.push(format!("\"{question}\""));
        }
    }
    if !counted.is_empty() {
        let questions = counted.join(", ");
        let message = format!(
            "a question names the domain scanned and so leads to it: {questions}; keep this scan out of trends"
        );
        warnings.push(Warning::new(BRANDING[1], message));
    }
    if !apart.is_empty() {
        let questions = apart.join(", ");
        let message = format!(
            "a question names the domain scanned, so it is counted apart and in no score: {questions}"
        );
        warnings.push(Warning::new(BRANDING[2], message));
    }
    warnings
}
