#![doc = include_str!("../README.md")]

#[cfg(feature = "sdk")]
mod activities;
#[cfg(feature = "sdk")]
mod engine;
#[cfg(feature = "sdk")]
mod settings;
#[cfg(feature = "sdk")]
mod worker;
#[cfg(feature = "sdk")]
mod workflow;

#[cfg(feature = "sdk")]
pub use engine::TemporalEngine;
#[cfg(feature = "sdk")]
pub use settings::{ClientCertificate, TemporalSettings};
