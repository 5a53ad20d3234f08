//! The contract of the port `Facilitator`: one suite, run on the sandbox and on the network client.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of a test may stop it")]

mod remote;
mod rig;
mod suite;
