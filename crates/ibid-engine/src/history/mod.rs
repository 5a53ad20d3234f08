//! Many runs of one scan: the level since the last change, and the changes.
//!
//! A change is seen best on the same question to the same model, and a level needs many questions.
//! A series that keeps most of its questions and replaces some (a split panel) serves both.
//! [`Detector`] looks at kept cells after every run; looking often does not raise its false alerts.
//! [`level`] rests on all cells since the last change.
//! [`history()`] does both for stored scans, and [`sentences`] says the outcome in words.
//!
//! [`effect`] says whether an action moved the questions that it touched.
//!
//! docs/METHOD.md has the formulas, and `cargo bench -p ibid-engine --bench simulate` measures them.
//!
//! ```
//! # #[cfg(feature = "scan")] {
//! use ibid_engine::compare::Side;
//! use ibid_engine::history::{history, sentences};
//! use ibid_engine::import::ImportedLog;
//! use ibid_model::ScanId;
//!
//! let log = b"question,model,answer\nWho fixes pipes?,one,Ask Acme (acme.com).\nBest plumber?,one,Try Bolt & Co.\n";
//! let log = ImportedLog::read(log, 1_000)?;
//! let order = serde_json::json!({"domain": "acme.com", "keyword": "plumber"});
//! let plan = log.plan(order.as_object().cloned().unwrap_or_default())?;
//! let day = jiff::Timestamp::UNIX_EPOCH;
//! let run = log.score(ScanId::random(), &plan, day..=day);
//! let runs = [Side { id: None, result: &run.result }; 3];
//! let history = history(&runs)?;
//! assert_eq!((history.runs, history.changes.len()), (3, 0));
//! println!("{}", sentences(&history, &runs).join(" "));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod causes;
mod detector;
mod explained;
mod level;
mod questions;
mod series;
mod words;

pub use action::{ActionEffect, ActionRun, ActionVerdict, effect, visible};
pub use causes::{Carrier, Carriers, Counts, Group, Item, Seen, Trend, carriers, moved_items};
pub use detector::{Change, Detector};
pub(crate) use explained::{family, is_cited};
pub use level::{LEVEL_RUNS, level};
pub use questions::{MovedQuestion, lost_question};
pub use series::{ActionSeries, NotOneSeries, Told, effect_in, history, history_of, kept_questions};
pub(crate) use words::sentences_in;
pub use words::{JUDGED, of_change, sentences};
