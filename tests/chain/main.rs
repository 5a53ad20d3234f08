//! Settlements on a real local chain with the unmodified reference facilitator.
//!
//! `.ci/with-chain` starts both and names them in `IBID_TEST_CHAIN`; without it these tests are ignored. Every
//! story is played in both versions of the protocol, with and without a reader of the chain, one after the other: there is
//! one chain.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests fail loudly")]

mod stage;
mod stories;
mod story;
