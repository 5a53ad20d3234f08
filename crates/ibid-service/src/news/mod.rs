//! News that reaches people: destinations of projects and accounts, and their digests.
//!
//! A destination is a subscription to events whose messages people read: mail, Slack, Discord or Teams.
//! Its messages go through the outbox of webhooks, with the same retries, leases and log.

mod destinations;
mod digest;
mod draft;
mod report;
mod send;

pub use destinations::{AddedDestination, DestinationView};
pub(crate) use digest::Digests;
pub use draft::DestinationDraft;
pub(crate) use draft::QuietTime;
pub(crate) use send::Hold;
