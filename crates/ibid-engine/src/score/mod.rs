//! From readings to numbers: scores, rates, intervals and competitors.
//!
//! All functions are pure: the samples, in any order, and a seed decide.
//! The formulas are those of docs/METHOD.md; [`METHOD_VERSION`] changes whenever a number could.
//!
//! Readings come from [`read`](crate::read::read); each becomes a [`Sample`] with its place, and [`group`] folds samples
//! to a score with its interval. [`model`] does so for one model and [`competitors()`] for the names that answers put
//! forward. [`interval`] and [`statistics`] are the formulas below them, [`towns`] is a score over a region, and [`stop`]
//! tells how many answers a narrower interval needs.
//!
//! ```
//! use ibid_engine::read::{Answer, Reading, Target, read};
//! use ibid_engine::score::{Sample, group};
//!
//! let target = Target::new(&"acmetools.com".parse()?, &[]);
//! let answers = ["I recommend Acme Tools (https://acmetools.com).", "Bolt & Co. is the best.", "Ask Acme Tools."];
//! let readings: Vec<Reading> = answers.iter().map(|text| read(&target, &Answer::of_text(text))).collect();
//! let samples: Vec<Sample> = readings
//!     .iter()
//!     .enumerate()
//!     .map(|(question, reading)| Sample { model: 0, question, ring: None, reading })
//!     .collect();
//! let numbers = group(&samples);
//! let (score, interval) = (numbers.score.unwrap().get(), numbers.interval.unwrap());
//! assert!(interval.low < score && score < interval.high);
//! # Ok::<(), ibid_model::DomainError>(())
//! ```

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
pub const METHOD_VERSION: &str = "3.5";

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
    /// How the answer reads; [`Reading::failed`] where there was no answer.
    pub reading: &'a Reading,
}

/// Seeds all random draws in a scan, so that the same scan always gives the same intervals.
#[must_use]
pub fn seed(scan: ScanId) -> u64 {
    crate::hash::fnv1a(*scan.as_bytes())
}
