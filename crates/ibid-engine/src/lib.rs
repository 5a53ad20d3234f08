//! Under construction.

pub mod plan;
pub mod radius;
