//! Evidence of stored scans, in the database or an evidence store.

mod fault;
mod mover;
mod read;
#[cfg(test)]
mod tests;

pub use fault::EvidenceFault;
pub(crate) use mover::EvidenceMover;
pub use mover::EvidenceSettings;
pub use read::Evidence;
