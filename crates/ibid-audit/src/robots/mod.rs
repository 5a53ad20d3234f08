//! robots.txt after RFC 9309, with the line that decided.
//!
//! Reads what a crawler would read (the first 500 KiB), merges groups, lets the longest rule win and an
//! allow win a tie. Where the RFC is silent it does what Google's published matcher does. Every odd line is
//! kept, because agents differ on those.

mod agents;
mod parse;
mod pattern;
#[cfg(test)]
mod tests;

pub use agents::{AGENTS, Agent, BOT_LIST_DATE};
pub use parse::{ContentSignal, OddLine, Robots, RobotsVerdict, Rule};
pub use pattern::normalise;

/// Bytes of a robots.txt that a crawler must read (RFC 9309, 2.5); the rest is ignored.
pub const MAX_BYTES: usize = 500 * 1_024;

/// Whether a pattern of this family (`*`, final `$`) matches a path with its query.
pub(crate) fn pattern_matches(pattern: &str, path: &str) -> bool {
    pattern::matches(&normalise(pattern), &normalise(path))
}
