//! Where a question belongs in a scan, and its hash, which identifies it in another scan.

use crate::hash::fnv1a;
use ibid_model::Ring;
use ibid_model::result::MarketResult;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The place in the result where the answers to a question belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Slot {
    /// Model and overall scores.
    Core,
    /// A ring and one of its markets, by position in the plan's ring.
    Ring {
        /// The ring.
        ring: Ring,
        /// Position of the market in the ring.
        market: usize,
    },
    /// A caller's questions that name the target: a panel apart, in no score.
    Branded,
}

impl Slot {
    /// The ring, for ring questions.
    pub const fn ring(self) -> Option<Ring> {
        match self {
            Self::Core | Self::Branded => None,
            Self::Ring { ring, .. } => Some(ring),
        }
    }
}

/// A ring and its markets, without numbers yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RingPlaces {
    /// The ring.
    pub ring: Ring,
    /// Its inner edge.
    pub from_km: u16,
    /// Its outer edge.
    pub to_km: u16,
    /// The markets. Their numbers are replaced.
    pub markets: Vec<MarketResult>,
}

/// Numbers texts by first use, so that equal ones share a number.
#[derive(Default)]
pub(crate) struct Numbering<'a>(HashMap<&'a str, usize>);

impl<'a> Numbering<'a> {
    pub(crate) fn of(&mut self, text: &'a str) -> usize {
        let next = self.0.len();
        *self.0.entry(text).or_insert(next)
    }
}

/// Template name for a question in the caller's own words.
pub(crate) const OWN: &str = "own";
/// Template name for such a question that names the target and is counted apart.
pub(crate) const BRANDED: &str = "branded";

/// Hashes a question with the name of its place, so that it can be found in another scan.
pub(crate) fn question_hash(text: &str, place: Option<&str>) -> String {
    let place = place.unwrap_or_default();
    format!("{:016x}", fnv1a(text.bytes().chain([0xff]).chain(place.bytes())))
}
