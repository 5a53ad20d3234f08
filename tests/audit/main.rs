//! The page audit from outside: labelled pages, addresses that must be refused, servers that attack.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail loudly")]

mod attack;
mod bots;
mod by_address;
mod bypass;
mod pages;
mod rebinding;
mod server;
mod whole_site;
