//! The reading against answers labelled by hand: precision, recall, classes, ranks, competitors.
//!
//! `cargo test -p ibid-engine --test labelled -- --nocapture` prints the table of docs/METHOD.md and every miss.
//! The part `tune` was seen while the rules were written; the part `held` was written before them and read once they
//! were done.

#[cfg(test)]
mod case;
#[cfg(test)]
mod measure;
#[cfg(test)]
mod parts;
