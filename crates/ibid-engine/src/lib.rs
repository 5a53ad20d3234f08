//! Under construction.

pub mod radius;
