//! HTML to a tree, within a fixed budget of work.
//!
//! The grammar is html5ever's: tokens and tree are those of a browser without scripts. What is ours is
//! the arena the tree is kept in and the guard that ends hostile pages early, always at the same place.

mod guard;
mod sink;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use guard::{StopReason, parse};
pub(crate) use tree::{Document, Kind, NodeId, Step, cut};
