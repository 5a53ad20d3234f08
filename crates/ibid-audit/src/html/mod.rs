//! HTML to a tree, within a fixed budget of work.
//!
//! html5ever implements the grammar.
//! Tokens and tree are those of a browser without scripts.
//! This module adds the arena of the tree and the guard, which ends hostile pages early,
//! always at the same place.

mod guard;
mod sink;
#[cfg(test)]
mod tests;
mod tree;

#[cfg(feature = "http")]
pub(crate) use guard::PIECE;
pub(crate) use guard::{StopReason, parse};
pub(crate) use tree::{Document, Kind, NodeId, Step, cut};
