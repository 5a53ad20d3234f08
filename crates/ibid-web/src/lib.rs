//! What a result looks like: charts, as text to embed or to save.
//!
//! Everything here is a pure function of a result value. This crate refuses to know HTTP, to load anything
//! from another host, and to trust a name: every text of a result is escaped.

mod radius_map;

pub use radius_map::radius_map;
