//! Evidence of stored scans, which the database or an evidence store has.

mod fault;
mod mover;
mod read;
#[cfg(test)]
mod tests;

pub use fault::EvidenceFault;
pub(crate) use mover::EvidenceMover;
pub use mover::EvidenceSettings;
pub use read::Evidence;
