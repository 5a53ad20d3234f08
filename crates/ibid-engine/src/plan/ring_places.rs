//! The rings and markets of a plan, before they have numbers.

use crate::slot::RingPlaces;
use ibid_gazetteer::{MarketTown, RingMarkets};
use ibid_model::result::MarketResult;

/// The rings as their numbers want them. Without a centre there are no distances.
pub(super) fn of(rings: &[RingMarkets], has_centre: bool) -> Vec<RingPlaces> {
    let ring = |ring: &RingMarkets| RingPlaces {
        ring: ring.ring,
        from_km: ring.ring.from_km(),
        to_km: ring.ring.to_km(),
        markets: ring
            .markets
            .iter()
            .map(|market| place(market, has_centre))
            .collect(),
    };
    rings.iter().map(ring).collect()
}

fn place(market: &MarketTown, has_centre: bool) -> MarketResult {
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
        distance_km: has_centre.then(|| round1(market.distance_km)),
        bearing_deg: has_centre.then(|| round1(market.bearing_deg)),
        cross_border: market.cross_border,
        score: None,
        cited_rate: None,
        expected_rate: None,
        expected_rate_interval: None,
        lost: None,
        questions: 0,
        answered: 0,
        top_competitors: Vec::new(),
    }
}

fn round1(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
