//! The place of a scan.

use super::PlanError;
use ibid_gazetteer::{KnownPlace, ResolvedPlace};
use ibid_model::LocationText;
use ibid_model::result::{LocationReport, RadiusScope};
use ibid_provider::UserPlace;

/// A location text and the place it was taken for.
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

    /// What the text was taken for.
    #[must_use]
    pub fn resolved(&self) -> &ResolvedPlace {
        &self.resolved
    }

    /// How questions call the place: the name as the caller wrote it, then what tells it from others of that name.
    #[must_use]
    pub fn spoken(&self) -> String {
        let (place, name) = (self.resolved.place(), self.resolved.spelling());
        let admin = match self.resolved.scope() {
            RadiusScope::Country => return name.to_owned(),
            RadiusScope::Region => None,
            RadiusScope::City => place.admin(),
        };
        let mut spoken = name.to_owned();
        for part in admin.into_iter().chain([place.country()]) {
            if part != name && part != place.name() {
                spoken.push_str(", ");
                spoken.push_str(part);
            }
        }
        spoken
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
