//! A place and its names.

use crate::area::{AreaKind, AreaWeight};
use crate::fold::fold;
use crate::gazetteer::{NamedPlace, Row, gazetteer};
use crate::geo::Point;
use crate::layout::{SMALLEST_TOWN, Subject};
use crate::resolve::{is_outweighed, score};
use ibid_model::result::{PlaceMatch, PlaceSuggestion};
use std::fmt;

/// Identifies a place for good: its GeoNames id.
///
/// It stays the same in new versions of the gazetteer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub(crate) u32);

impl PlaceId {
    /// The GeoNames id as a number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for PlaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A town or a country of the gazetteer.
///
/// Cheap to copy: its texts are in the embedded data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownPlace {
    pub(crate) id: PlaceId,
    pub(crate) name: &'static str,
    pub(crate) admin: Option<&'static str>,
    pub(crate) country: &'static str,
    pub(crate) country_code: &'static str,
    pub(crate) lat: f64,
    pub(crate) lon: f64,
    pub(crate) population: u64,
    pub(crate) languages: &'static [&'static str],
    pub(crate) index: PlaceIndex,
}

/// What in an address tells a place from its namesakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToldApart {
    /// Its name alone: no namesake is better known.
    ByName,
    /// Its first-level region.
    ByRegion,
    /// Its country.
    ByCountry,
}

/// Places closer than this are one.
pub(crate) const NEAR_KM: f64 = 30.0;

/// Where a place stands in the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlaceIndex {
    /// A town's row; `None` for a country.
    pub(crate) row: Option<Row>,
    pub(crate) region: Option<usize>,
    pub(crate) country: usize,
}

impl KnownPlace {
    /// The GeoNames id.
    pub const fn id(&self) -> PlaceId {
        self.id
    }

    /// The main name in GeoNames: often local (for example Sevilla, Köln), sometimes English (Munich).
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether a name is that of a place elsewhere; `None` if it names none.
    ///
    /// A town near this one is not elsewhere, nor is a country or region around it. Near are 30 km, and 10 km where a city of 100,000
    /// has the name: Bradford is not Leeds. Of towns abroad only such a city is meant by its name alone.
    ///
    /// ```
    /// let found = ibid_gazetteer::resolve("Leeds, UK")?;
    /// let is_elsewhere = |name| found.place().is_elsewhere(name);
    /// assert_eq!(["Manchester", "Bradford", "Spain"].map(is_elsewhere), [Some(true); 3]);
    /// assert_eq!(["Leeds", "England"].map(is_elsewhere), [Some(false); 2]);
    /// assert_eq!(is_elsewhere("Xyzzy"), None);
    /// # Ok::<(), ibid_gazetteer::PlaceNotFound>(())
    /// ```
    pub fn is_elsewhere(&self, name: &str) -> Option<bool> {
        const CITY: u64 = 100_000;
        let (g, key) = (gazetteer()?, fold(name));
        let here = self.index.row.map(|row| g.point(row));
        let is_home = |row: Row| g.country(row) == self.index.country;
        let towns: Vec<Row> = g
            .places_named(&key)
            .filter(|named| named.main)
            .map(|named| named.row)
            .filter(|row| g.population(*row) >= if is_home(*row) { SMALLEST_TOWN } else { CITY })
            .collect();
        let is_near = |row: &Row| match here {
            Some(here) => {
                let km = if g.population(*row) >= CITY {
                    NEAR_KM / 3.0
                } else {
                    NEAR_KM
                };
                g.point(*row).distance_km(here) <= km
            }
            None => is_home(*row),
        };
        let areas: Vec<_> = g
            .areas_named(&key)
            .filter(|area| area.weight == AreaWeight::Own)
            .map(|area| (area.kind, g.country_of(area) == self.index.country))
            .filter(|(kind, is_home)| *is_home || *kind != AreaKind::Part)
            .map(|(_, is_home)| is_home)
            .collect();
        match (towns.is_empty(), areas.is_empty()) {
            (false, _) => Some(!towns.iter().any(is_near)),
            (true, false) => Some(!areas.contains(&true)),
            (true, true) => None,
        }
    }

    /// The name in a language ("en", "zh-Hant"), where the data has one.
    ///
    /// May equal the main name.
    pub fn name_in(&self, language: &str) -> Option<&'static str> {
        match self.index.row {
            Some(row) => gazetteer()?.local(row.0 as usize, Subject::Place, language),
            None => self.country_in(language),
        }
    }

    /// Names the first-level region in a language, where the data has it.
    pub fn admin_in(&self, language: &str) -> Option<&'static str> {
        gazetteer()?.local(self.index.region?, Subject::Region, language)
    }

    /// Names the country in a language, where the data has it.
    pub fn country_in(&self, language: &str) -> Option<&'static str> {
        gazetteer()?.local(self.index.country, Subject::Country, language)
    }

    /// Returns the part of the address that distinguishes the place from a better known namesake.
    pub fn told_apart_by(&self) -> ToldApart {
        let (Some(g), Some(row)) = (gazetteer(), self.index.row) else {
            return ToldApart::ByName;
        };
        let named: Vec<NamedPlace> = g.places_named(&fold(self.name)).collect();
        let Some(own) = named
            .iter()
            .find(|named| named.row == row)
            .map(|own| score(g, *own))
        else {
            return ToldApart::ByName;
        };
        let here = g.point(row);
        let key = fold(self.name);
        let namesakes = || {
            named.iter().filter(|other| {
                let place = g.place(other.row);
                // Newcastle upon Tyne is Newcastle, too.
                let main = other.main || fold(place.name).starts_with(&format!("{key} "));
                let known = score(g, NamedPlace { main, ..**other });
                let is_apart = g.point(other.row).distance_km(here) > NEAR_KM
                    || (other.main && g.region(other.row) != g.region(row));
                other.row != row && is_apart && known > own - self.lead_over(place.country_code)
            })
        };
        let mut areas = g.areas_named(&key);
        let in_area = areas.any(|area| {
            area.kind != AreaKind::Part && area.weight == AreaWeight::Own && is_outweighed(g, row, area)
        });
        // People in these countries name a town with its state.
        let states = ["US", "CA", "AU", "BR", "MX", "IN"].contains(&self.country_code);
        if namesakes().next().is_none() && !in_area {
            ToldApart::ByName
        } else if states || namesakes().any(|other| g.country(other.row) == self.index.country) {
            ToldApart::ByRegion
        } else {
            ToldApart::ByCountry
        }
    }

    /// The lead in prominence that tells the place apart from a namesake in a country.
    ///
    /// A town overseas is told apart from nearly as well-known ones, and from a less known one in Europe that it is
    /// named after: "Durham" may be either. A town in Europe is meant by its name alone.
    fn lead_over(&self, country_code: &str) -> f64 {
        let is_european = |code: &str| {
            [
                "GB", "IE", "ES", "PT", "FR", "IT", "DE", "NL", "BE", "CH", "AT", "GR", "PL", "SE", "NO",
                "DK", "FI",
            ]
            .contains(&code)
        };
        match (is_european(self.country_code), is_european(country_code)) {
            (true, _) => 0.0,
            (false, true) => 3.0,
            (false, false) => 1.0,
        }
    }

    /// First-level region, where known.
    pub const fn admin(&self) -> Option<&'static str> {
        self.admin
    }

    /// Country name in English.
    pub const fn country(&self) -> &'static str {
        self.country
    }

    /// ISO 3166-1 alpha-2 code, upper case.
    pub const fn country_code(&self) -> &'static str {
        self.country_code
    }

    /// Latitude in degrees, north positive.
    pub const fn lat(&self) -> f64 {
        self.lat
    }

    /// Longitude in degrees, east positive.
    pub const fn lon(&self) -> f64 {
        self.lon
    }

    /// Inhabitants, 0 when unknown.
    pub const fn population(&self) -> u64 {
        self.population
    }

    /// Which language most questions there are in, as a BCP 47 tag.
    ///
    /// Follows the country, with exceptions for regions that clearly differ (Québec, Flanders, Swiss cantons).
    pub fn language(&self) -> &'static str {
        self.languages.first().copied().unwrap_or("en")
    }

    /// The languages to ask in, best first: "ca" then "es".
    ///
    /// The later ones are for a caller that does not speak the first one.
    pub const fn languages(&self) -> &'static [&'static str] {
        self.languages
    }

    /// Name, region and country: "Torrent, Valencia, Spain".
    ///
    /// No name is written twice.
    pub fn label(&self) -> String {
        let mut parts = vec![self.name];
        for part in self.admin.into_iter().chain([self.country]) {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(", ")
    }

    /// Stands for several countries with this name, whose largest town the place is.
    pub(crate) const fn widened(self, name: &'static str, languages: &'static [&'static str]) -> Self {
        Self {
            name,
            admin: None,
            country: name,
            country_code: "",
            population: 0,
            languages,
            index: PlaceIndex {
                row: None,
                region: None,
                country: usize::MAX,
            },
            ..self
        }
    }

    /// Returns whether the place is several countries, such as "Asia", which have no point.
    pub const fn is_wide(&self) -> bool {
        self.country_code.is_empty()
    }

    /// Returns whether two places count as one.
    ///
    /// They are in one country and at most 30 km apart.
    pub(crate) fn is_near(&self, other: &Self) -> bool {
        self.country_code == other.country_code && self.point().distance_km(other.point()) <= NEAR_KM
    }

    pub(crate) const fn point(&self) -> Point {
        Point {
            lat: self.lat,
            lon: self.lon,
        }
    }

    /// The place as a suggestion for a text without a known place.
    pub fn to_suggestion(&self) -> PlaceSuggestion {
        PlaceSuggestion {
            label: self.label(),
            country: self.country_code.to_owned(),
            lat: self.lat,
            lon: self.lon,
        }
    }

    /// The place as a result shows it.
    pub fn to_model(&self, matched: PlaceMatch) -> ibid_model::result::Place {
        let point = (!self.is_wide()).then(|| self.point());
        ibid_model::result::Place {
            name: self.name.to_owned(),
            admin: self.admin.map(str::to_owned),
            country: self.country.to_owned(),
            country_code: self.country_code.to_owned(),
            lat: point.map(|point| point.lat),
            lon: point.map(|point| point.lon),
            population: self.population,
            matched,
        }
    }
}
