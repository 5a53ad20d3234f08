//! Questions of a caller: their checks, their sets and their imports. Pure, as plans are.

mod check;
mod cues;
mod import;
mod masked;
mod propose;
mod set;

pub use check::{Rules, check};
pub use import::{ImportedLine, LineOutcome, MOST_LINES, UnreadableImport, file_questions, import, to_csv};
pub use propose::{ProposalRequest, judge, read as read_proposal, rules, schema};
pub use set::{hash, key, shared, stratified};

/// The questions that a reliable panel has. Half of them leave a range twice as wide, which compares badly; twice as
/// many halve no range that a person would notice.
pub const ENOUGH: usize = 24;
