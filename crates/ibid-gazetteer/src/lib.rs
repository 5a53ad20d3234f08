#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
//!
//! An embedded gazetteer: places by name, and the market towns around them.
//!
//! [`resolve`] turns the text of a caller ("Munich, Germany") into a [`KnownPlace`].
//! [`markets`] chooses the towns in each ring around it.
//! A scan uses both while it plans its questions, before any call.
//!
//! The data is two flat files inside the program.
//! The crate reads them in place, without a download and without parsing.
//! It does no IO, does not guess unknown places, and does not present distance as travel time.

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
mod surroundings;
mod vernacular;

pub use markets::{MARKETS_PER_RING, MarketTown, RingMarkets, markets};
pub use notice::{ATTRIBUTION, LICENSES};
pub use place::{KnownPlace, PlaceId, ToldApart};
pub use resolve::{PlaceNotFound, PlaceRefusal, ResolvedPlace, resolve, warm_up};
pub use surroundings::Surroundings;
