//! robots.txt after RFC 9309, with the line that decided.
//!
//! Reads the same part as a crawler (the first 500 KiB) and merges groups.
//! The longest rule wins, and an allow wins a tie.
//! Where the RFC is silent, it follows Google's published matcher.
//! It keeps every odd line, because agents differ on those.
//!
//! ```
//! use ibid_audit::robots::Robots;
//!
//! let robots = Robots::parse(b"User-agent: *\nDisallow: /drafts/\nAllow: /drafts/pipes\n");
//! assert!(robots.verdict("GPTBot", "/drafts/pipes").allowed);
//! assert!(!robots.verdict("GPTBot", "/drafts/").allowed);
//! ```

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
