//! The provider port: one suite for every implementation, and the faults of real routers.

mod faults;
mod limits;
mod secrets;
mod suite;
mod support;
mod wire;
