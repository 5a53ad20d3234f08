//! Questions of a caller: their checks, their sets and their imports. Pure, as plans are.
//!
//! [`import()`] reads questions from a file, [`check()`] finds what is wrong with each, [`read_proposal`] and [`check_proposals`] take
//! those that a model proposed by [`rules`] and [`schema`], and [`stratified`] draws a part of a set.
//!
//! ```
//! use ibid_engine::questions::{Rules, check, import};
//! use ibid_model::OwnQuestion;
//!
//! let rules = Rules { keyword: "plumber", language: "en", ..Rules::default() };
//! let lines = import(b"Who is a good plumber for old houses?\nplumber with fair prices\n", &[], &rules, false)?;
//! let questions: Vec<OwnQuestion> = lines.into_iter().filter_map(|line| line.question).collect();
//! assert_eq!(check(&questions, &[], &rules).questions.len(), 2);
//! # Ok::<(), ibid_engine::questions::UnreadableImport>(())
//! ```

mod brands;
mod check;
mod cues;
mod import;
mod masked;
mod propose;
mod set;

pub(crate) use brands::is_brand;
pub use check::{Rules, check};
pub use import::{ImportedLine, LineOutcome, MOST_LINES, UnreadableImport, file_questions, import, to_csv};
pub use propose::{ProposalRequest, check_proposals, read as read_proposal, rules, schema};
pub use set::{continued, hash, key, shared, stratified};

/// The questions that a reliable panel has. Half of them leave a range twice as wide, which compares badly; twice as
/// many halve no range that a person would notice.
pub const ENOUGH: usize = 24;
