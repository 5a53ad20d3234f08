#![doc = include_str!("../README.md")]
//!
//! `read` opens a file and finds its format; `table`, `sheet` and `log` read the three kinds; `row` is what they become.
//! `agreement` compares two measures. `move_in` reads exports of other trackers, and `move_in_pieces` sends them.
//! No network, no store, no clock but for the end of a reading. No function lets a raw line or a visitor's address out.

pub mod agreement;
mod archive;
pub mod bots;
mod breaks;
mod columns;
mod dates;
mod export;
mod formats;
mod lines;
mod log;
mod log_line;
pub mod move_in;
pub mod move_in_pieces;
mod number;
mod page;
mod queries;
mod read;
mod refused;
mod row;
mod sheet;
mod summary;
mod total_change;

pub use archive::Bounds;
pub use breaks::Break;
pub use formats::Format;
pub use page::page_key;
pub use queries::{Query, queries, question_table, questions};
pub use read::{Error, FileReport, Options, Reading};
pub use refused::{Reason, RefusedLine, RefusedRows};
pub use row::{Measure, Period, Row, RowSet, Source, Subject};
pub use summary::{DaySeries, PageSummary, Samples, Summary};
pub use total_change::TotalChange;
