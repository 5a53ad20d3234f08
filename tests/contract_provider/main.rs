//! The provider port: one suite for every implementation, and the faults of real routers.
#![expect(clippy::expect_used, reason = "helpers of tests fail loudly")]

mod causes;
mod dialects;
mod faults;
mod limits;
mod secrets;
mod suite;
mod support;
mod wire;
