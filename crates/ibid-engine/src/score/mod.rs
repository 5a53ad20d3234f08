//! From readings to numbers: scores, rates, intervals and competitors.
//!
//! All functions are pure functions of the samples and a seed, independent of the order of the samples.
//! The formulas are those of docs/METHOD.md; [`METHOD_VERSION`] changes whenever a number could.

pub(crate) mod competitors;
mod fold;
pub mod interval;
pub mod statistics;
pub mod stop;
pub mod towns;

pub use competitors::{CompetitorTable, competitors};
pub use fold::{GroupScore, ModelScore, group, model};

use crate::read::Reading;
use ibid_model::{Ring, ScanId};

/// Version of the reading and scoring rules.
/// A stored reading of another version can be made again from its text.
pub const METHOD_VERSION: &str = "3.1";

/// One reading in its place.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The model asked, by position.
    pub model: usize,
    /// The question: samples of one text share the number, for all models.
    /// Intervals and tests take whole questions.
    pub question: usize,
    /// The ring, for ring questions.
    pub ring: Option<Ring>,
    /// The reading of the answer; [`Reading::failed`] where there was no answer.
    pub reading: &'a Reading,
}

/// The seed of all random draws of a scan: the same scan always gives the same intervals.
#[must_use]
pub fn seed(scan: ScanId) -> u64 {
    crate::hash::fnv1a(*scan.as_bytes())
}
