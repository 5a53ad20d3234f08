//! Questions of a caller: their checks, their sets and their imports. Pure, as plans are.

mod check;
mod cues;
mod masked;

pub use check::{Rules, check};

/// The questions that a reliable panel has. Half of them leave a range twice as wide, which compares badly; twice as
/// many halve no range that a person would notice.
pub const ENOUGH: usize = 24;
