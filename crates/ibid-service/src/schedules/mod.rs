//! Schedules: scans that are repeated, and alerts about them.

mod recurrence;

pub use recurrence::{Recurrence, Unit};
