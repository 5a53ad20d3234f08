//! Tests of every page in every state: attacks stay text, and the parts fit together.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests stop the test"
)]

#[path = "../../examples/gallery/states/mod.rs"]
mod states;

mod attack;
mod hostile;
mod html;
mod structure;
mod words;
