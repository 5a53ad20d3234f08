//! Many runs of one scan: the level since the last change, and the changes.
//!
//! A change is seen best on the same question to the same model, and a level needs many questions.
//! A series that keeps most of its questions and replaces some (a split panel) serves both.
//! [`Detector`] looks at kept cells after every run; looking often does not raise its false alerts.
//! [`level`] rests on all cells since the last change.
//! [`history()`] does both for stored scans, and [`sentences`] says the outcome in words.
//!
//! docs/METHOD.md has the formulas, and `cargo bench -p ibid-engine --bench simulate` measures them.

mod detector;
mod level;
mod series;
mod words;

pub use detector::{Change, Detector};
pub use level::{LEVEL_RUNS, level};
pub use series::{NotOneSeries, history, history_of};
pub use words::{of_change, sentences};
