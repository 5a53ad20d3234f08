//! Rings around a place, and how far a domain is cited.

use super::Competitor;
use crate::{Interval, Ring, Score};
use serde::{Deserialize, Serialize};

/// The place of a scan: what was written, what it was taken for, what else it could mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocationReport {
    /// The place as the caller wrote it.
    pub text: String,
    /// The place that the text names.
    pub resolved: Place,
    /// Other places of that name, most prominent first, at most four.
    pub alternatives: Vec<Place>,
    /// Whether another reading was close enough to matter.
    pub ambiguous: bool,
    /// The certainty of the reading; absent in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<PlaceCertainty>,
    /// Number of cities that several countries are asked about in, such as 6 for Europe; absent for one place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cities: Option<u32>,
}

impl LocationReport {
    /// The place as people read it: "Valencia, Comunitat Valenciana, Spain", "Europe (6 cities)".
    pub fn label(&self) -> String {
        self.counted(self.resolved.label())
    }

    /// The place without its region: "Valencia, Spain", "Europe (6 cities)".
    pub fn short_label(&self) -> String {
        let Place { name, country, .. } = &self.resolved;
        self.counted(if country.is_empty() || country == name {
            name.clone()
        } else {
            format!("{name}, {country}")
        })
    }

    fn counted(&self, label: String) -> String {
        match self.cities {
            None => label,
            Some(1) => format!("{label} (1 city)"),
            Some(cities) => format!("{label} ({cities} cities)"),
        }
    }
}

/// The certainty that a text names a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PlaceCertainty {
    /// The text is a name of the place, and no other place of that name is nearly as well known.
    Certain,
    /// A typing error was corrected, and no other place is written nearly like the text.
    Likely,
    /// Another place is nearly as well known by that name.
    Ambiguous,
}

impl PlaceCertainty {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A place of the gazetteer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// Main name.
    pub name: String,
    /// First-level region, where known.
    pub admin: Option<String>,
    /// Country name in English.
    pub country: String,
    /// ISO 3166-1 alpha-2 code; empty for several countries.
    pub country_code: String,
    /// Latitude in degrees, north positive; `null` for several countries.
    pub lat: Option<f64>,
    /// Longitude in degrees, east positive; `null` for several countries.
    pub lon: Option<f64>,
    /// Inhabitants, 0 when unknown.
    pub population: u64,
    /// The kind of match.
    pub matched: PlaceMatch,
}

impl Place {
    /// Name, region and country, each once: "Valencia, Comunitat Valenciana, Spain".
    pub fn label(&self) -> String {
        let mut parts = vec![self.name.as_str()];
        for part in self.admin.as_deref().into_iter().chain([self.country.as_str()]) {
            if !part.is_empty() && !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(", ")
    }
}

/// A place to offer instead of a text that names none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceSuggestion {
    /// Name, region and country; accepted as a location.
    pub label: String,
    /// ISO 3166-1 alpha-2 code of the country.
    pub country: String,
    /// Latitude in degrees, north positive.
    pub lat: f64,
    /// Longitude in degrees, east positive.
    pub lon: f64,
}

/// The kind of match between a text and a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlaceMatch {
    /// The main name of the place.
    Exact,
    /// Another name of the place: an exonym, a historic name, an abbreviation.
    Alternate,
    /// After correcting a typing error.
    Corrected,
    /// "lat, lon".
    Coordinates,
    /// A country.
    Country,
    /// A region; its most populous place is the anchor.
    Region,
}

/// The radius part of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RadiusReport {
    /// Whether rings were scanned.
    pub status: RadiusStatus,
    /// The point that the rings are measured from; `null` without a place.
    pub scope: Option<RadiusScope>,
    /// One entry a scanned ring, from home outward.
    pub rings: Vec<RingResult>,
    /// The websites and names that all answers cite, the target among them.
    pub top_competitors: Vec<Competitor>,
    /// Distance within which the domain is cited in at least `thresholdPct` of answers; `null` when unknown.
    pub citation_radius_km: Option<f64>,
    /// The range that holds that distance four times in five, in kilometres.
    pub radius_range_km: Option<[f64; 2]>,
    /// The radius reaches at least this far: the rings ended before the citations did.
    pub censored: bool,
    /// The radius is under the distance given: nothing nearer can be measured.
    #[serde(default)]
    pub at_most: bool,
    /// Cited rate, in per cent, that defines the radius.
    pub threshold_pct: u8,
    /// The data for a picture of the rings; `null` without rings and for several countries.
    pub map: Option<RadiusMap>,
}

/// Whether rings were scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RadiusStatus {
    /// Every scanned ring has answers.
    Complete,
    /// Some ring has failed or missing answers.
    Partial,
    /// No ring question was answered.
    Failed,
    /// The caller asked for no ring.
    NotRequested,
    /// No place was given.
    NoLocation,
}

/// The point that the rings are measured from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RadiusScope {
    /// A town.
    City,
    /// The most populous place of a region.
    Region,
    /// A whole country: rings are tiers of its cities, not distances.
    Country,
}

/// One ring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RingResult {
    /// Ring number.
    pub ring: Ring,
    /// Inner edge in kilometres.
    pub from_km: u16,
    /// Outer edge in kilometres.
    pub to_km: u16,
    /// Whether it was answered.
    pub status: RingStatus,
    /// Mean answer score, 0..100; `null` without answers.
    pub score: Option<Score>,
    /// 95 % interval of the score; `null` together with it.
    pub score_interval: Option<Interval>,
    /// Valid answers, of all models.
    pub answers: u32,
    /// Citing answers over valid answers, 0..1; `null` without answers.
    pub cited_rate: Option<f64>,
    /// Citing answers over valid answers that name any provider, 0..1; `null` without such.
    pub cited_rate_informative: Option<f64>,
    /// 95 % interval of the cited rate.
    pub cited_rate_interval: Option<Interval>,
    /// The markets asked about, at most three.
    pub markets: Vec<MarketResult>,
}

/// Whether a ring was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RingStatus {
    /// Every question has a valid answer.
    Complete,
    /// Some do.
    Partial,
    /// The ring holds no market.
    Empty,
    /// None does.
    Failed,
}

/// One market of a ring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MarketResult {
    /// Stable id of the place in the gazetteer.
    pub id: String,
    /// Main name.
    pub name: String,
    /// First-level region, where known.
    pub admin: Option<String>,
    /// Country name in English.
    pub country: String,
    /// ISO 3166-1 alpha-2 code.
    pub country_code: String,
    /// Latitude in degrees, north positive.
    pub lat: f64,
    /// Longitude in degrees, east positive.
    pub lon: f64,
    /// Inhabitants, 0 when unknown.
    pub population: u64,
    /// Great-circle distance from the anchor in kilometres, one decimal; `null` in one of several countries.
    pub distance_km: Option<f64>,
    /// Initial bearing from the anchor, degrees clockwise from north, one decimal; `null` together with it.
    pub bearing_deg: Option<f64>,
    /// Whether it lies in another country than the anchor.
    pub cross_border: bool,
    /// Mean answer score, 0..100; `null` without answers.
    pub score: Option<Score>,
    /// Citing answers over valid answers, 0..1.
    pub cited_rate: Option<f64>,
    /// The rate to expect: its own answers, drawn towards the other towns as far as they are alike; `null` without
    /// answers and in results of older versions.
    #[serde(default)]
    pub expected_rate: Option<f64>,
    /// 95 % interval of the expected rate.
    #[serde(default)]
    pub expected_rate_interval: Option<Interval>,
    /// Chance, 0..1, that the rate is lower than at home by a tenth or more; 0 for home.
    #[serde(default)]
    pub lost: Option<f64>,
    /// Calls planned, of all models.
    pub questions: u32,
    /// Calls with a valid answer.
    pub answered: u32,
    /// Names of the competitors cited there, best first, at most three.
    pub top_competitors: Vec<String>,
}

impl MarketResult {
    /// Name, region and country: "Torrent, Valencia, Spain".
    /// No name is written twice.
    pub fn label(&self) -> String {
        let mut parts = vec![self.name.as_str()];
        for part in self.admin.as_deref().into_iter().chain([self.country.as_str()]) {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(", ")
    }
}

/// The data for a picture of the rings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RadiusMap {
    /// Outer edge of each scanned ring in kilometres, ascending.
    pub ring_edges_km: Vec<u16>,
    /// One point a market.
    pub points: Vec<MapPoint>,
}

/// One market on the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MapPoint {
    /// Name to write next to it.
    pub name: String,
    /// Degrees clockwise from north.
    pub bearing_deg: f64,
    /// Kilometres from the anchor.
    pub distance_km: f64,
    /// Mean answer score; `null` without answers.
    pub score: Option<Score>,
    /// Citing answers over valid answers, 0..1; `null` without answers and in results of older versions.
    #[serde(default)]
    pub cited_rate: Option<f64>,
    /// The rate to expect, 0..1, which the picture shows; `null` together with that of the market.
    #[serde(default)]
    pub expected_rate: Option<f64>,
    /// Valid answers.
    pub answers: u32,
    /// Ring number.
    pub ring: Ring,
}
