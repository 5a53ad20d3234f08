//! Rings around a place.

use serde::{Deserialize, Serialize};

/// A ring number, 1 (home) to 5 (national). Its edges in kilometres are [`Ring::from_km`] and [`Ring::to_km`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Ring(u8);

/// Ring edges in kilometres: home, commuter belt, region, wide region, national.
const EDGES_KM: [u16; 6] = [0, 25, 50, 100, 250, 500];

impl Ring {
    /// The outermost ring.
    pub const MAX: u8 = 5;
    /// The home ring.
    pub const HOME: Self = Self(1);

    /// The ring, or `None` outside 1 to 5.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if number >= 1 && number <= Self::MAX {
            Some(Self(number))
        } else {
            None
        }
    }

    /// The number, 1 to 5.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Returns the inner edge in kilometres. A market is farther away (the anchor of ring 1 at 0 excepted).
    pub fn from_km(self) -> u16 {
        EDGES_KM.get(usize::from(self.0) - 1).copied().unwrap_or_default()
    }

    /// The outer edge in kilometres, included.
    pub fn to_km(self) -> u16 {
        EDGES_KM.get(usize::from(self.0)).copied().unwrap_or_default()
    }

    /// All rings, from home outward.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=Self::MAX).map(Self)
    }
}

impl TryFrom<u8> for Ring {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        Self::new(number).ok_or("ring numbers are 1 to 5")
    }
}

/// Which rings a scan covers: sorted, each at most once, possibly empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Ring>")]
pub struct Rings(Vec<Ring>);

impl Rings {
    /// No ring: core questions only.
    pub const NONE: Self = Self(Vec::new());

    /// The rings, from home outward.
    pub fn iter(&self) -> impl Iterator<Item = Ring> + '_ {
        self.0.iter().copied()
    }

    /// Counts the rings, 0 to 5.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no ring is asked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Vec<Ring>> for Rings {
    fn from(mut rings: Vec<Ring>) -> Self {
        rings.sort_unstable();
        rings.dedup();
        Self(rings)
    }
}

impl FromIterator<Ring> for Rings {
    fn from_iter<I: IntoIterator<Item = Ring>>(rings: I) -> Self {
        rings.into_iter().collect::<Vec<_>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_meet() {
        let edges: Vec<_> = Ring::all().map(|ring| (ring.from_km(), ring.to_km())).collect();
        assert_eq!(edges, [(0, 25), (25, 50), (50, 100), (100, 250), (250, 500)]);
        assert!(Ring::new(0).is_none() && Ring::new(6).is_none());
    }

    #[test]
    fn rings_are_sorted_once_each() {
        let rings: Rings = serde_json::from_str("[3,1,3,2]").unwrap();
        assert_eq!(serde_json::to_string(&rings).unwrap(), "[1,2,3]");
        assert!(serde_json::from_str::<Rings>("[6]").is_err());
    }
}
