//! The numbers of a result, made again in place.

use super::Again;
use crate::radius::{self, MarketCount, RingCount};
use crate::score::{self, RivalTable};
use crate::tally::{map, ring_status, round4, status, summary_of, top_rivals};
use ibid_model::ModelAlias;
use ibid_model::result::{
    AnswerSummary, MarketResult, ModelResult, RadiusReport, RadiusScope, RingResult, ScanResult, Usage,
};
use std::collections::HashMap;

impl Again<'_> {
    /// The old result with every number that rests on a reading made again.
    pub(super) fn numbers(&self) -> ScanResult {
        let core = self.samples(|cell| cell.market.is_none());
        let overall = score::group(&core, &self.bootstrap);
        let models = self.result.models.iter().enumerate();
        ScanResult {
            overall_score: overall.score.unwrap_or_default(),
            interval: overall.interval,
            models: models
                .map(|(index, old)| self.model(index, old, &score::model(&core, index, &self.bootstrap)))
                .collect(),
            radius: self.radius(),
            brand_names: self.target.aliases().to_vec(),
            usage: self.usage(),
            ..self.result.clone()
        }
    }

    fn model(&self, index: usize, old: &ModelResult, scored: &score::ModelScore) -> ModelResult {
        let numbers = &scored.numbers;
        ModelResult {
            cited: numbers.cited > 0,
            score: numbers.score.unwrap_or_default(),
            prominence: scored.prominence,
            cited_rate: round4(numbers.cited_rate.unwrap_or_default()),
            cited_rate_interval: numbers.cited_rate_interval,
            linked_rate: round4(numbers.linked_rate.unwrap_or_default()),
            rank: scored.rank,
            score_interval: numbers.interval,
            coverage: round4(numbers.coverage.unwrap_or_default()),
            informative_rate: round4(numbers.informative_rate.unwrap_or_default()),
            answers: self.answers(index, old),
            ..old.clone()
        }
    }

    fn answers(&self, model: usize, old: &ModelResult) -> Vec<AnswerSummary> {
        let hashes: HashMap<&str, Option<&str>> = old
            .answers
            .iter()
            .map(|answer| (answer.question_id.as_str(), answer.question_hash.as_deref()))
            .collect();
        let own = self
            .cells
            .iter()
            .filter(|cell| cell.market.is_none() && cell.model == model);
        own.map(|cell| {
            let (id, reading) = (&cell.answer.question_id, &cell.reading);
            let hash = hashes.get(id.as_str()).copied().flatten();
            summary_of(id.clone(), hash.map(str::to_owned), reading)
        })
        .collect()
    }

    fn usage(&self) -> Usage {
        let valid = self.cells.iter().filter(|cell| cell.reading.is_valid()).count();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Usage {
            answered: count(valid),
            failed: count(self.cells.len() - valid),
            ..self.result.usage
        }
    }

    fn radius(&self) -> RadiusReport {
        let old = &self.result.radius;
        let models: Vec<ModelAlias> = self
            .result
            .models
            .iter()
            .map(|model| model.model.clone())
            .collect();
        let table = RivalTable {
            target: &self.target,
            models: &models,
            seed: self.bootstrap.seed(),
        };
        let rings: Vec<RingResult> = old.rings.iter().map(|ring| self.ring(ring)).collect();
        let measured = (old.scope != Some(RadiusScope::Country) && !rings.is_empty())
            .then(|| radius::citation_radius(&self.counts(), self.bootstrap.seed()));
        RadiusReport {
            status: status(old.scope.is_some(), &rings),
            scope: old.scope,
            top_competitors: score::rivals(&self.samples(|_| true), &table),
            citation_radius_km: measured.and_then(|measured| measured.citation_radius_km),
            radius_range_km: measured.and_then(|measured| measured.radius_range_km),
            censored: measured.is_some_and(|measured| measured.censored),
            threshold_pct: radius::THRESHOLD_PCT,
            map: (!rings.is_empty()).then(|| map(&rings)),
            rings,
        }
    }

    fn ring(&self, old: &RingResult) -> RingResult {
        let samples = self.samples(|cell| cell.market.is_some_and(|(ring, _)| ring == old.ring));
        let numbers = score::group(&samples, &self.bootstrap);
        let markets = old.markets.iter().enumerate();
        RingResult {
            status: ring_status(old.markets.is_empty(), &numbers),
            score: numbers.score,
            score_interval: numbers.interval,
            answers: numbers.valid,
            cited_rate: numbers.cited_rate.map(round4),
            cited_rate_informative: numbers.cited_rate_informative.map(round4),
            cited_rate_interval: numbers.cited_rate_interval,
            markets: markets
                .map(|(index, market)| self.market(old, index, market))
                .collect(),
            ..old.clone()
        }
    }

    fn market(&self, ring: &RingResult, index: usize, old: &MarketResult) -> MarketResult {
        let samples = self.samples(|cell| cell.market == Some((ring.ring, index)));
        let numbers = score::group(&samples, &self.bootstrap);
        MarketResult {
            score: numbers.score,
            cited_rate: numbers.cited_rate.map(round4),
            questions: numbers.asked,
            answered: numbers.valid,
            top_competitors: top_rivals(&samples),
            ..old.clone()
        }
    }

    fn counts(&self) -> Vec<RingCount> {
        let rings = self.result.radius.rings.iter();
        rings
            .map(|ring| RingCount {
                ring: ring.ring,
                markets: ring
                    .markets
                    .iter()
                    .enumerate()
                    .map(|(index, market)| {
                        let samples = self.samples(|cell| cell.market == Some((ring.ring, index)));
                        let numbers = score::group(&samples, &self.bootstrap);
                        MarketCount {
                            distance_km: market.distance_km,
                            cited: numbers.cited,
                            answered: numbers.informative,
                        }
                    })
                    .collect(),
            })
            .collect()
    }
}
