//! Rings and markets: their coverage, and the competitors named there.

use crate::score::{GroupScore, Sample};
use ibid_model::result::{CompetitorKind, MapPoint, RadiusMap, RadiusStatus, RingResult, RingStatus};
use std::collections::BTreeMap;

/// Competitors named for each market.
const MARKET_COMPETITORS: usize = 3;

/// The names that answers rank best.
pub(super) fn top_competitors_of(samples: &[Sample<'_>]) -> Vec<String> {
    let mut points: BTreeMap<&str, f64> = BTreeMap::new();
    for competitor in samples.iter().flat_map(|sample| sample.reading.others()) {
        if let (CompetitorKind::Rival, Some(rank)) = (competitor.kind, competitor.rank) {
            *points.entry(&competitor.name).or_default() += 1.0 / (f64::from(rank) + 1.0).log2();
        }
    }
    let mut names: Vec<(&str, f64)> = points.into_iter().collect();
    names.sort_by(|a, b| b.1.total_cmp(&a.1));
    names
        .into_iter()
        .take(MARKET_COMPETITORS)
        .map(|(name, _)| name.to_owned())
        .collect()
}

pub(super) fn ring_status(is_empty: bool, numbers: &GroupScore) -> RingStatus {
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

pub(super) fn status(located: bool, rings: &[RingResult]) -> RadiusStatus {
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

/// The picture; `None` if a market has no distance.
pub(super) fn map(rings: &[RingResult]) -> Option<RadiusMap> {
    let points = rings.iter().flat_map(|ring| {
        ring.markets.iter().map(|market| {
            Some(MapPoint {
                name: market.name.clone(),
                bearing_deg: market.bearing_deg?,
                distance_km: market.distance_km?,
                score: market.score,
                cited_rate: market.cited_rate,
                expected_rate: market.expected_rate,
                answers: market.answered,
                ring: ring.ring,
            })
        })
    });
    Some(RadiusMap {
        ring_edges_km: rings.iter().map(|ring| ring.to_km).collect(),
        points: points.collect::<Option<_>>()?,
    })
}
