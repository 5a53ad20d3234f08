//! Answers that another tool has logged, read and scored as a scan.
//!
//! The log is a table: CSV with a header, JSON lines, or a JSON array of objects.
//! The log's questions and models are planned by the same rules as other orders.
//! Its answers take a provider's place, so an imported scan has the same numbers as a real one.
//! The import asks no model and fetches no page.
//! The result states that its answers come from a log, which does not show whether they rest on a web search.
//!
//! A log is hostile input, so the import keeps a bounded part of it:
//! the first questions and the models, up to the limits of a scan,
//! one answer from each model to each question, and the members that are read in a row.
//!
//! ```
//! use ibid_engine::import::ImportedLog;
//! use ibid_model::ScanId;
//!
//! let log = b"question,model,answer\nWho fixes pipes?,one,Ask Acme (acme.com).\nBest plumber?,one,Try Bolt & Co.\n";
//! let log = ImportedLog::read(log, 1_000)?;
//! let order = serde_json::json!({"domain": "acme.com", "keyword": "plumber"});
//! let plan = log.plan(order.as_object().cloned().unwrap_or_default())?;
//! let day = jiff::Timestamp::UNIX_EPOCH;
//! let scanned = log.score(ScanId::random(), &plan, day..=day);
//! assert_eq!(scanned.result.models[0].model.as_str(), "one");
//! assert!(scanned.result.models[0].cited);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cells;
mod faults;
mod log;
mod rows;

pub use faults::{LogFault, LogFaults};
pub use log::ImportedLog;
pub use rows::MOST_BYTES_OF_CELL;
pub(crate) use rows::text_of;

use crate::plan::PlanError;
use ibid_model::Faults;

/// The reasons that a log becomes no scan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// No row of the log has a question and an answer.
    #[error("the log has no row with a question and an answer")]
    Empty,
    /// What else the order holds has faults.
    #[error(transparent)]
    Order(Faults),
    /// The order cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

#[cfg(test)]
mod tests;
