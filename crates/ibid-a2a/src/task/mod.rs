//! A task: one request on its way to a result, with its messages.

mod advance;
mod record;
mod step;
mod value;

pub use record::{BadRecord, TaskRecord};
pub use step::{AskNumber, Basis, IllegalStep, TaskDocument, TaskOutput, TaskSettlement, TaskStep};
pub(crate) use value::to_milliseconds;
pub use value::{Offer, Seen, Task};
