//! Every page in every state, looked at like a browser would: nothing active gets in, everything fits together.

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
