#![doc = include_str!("../README.md")]
//!
//! An embedded gazetteer: places by name, and the market towns around them.
//!
//! [`resolve`] turns what a caller wrote ("Munich, Germany") into a [`KnownPlace`]; [`markets`] chooses the towns in
//! each ring around it. In the walk of a scan this happens while the questions are planned, before any call.
//!
//! The data is two flat files inside the program, read in place: there is nothing to download, open or parse.
//! This crate refuses to do IO, to guess a place it does not know, and to claim that distance is travel time.

mod area;
mod fold;
mod fuzzy;
mod gazetteer;
mod geo;
mod language;
mod layout;
mod markets;
mod near;
mod notice;
#[cfg(feature = "pack")]
pub mod pack;
mod place;
mod resolve;
mod vernacular;

pub use markets::{MARKETS_PER_RING, MarketTown, RingMarkets, markets};
pub use notice::{ATTRIBUTION, LICENSES};
pub use place::{KnownPlace, PlaceId, ToldApart};
pub use resolve::{PlaceNotFound, PlaceRefusal, ResolvedPlace, resolve, warm_up};
