//! Schedules: repeated scans, and alerts about them.
//!
//! A round once a minute fires due schedules.
//! The store moves a schedule on and writes the run in one transaction,
//! so one process fires it; the scan is queued under a key from the run.
//! Ended scans are judged in the same rounds: the cost counts against the budget.
//! A changed result, or the third failure in a row, raises an alert.

mod begin;
mod book;
mod draft;
mod handle;
mod judge;
mod keeper;
mod owner;
mod questions;
mod recurrence;
mod start;
mod view;

pub use draft::{ScheduleDraft, next_due};
pub use handle::Schedules;
pub(crate) use keeper::{A_PAGE, ScheduleKeeper};
pub use owner::ScheduleOwner;
pub use recurrence::{Recurrence, Unit};
pub(crate) use start::ScanStarter;
pub use view::{ScheduleView, alert_document, scheduled_run_document};
pub(crate) use view::{dollars, recurrence_of};

use crate::clock::month_of;
use jiff::Timestamp;

/// Returns when the UTC month began, in milliseconds since 1970.
pub(crate) fn month_began(now: Timestamp) -> i64 {
    let now = now.as_millisecond();
    month_of(now, 0).map_or(now, |month| month.from)
}
