//! Black-box tests of the workspace: sessions, credits, scans, reports and attacks.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod admin;
mod app;
mod audits;
mod brand;
mod card;
mod crawl;
mod data;
mod edit_scan;
mod evidence;
mod first_run;
mod gate;
mod injection;
mod isolation;
mod planned;
mod projects;
mod questions;
mod recovery;
mod rescored;
mod retrieval;
mod scans;
mod schedules;
mod secrets;
mod sessions;
mod sharing;
mod two_step;

use ibid_tests::{Setup, TestServer};

/// The smallest scan that the form starts.
pub(crate) const SMALL: [(&str, &str); 6] = [
    ("domain", "example.com"),
    ("keyword", "plumber"),
    ("models", "model-1-latest"),
    ("questionsPerModel", "2"),
    ("keywordsPerRing", "1"),
    ("queriesPerKeyword", "1"),
];

/// A server whose operator has a key.
pub(crate) fn workspace() -> TestServer {
    Setup::default().workspace().spawn()
}
