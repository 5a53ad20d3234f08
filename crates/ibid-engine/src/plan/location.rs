//! Finds the place that a scan is about.

use super::PlanError;
use super::spoken::SpokenPlace;
use ibid_gazetteer::{KnownPlace, ResolvedPlace};
use ibid_model::LocationText;
use ibid_model::result::{
    LocationReport, PlaceCertainty, PlaceChoice, PlaceMatch, PlaceQuestion, RadiusScope, Warning,
};
use ibid_provider::{Coordinates, UserPlace};
use serde::{Deserialize, Serialize};

/// Where a plan asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedPlace {
    /// The place as results report it.
    pub report: LocationReport,
    /// The level that was meant: a town, a region or a country.
    pub scope: RadiusScope,
    /// The place in English words, as [`Located::spoken`].
    pub spoken: String,
    /// The question to the caller, as [`Located::question`].
    pub question: Option<PlaceQuestion>,
}

/// A location text and the place found for it.
#[derive(Clone, Debug)]
pub struct Located {
    text: LocationText,
    resolved: ResolvedPlace,
}

impl Located {
    /// Looks a location up.
    ///
    /// # Errors
    /// [`PlanError::UnknownPlace`] with suggestions.
    pub fn find(text: &LocationText) -> Result<Self, PlanError> {
        match ibid_gazetteer::resolve(text.as_str()) {
            Ok(resolved) => Ok(Self {
                text: text.clone(),
                resolved,
            }),
            Err(unknown) => Err(PlanError::UnknownPlace {
                reason: unknown.refusal.to_string(),
                suggestions: unknown
                    .suggestions
                    .iter()
                    .map(KnownPlace::to_suggestion)
                    .collect(),
            }),
        }
    }

    /// The place found for the text.
    pub fn resolved(&self) -> &ResolvedPlace {
        &self.resolved
    }

    /// The place in English words, with region and country, for example "Leeds, England, United Kingdom".
    pub fn spoken(&self) -> String {
        let (place, area) = (self.resolved.place(), SpokenPlace::anchor(self, "en").name);
        match self.resolved.scope() {
            RadiusScope::City => match self.resolved.district() {
                Some(district) => format!("{district}, {}", place.label()),
                None => place.label(),
            },
            RadiusScope::Region => format!("{area}, {}", place.country()),
            RadiusScope::Country => area,
        }
    }

    /// The place that distances are measured from; `None` for several countries.
    pub(super) fn centre(&self) -> Option<&KnownPlace> {
        Some(self.resolved.place()).filter(|place| !place.is_wide())
    }

    /// Returns whether a market is the town that the caller named.
    pub(super) fn is_anchor(&self, market: &KnownPlace) -> bool {
        self.resolved.scope() == RadiusScope::City && self.resolved.place().id() == market.id()
    }

    /// The warnings about the place, as [`place_warnings`].
    pub(super) fn warnings(&self, cities: usize) -> Vec<Warning> {
        place_warnings(self.text.as_str(), &self.resolved, cities)
    }

    /// The question to the caller before money is spent: a corrected name, or one of several places.
    /// `None` if the text is unambiguous.
    pub fn question(&self) -> Option<PlaceQuestion> {
        let (text, resolved) = (self.text.as_str(), &self.resolved);
        let question = match resolved.certainty() {
            PlaceCertainty::Certain => return None,
            PlaceCertainty::Likely => format!("\"{text}\" is no name that is known. Is this the place?"),
            PlaceCertainty::Ambiguous => {
                format!("\"{text}\" is the name of several places. Which one do you mean?")
            }
        };
        // A region's label names its anchor, so regions keep the caller's text.
        let corrected_town =
            resolved.matched() == PlaceMatch::Corrected && resolved.scope() == RadiusScope::City;
        let location = if corrected_town {
            resolved.place().label()
        } else {
            text.to_owned()
        };
        let taken = PlaceChoice {
            label: self.spoken(),
            location,
        };
        let others = resolved.alternatives().iter();
        let others = others.map(|place| PlaceChoice::of_label(place.label()));
        Some(PlaceQuestion {
            question,
            choices: std::iter::once(taken).chain(others).collect(),
        })
    }

    /// The place for a plan.
    ///
    /// `cities` is the number of markets, which several countries are labelled with.
    pub(super) fn planned(&self, cities: usize) -> PlannedPlace {
        let mut report = self.report();
        if self.centre().is_none() {
            report.cities = Some(u32::try_from(cities).unwrap_or(u32::MAX));
        }
        PlannedPlace {
            spoken: report.cities.map_or_else(|| self.spoken(), |_| report.label()),
            report,
            scope: self.resolved.scope(),
            question: self.question(),
        }
    }

    /// The place as results report it.
    pub fn report(&self) -> LocationReport {
        self.resolved.to_report(self.text.as_str())
    }
}

/// The warnings about a place: a corrected name, several countries, an unknown district, or one of several places.
/// `cities` is the number of markets.
#[must_use]
pub fn place_warnings(text: &str, resolved: &ResolvedPlace, cities: usize) -> Vec<Warning> {
    let label = resolved.place().label();
    let mut warnings = Vec::new();
    if resolved.matched() == PlaceMatch::Corrected {
        let message = format!("\"{text}\" was corrected to {label}");
        warnings.push(Warning::new("location_corrected", message));
    }
    if resolved.place().is_wide() {
        let message = format!(
            "{label} ({cities} cities) is no single place: its largest cities are asked about, and there is no radius"
        );
        warnings.push(Warning::new("location_is_wide", message));
    }
    if let Some(district) = resolved.district() {
        let message = format!(
            "no district \"{district}\" is known, so the place is {label}; the questions name the district"
        );
        warnings.push(Warning::new("district_unknown", message));
    }
    if resolved.ambiguous() {
        let others: Vec<String> = resolved.alternatives().iter().map(KnownPlace::label).collect();
        let message = format!(
            "\"{text}\" was taken for {label}; it could also be {}",
            others.join("; ")
        );
        warnings.push(Warning::new("location_ambiguous", message));
    }
    warnings
}

/// The place as search engines take it.
pub(super) fn user_place(place: &KnownPlace) -> UserPlace {
    UserPlace {
        city: Some(place.name().to_owned()),
        region: place.admin().map(str::to_owned),
        country_code: place.country_code().to_owned(),
        coordinates: Some(Coordinates {
            latitude: place.lat(),
            longitude: place.lon(),
        }),
    }
}
