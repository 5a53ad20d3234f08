//! Agents over JSON-RPC (A2A): black-box tests, one module a subject.
//!
//! Every answer that a test gets is checked against the schemas in `tests/fixtures/a2a`; see [`schema`].
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail loudly")]

mod chaos;
mod client;
mod continuing;
mod crash;
mod discovery;
mod envelope;
mod gate;
mod kit;
mod paying;
mod push;
mod racing;
mod schema;
mod shop;
mod streams;
mod v1;
mod walk;
