//! The command line as its users see it: output, exit codes, files. No network but loopback.
#![cfg(test)]
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod audit;
mod commands;
mod compare;
mod read;
mod rescore;
mod support;
