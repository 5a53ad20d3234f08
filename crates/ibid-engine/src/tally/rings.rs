//! Rings, markets and the citation radius.

use super::Tally;
use super::models::round4;
use crate::plan::Slot;
use crate::radius::{self, MarketCount, RingCount};
use crate::score::{self, GroupScore, Sample};
use ibid_gazetteer::{Market, RingMarkets};
use ibid_model::Ring;
use ibid_model::result::{
    CompetitorKind, MapPoint, MarketResult, RadiusMap, RadiusReport, RadiusScope, RadiusStatus, RingResult,
    RingStatus,
};
use std::collections::BTreeMap;

/// Rivals named for each market.
const MARKET_RIVALS: usize = 3;

impl Tally<'_> {
    pub(super) fn radius(&self) -> RadiusReport {
        let scope = self.plan.located().map(|located| located.resolved().scope());
        let rings: Vec<RingResult> = self.plan.rings().iter().map(|ring| self.ring(ring)).collect();
        // Under a country rings are tiers of its cities, so there is no distance to fall off with.
        let measured = (scope != Some(RadiusScope::Country) && !rings.is_empty())
            .then(|| radius::citation_radius(&self.counts(), self.bootstrap.seed()));
        RadiusReport {
            status: status(scope.is_some(), &rings),
            scope,
            top_competitors: self.rivals(),
            citation_radius_km: measured.and_then(|measured| measured.citation_radius_km),
            radius_range_km: measured.and_then(|measured| measured.radius_range_km),
            censored: measured.is_some_and(|measured| measured.censored),
            threshold_pct: radius::THRESHOLD_PCT,
            map: (!rings.is_empty()).then(|| map(&rings)),
            rings,
        }
    }

    fn ring(&self, ring: &RingMarkets) -> RingResult {
        let numbers = score::group(
            &self.samples(|slot| slot.ring() == Some(ring.ring)),
            &self.bootstrap,
        );
        let markets = ring
            .markets
            .iter()
            .enumerate()
            .map(|(index, market)| self.market(ring.ring, index, market));
        RingResult {
            ring: ring.ring,
            from_km: ring.ring.from_km(),
            to_km: ring.ring.to_km(),
            status: ring_status(ring.markets.is_empty(), &numbers),
            score: numbers.score,
            score_interval: numbers.interval,
            answers: numbers.valid,
            cited_rate: numbers.cited_rate.map(round4),
            cited_rate_informative: numbers.cited_rate_informative.map(round4),
            cited_rate_interval: numbers.cited_rate_interval,
            markets: markets.collect(),
        }
    }

    fn market_numbers(&self, ring: Ring, market: usize) -> GroupScore {
        score::group(
            &self.samples(|slot| slot == Slot::Ring { ring, market }),
            &self.bootstrap,
        )
    }

    fn market(&self, ring: Ring, index: usize, market: &Market) -> MarketResult {
        let numbers = self.market_numbers(ring, index);
        let place = &market.place;
        MarketResult {
            id: place.id().to_string(),
            name: place.name().to_owned(),
            admin: place.admin().map(str::to_owned),
            country: place.country().to_owned(),
            country_code: place.country_code().to_owned(),
            lat: place.lat(),
            lon: place.lon(),
            population: place.population(),
            distance_km: round1(market.distance_km),
            bearing_deg: round1(market.bearing_deg),
            cross_border: market.cross_border,
            score: numbers.score,
            cited_rate: numbers.cited_rate.map(round4),
            questions: numbers.asked,
            answered: numbers.valid,
            top_competitors: self.market_rivals(ring, index),
        }
    }

    /// The names that a market's answers rank best.
    fn market_rivals(&self, ring: Ring, market: usize) -> Vec<String> {
        top_rivals(&self.samples(|slot| slot == Slot::Ring { ring, market }))
    }

    fn counts(&self) -> Vec<RingCount> {
        let count = |ring: Ring, index: usize, market: &Market| {
            let numbers = self.market_numbers(ring, index);
            MarketCount {
                // As published, so that the radius follows from the published numbers.
                distance_km: round1(market.distance_km),
                cited: numbers.cited,
                answered: numbers.informative,
            }
        };
        let ring = |ring: &RingMarkets| RingCount {
            ring: ring.ring,
            markets: ring
                .markets
                .iter()
                .enumerate()
                .map(|(index, market)| count(ring.ring, index, market))
                .collect(),
        };
        self.plan.rings().iter().map(ring).collect()
    }
}

/// The names that answers rank best.
pub(crate) fn top_rivals(samples: &[Sample<'_>]) -> Vec<String> {
    let mut points: BTreeMap<&str, f64> = BTreeMap::new();
    for entity in samples.iter().flat_map(|sample| sample.reading.competitors()) {
        if let (CompetitorKind::Rival, Some(rank)) = (entity.kind, entity.rank) {
            *points.entry(&entity.name).or_default() += 1.0 / (f64::from(rank) + 1.0).log2();
        }
    }
    let mut names: Vec<(&str, f64)> = points.into_iter().collect();
    names.sort_by(|a, b| b.1.total_cmp(&a.1));
    names
        .into_iter()
        .take(MARKET_RIVALS)
        .map(|(name, _)| name.to_owned())
        .collect()
}

pub(crate) fn ring_status(is_empty: bool, numbers: &GroupScore) -> RingStatus {
    if is_empty {
        RingStatus::Empty
    } else if numbers.valid == 0 {
        RingStatus::Failed
    } else if numbers.valid < numbers.asked {
        RingStatus::Partial
    } else {
        RingStatus::Complete
    }
}

pub(crate) fn status(located: bool, rings: &[RingResult]) -> RadiusStatus {
    let is = |status: RingStatus| move |ring: &RingResult| ring.status == status;
    if !located {
        RadiusStatus::NoLocation
    } else if rings.is_empty() {
        RadiusStatus::NotRequested
    } else if rings.iter().any(is(RingStatus::Failed)) && !rings.iter().any(|ring| ring.answers > 0) {
        RadiusStatus::Failed
    } else if rings
        .iter()
        .any(|ring| matches!(ring.status, RingStatus::Partial | RingStatus::Failed))
    {
        RadiusStatus::Partial
    } else {
        RadiusStatus::Complete
    }
}

pub(crate) fn map(rings: &[RingResult]) -> RadiusMap {
    let points = rings.iter().flat_map(|ring| {
        ring.markets.iter().map(|market| MapPoint {
            name: market.name.clone(),
            bearing_deg: market.bearing_deg,
            distance_km: market.distance_km,
            score: market.score,
            answers: market.answered,
            ring: ring.ring,
        })
    });
    RadiusMap {
        ring_edges_km: rings.iter().map(|ring| ring.to_km).collect(),
        points: points.collect(),
    }
}

fn round1(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
