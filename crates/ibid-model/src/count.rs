//! Bounded counts of a scan request.

use serde::{Deserialize, Serialize};

/// A whole number between `LO` and `HI`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Count<const LO: u8, const HI: u8>(u8);

/// Core recommendation questions per model.
pub type QuestionsPerModel = Count<1, 10>;
/// Keywords asked in each selected market of a ring.
pub type KeywordsPerRing = Count<1, 50>;
/// Phrasings asked of each keyword in a market.
pub type QueriesPerKeyword = Count<1, 10>;
/// Orders queued scans; 1 comes first.
pub type Priority = Count<1, 5>;

impl<const LO: u8, const HI: u8> Count<LO, HI> {
    /// The smallest and the largest allowed value.
    pub const RANGE: (u8, u8) = (LO, HI);

    /// The count, or `None` out of bounds.
    #[must_use]
    pub const fn new(n: u8) -> Option<Self> {
        if n >= LO && n <= HI { Some(Self(n)) } else { None }
    }

    /// A count known at compile time; out of bounds does not compile.
    #[must_use]
    pub const fn literal<const N: u8>() -> Self {
        const { assert!(N >= LO && N <= HI, "count out of bounds") };
        Self(N)
    }

    /// The number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// The number as an index bound.
    pub const fn as_usize(self) -> usize {
        self.0 as usize
    }
}

impl<const LO: u8, const HI: u8> TryFrom<u8> for Count<LO, HI> {
    type Error = &'static str;

    fn try_from(n: u8) -> Result<Self, Self::Error> {
        Self::new(n).ok_or("the count is out of bounds")
    }
}

impl<const LO: u8, const HI: u8> Default for Count<LO, HI> {
    /// The smallest allowed value.
    fn default() -> Self {
        Self(LO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_included() {
        for (n, ok) in [(0, false), (1, true), (10, true), (11, false), (255, false)] {
            assert_eq!(QuestionsPerModel::new(n).is_some(), ok, "{n}");
        }
        for (n, ok) in [(0, false), (1, true), (50, true), (51, false)] {
            assert_eq!(KeywordsPerRing::new(n).is_some(), ok, "{n}");
        }
    }
}
