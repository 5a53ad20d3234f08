//! The place of a scan.

use super::PlanError;
use super::spoken::SpokenPlace;
use ibid_gazetteer::{KnownPlace, ResolvedPlace};
use ibid_model::LocationText;
use ibid_model::result::{LocationReport, RadiusScope};
use ibid_provider::UserPlace;

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
                suggestions: unknown.suggestions,
            }),
        }
    }

    /// The place found for the text.
    #[must_use]
    pub fn resolved(&self) -> &ResolvedPlace {
        &self.resolved
    }

    /// The place in words, in English: "Leeds", "Paris, Texas".
    #[must_use]
    pub fn spoken(&self) -> String {
        SpokenPlace::anchor(self, "en").name
    }

    /// Returns whether a market is the town that the caller named.
    pub(super) fn is_anchor(&self, market: &KnownPlace) -> bool {
        self.resolved.scope() == RadiusScope::City && self.resolved.place().id() == market.id()
    }

    /// The place as results report it.
    #[must_use]
    pub fn report(&self) -> LocationReport {
        self.resolved.to_report(self.text.as_str())
    }
}

/// The place as search engines take it.
pub(super) fn user_place(place: &KnownPlace) -> UserPlace {
    UserPlace {
        city: Some(place.name().to_owned()),
        region: place.admin().map(str::to_owned),
        country_code: place.country_code().to_owned(),
    }
}
