//! From text to a place.

mod choice;
mod coordinates;
mod district;
mod exact;
mod informal_area;
mod link;
mod plus_code;
mod reading;
mod territories;
mod text;
mod typo;
mod unspaced;

use crate::area::{Area, AreaKind};
use crate::fold::fold;
use crate::gazetteer::{Gazetteer, Row, gazetteer};
use crate::geo::Point;
use crate::layout::{MARKET, core_km};
use crate::near::{around, nearest};
use crate::place::KnownPlace;
use crate::vernacular;
use choice::OUTWEIGHS;
pub(crate) use choice::is_outweighed;
use ibid_model::result::{LocationReport, PlaceCertainty, PlaceMatch, RadiusScope};
use link::MapLink;
use plus_code::PlusCode;
pub(crate) use reading::score;
use reading::{Reading, Target};

/// The difference in prominence from the best reading that makes a text ambiguous.
const CLOSE: f64 = 3.0;
/// The difference in prominence of an equally well-known town, even with an alternate name.
const AS_KNOWN: f64 = 1.0;
/// Most alternatives reported.
const MAX_ALTERNATIVES: usize = 4;
/// Coordinates are refused without a place within this distance: every ring would be empty.
const REMOTE_KM: f64 = 500.0;

/// Looks a place up in the embedded gazetteer.
///
/// Reads "city, country", with regions, exonyms, abbreviations, postal codes and addresses around it;
/// a country or region alone; and "lat, lon".
///
/// Corrects one or two typing errors where the rest of the text leaves no doubt.
/// A name of several places means the most prominent one.
/// The result lists the others.
///
/// ```
/// let place = ibid_gazetteer::resolve("Barclona, Spain").unwrap();
/// assert_eq!(place.place().name(), "Barcelona");
/// assert!(ibid_gazetteer::resolve("Qqqq, Nowhere").is_err());
/// ```
///
/// # Errors
/// [`PlaceNotFound`] if the gazetteer has no place of that name.
/// It does not guess.
pub fn resolve(text: &str) -> Result<ResolvedPlace, PlaceNotFound> {
    let unknown = |refusal, suggestions| PlaceNotFound { refusal, suggestions };
    let Some(g) = gazetteer() else {
        return Err(unknown(PlaceRefusal::Unknown, Vec::new()));
    };
    if vernacular::is_no_place(&fold(text)) {
        return Err(unknown(PlaceRefusal::NoPlace, Vec::new()));
    }
    let at = |point| at(g, point).ok_or_else(|| unknown(PlaceRefusal::Unknown, Vec::new()));
    if let Some(point) = coordinates::parse(text) {
        return at(point);
    }
    match link::read(text) {
        Some(MapLink::Point(point)) => return at(point),
        // The text in a link is read, a link in it is not.
        Some(MapLink::Search(text)) if !text.contains("://") => return resolve(&text),
        Some(MapLink::Search(_) | MapLink::Empty) => return Err(unknown(PlaceRefusal::Link, Vec::new())),
        None => {}
    }
    match plus_code::find(text) {
        Some(PlusCode::Full(point)) => return at(point),
        Some(PlusCode::Short(_, town)) if town.is_empty() => {
            return Err(unknown(PlaceRefusal::ShortCode, Vec::new()));
        }
        Some(PlusCode::Short(code, town)) => {
            let town = resolve(&town)?;
            let near = town.place.point();
            return at(plus_code::recover(code, near).unwrap_or(near));
        }
        None => {}
    }
    let parts = text::parts(text);
    if !parts.is_empty() && parts.iter().all(text::Part::is_code) {
        return Err(unknown(PlaceRefusal::PostalCode, Vec::new()));
    }
    if let Some(found) = informal_area::vernacular(g, &parts) {
        return Ok(found);
    }
    let mut guesses = typo::Guesses::default();
    let exact = exact::read(g, &parts);
    // "75008, France" is no order for the whole country.
    let is_area = |found: &Reading| matches!(found.target, Target::Area(_));
    if exact.as_ref().is_some_and(is_area) && text::has_postal_code(text) {
        return Err(unknown(PlaceRefusal::PostalCode, Vec::new()));
    }
    // "Guadalahara, Mexico" is a typing error, and no district of Mexico City.
    let is_district = |found: &Reading| found.district.is_some();
    let corrected = match &exact {
        Some(found) if !(is_district(found) && exact::ends_in_country(g, &parts)) => None,
        _ => typo::correct(g, &parts, &mut guesses),
    };
    let found = match (corrected, exact) {
        (Some(found), _) => Ok(report(g, found, Some(PlaceMatch::Corrected))),
        (None, Some(found)) => district::confirm(g, found, None).map(|found| report(g, found, None)),
        (None, None) => district::read(g, &parts, &mut guesses)
            .unwrap_or_else(|| Err(refusal(g, &parts)))
            .map(|found| report(g, found, None)),
    };
    found
        .and_then(|found| found.ok_or(PlaceRefusal::Unknown))
        .map_err(|refusal| unknown(refusal, typo::suggest(g, &parts, &mut guesses)))
}

/// The reason why pieces name no place.
fn refusal(g: &Gazetteer, parts: &[text::Part]) -> PlaceRefusal {
    match parts {
        [_, .., last] if exact::names_area(g, last) => PlaceRefusal::Elsewhere,
        _ => PlaceRefusal::Unknown,
    }
}

/// Builds the index of spellings in advance.
/// Otherwise the first misspelt or unknown text of a process waits for it.
pub fn warm_up() {
    if let Some(g) = gazetteer() {
        let _ = (g.spellings(), g.area_spellings());
    }
}

/// The place at a point.
///
/// It is named after the town whose core contains the point, else after the nearest town.
fn at(g: &'static Gazetteer, point: Point) -> Option<ResolvedPlace> {
    let row = around(g, point, 12.0, |row| g.has(row, MARKET))
        .filter(|(row, km)| *km <= core_km(g.population(*row)))
        .max_by_key(|(row, _)| (g.population(*row), std::cmp::Reverse(g.id(*row))))
        .map(|(row, _)| row)
        .or_else(|| nearest(g, point, REMOTE_KM))?;
    let mut place = g.place(row);
    place.lat = point.lat;
    place.lon = point.lon;
    Some(ResolvedPlace {
        place,
        scope: RadiusScope::City,
        alternatives: Vec::new(),
        ambiguous: false,
        matched: PlaceMatch::Coordinates,
        spelling: place.name.to_owned(),
        district: None,
        anchor: Anchor::Point(row),
        area: None,
        vernacular: false,
    })
}

/// What the rings lie around.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Anchor {
    /// A town.
    Town(Row),
    /// A point, and the town it is named after.
    Point(Row),
    /// A country, by index, and its most populous town.
    Country(usize, Row),
    /// Several countries, by their codes, and the most populous town of all.
    Countries(&'static str, Row),
}

fn report(g: &'static Gazetteer, found: Reading, corrected: Option<PlaceMatch>) -> Option<ResolvedPlace> {
    let (place, anchor, scope, matched) = match found.target {
        Target::Town(row) => (
            g.place(row),
            Anchor::Town(row),
            RadiusScope::City,
            PlaceMatch::Exact,
        ),
        Target::Area(area) if area.kind == AreaKind::Country => {
            let row = g.anchor(area)?;
            let place = g.country_place(area.index, row);
            (
                place,
                Anchor::Country(area.index as usize, row),
                RadiusScope::Country,
                PlaceMatch::Country,
            )
        }
        Target::Area(area) => {
            let row = g.anchor(area)?;
            (
                g.place(row),
                Anchor::Town(row),
                RadiusScope::Region,
                PlaceMatch::Region,
            )
        }
    };
    let ambiguous = found
        .alternatives
        .iter()
        .any(|alternative| is_close(g, &found, alternative));
    let mut alternatives: Vec<KnownPlace> = Vec::new();
    for (target, _) in &found.alternatives {
        let Some(other) = place_of(g, *target) else {
            continue;
        };
        let known =
            |seen: &KnownPlace| seen.id == other.id || seen.label() == other.label() || seen.is_near(&other);
        // Luxembourg, the city, differs from the country, although it is in the middle.
        let chosen = match scope {
            RadiusScope::City => known(&place),
            RadiusScope::Region | RadiusScope::Country => place.id == other.id,
        };
        if alternatives.len() < MAX_ALTERNATIVES && !chosen && !alternatives.iter().any(known) {
            alternatives.push(other);
        }
    }
    let matched = match matched {
        PlaceMatch::Exact if fold(&found.spelling) != fold(place.name) => PlaceMatch::Alternate,
        other => other,
    };
    Some(ResolvedPlace {
        spelling: spelling(&found, &place),
        district: found.district.map(|district| district.words),
        ambiguous: ambiguous && !alternatives.is_empty(),
        place,
        scope,
        alternatives,
        matched: corrected.unwrap_or(matched),
        anchor,
        area: match found.target {
            Target::Area(area) if scope == RadiusScope::Region => Some(area),
            Target::Area(_) | Target::Town(_) => None,
        },
        vernacular: false,
    })
}

/// Returns whether an alternative reading is close enough to matter.
fn is_close(g: &Gazetteer, found: &Reading, (alternative, score): &(Target, f64)) -> bool {
    match (found.target, *alternative) {
        // Newcastle in England has another main name.
        // It is as well known as the one in Australia.
        (Target::Town(row), Target::Town(other)) => {
            *score >= found.score - CLOSE || g.prominence(other) >= g.prominence(row) - AS_KNOWN
        }
        (Target::Town(row), Target::Area(area)) => OUTWEIGHS * g.area_population(area) >= g.population(row),
        (Target::Area(area), Target::Town(row)) => OUTWEIGHS * g.population(row) >= g.area_population(area),
        (Target::Area(area), Target::Area(other)) => {
            OUTWEIGHS * g.area_population(other) >= g.area_population(area)
        }
    }
}

fn place_of(g: &'static Gazetteer, target: Target) -> Option<KnownPlace> {
    match target {
        Target::Town(row) => Some(g.place(row)),
        Target::Area(
            area @ Area {
                kind: AreaKind::Country,
                ..
            },
        ) => Some(g.country_place(area.index, g.anchor(area)?)),
        Target::Area(area) => {
            let anchor = g.place(g.anchor(area)?);
            // A county has its own name: that of its largest town says little.
            Some(match area.kind {
                AreaKind::Part => KnownPlace {
                    name: g.area_name(area),
                    ..anchor
                },
                AreaKind::Region | AreaKind::Country => anchor,
            })
        }
    }
}

/// Spells the name as the caller did, with capitals where names have them.
fn spelling(found: &Reading, place: &KnownPlace) -> String {
    let written = &found.spelling;
    // Scripts from Armenian onward have no case, or do not use it for names.
    let cased = written.chars().next().is_some_and(|first| first < '\u{530}');
    if !cased || written.chars().any(char::is_uppercase) {
        return written.clone();
    }
    if fold(written) == fold(place.name) {
        return place.name.to_owned();
    }
    if written.chars().count() <= 3 {
        return written.to_uppercase();
    }
    let words = written.split(' ').map(|word| {
        let mut letters = word.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    });
    words.collect::<Vec<String>>().join(" ")
}

/// The place that a text was taken for.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedPlace {
    pub(crate) place: KnownPlace,
    pub(crate) scope: RadiusScope,
    pub(crate) alternatives: Vec<KnownPlace>,
    pub(crate) ambiguous: bool,
    pub(crate) matched: PlaceMatch,
    pub(crate) spelling: String,
    pub(crate) district: Option<String>,
    pub(crate) anchor: Anchor,
    /// Which region, or part of one, the text names.
    pub(crate) area: Option<Area>,
    /// Whether the name is one of an area that no administration governs.
    pub(crate) vernacular: bool,
}

impl ResolvedPlace {
    /// The anchor: the town, the most populous town of a region, or the country itself.
    ///
    /// For coordinates, it has the name of the nearest town and the text's coordinates.
    pub const fn place(&self) -> &KnownPlace {
        &self.place
    }

    /// The level that was meant: a town, a region or a country.
    pub const fn scope(&self) -> RadiusScope {
        self.scope
    }

    /// Returns whether the text named an area without an administration, such as "Provence" or "Asia".
    pub const fn is_vernacular(&self) -> bool {
        self.vernacular
    }

    /// The languages to ask in, best first.
    pub const fn languages(&self) -> &'static [&'static str] {
        self.place.languages()
    }

    /// Names the text's region or county in a language, where the data has it.
    /// Where it has none, a code ("TX") becomes the main name.
    pub fn area_in(&self, language: &str) -> Option<&'static str> {
        let (g, area) = (gazetteer()?, self.area?);
        let of_code = || (self.spelling.chars().count() <= 3).then(|| g.area_name(area));
        g.area_in(area, language).or_else(of_code)
    }

    /// Other places of that name, most prominent first, at most four.
    pub fn alternatives(&self) -> &[KnownPlace] {
        &self.alternatives
    }

    /// Returns whether another reading was close enough to matter.
    pub const fn ambiguous(&self) -> bool {
        self.ambiguous
    }

    /// The way in which the text was matched.
    pub const fn matched(&self) -> PlaceMatch {
        self.matched
    }

    /// The town, region or country in the spelling of the caller ("Munich", not "München"),
    /// without the rest of the text.
    ///
    /// A text in small letters gets capitals.
    /// For a corrected typing error or coordinates, it is the main name.
    pub fn spelling(&self) -> &str {
        &self.spelling
    }

    /// Words next to the town that name no known place, for example "Shoreditch" in "Shoreditch, London".
    pub fn district(&self) -> Option<&str> {
        self.district.as_deref()
    }

    /// Writes the location part for a result; `text` is the place as the caller wrote it.
    pub fn to_report(&self, text: &str) -> LocationReport {
        LocationReport {
            text: text.to_owned(),
            resolved: self.place.to_model(self.matched),
            alternatives: self
                .alternatives
                .iter()
                .map(|place| place.to_model(self.matched))
                .collect(),
            ambiguous: self.ambiguous,
            certainty: Some(self.certainty()),
            cities: None,
        }
    }

    /// The certainty that the text names the place.
    pub const fn certainty(&self) -> PlaceCertainty {
        match self.matched {
            _ if self.ambiguous => PlaceCertainty::Ambiguous,
            PlaceMatch::Corrected => PlaceCertainty::Likely,
            PlaceMatch::Exact
            | PlaceMatch::Alternate
            | PlaceMatch::Coordinates
            | PlaceMatch::Country
            | PlaceMatch::Region => PlaceCertainty::Certain,
        }
    }
}

/// A text that is taken for no place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{refusal}; try \"nearest town, country\" or \"latitude, longitude\"")]
pub struct PlaceNotFound {
    /// The reason.
    pub refusal: PlaceRefusal,
    /// Possible places, best first, at most five.
    ///
    /// Each one's label resolves.
    pub suggestions: Vec<KnownPlace>,
}

/// The reason why a text does not name a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceRefusal {
    /// No place of that name is known.
    #[error("no place of that name is known")]
    Unknown,
    /// The country or region is known but has no place of that name.
    #[error("the country or region holds no known place of that name")]
    Elsewhere,
    /// Two towns with that name are about as large, and the rest of the text does not decide.
    #[error("several towns of that name are about as large; add the region or country")]
    Namesakes,
    /// The text is a word such as "home" or "online".
    #[error("the text names no place")]
    NoPlace,
    /// The text is a link without coordinates and without a text to search for.
    #[error("the link holds no place; open it and copy the address or the coordinates")]
    Link,
    /// The text is a plus code without its first digits and without a town.
    #[error("a short plus code needs its town, as in \"9G8F+6X Zürich\"")]
    ShortCode,
    /// The text is a postal code without a town, alone or with a country or region.
    #[error("postal codes are not known without their town; add it, as in \"10115 Berlin\"")]
    PostalCode,
}

#[cfg(test)]
mod tests;
