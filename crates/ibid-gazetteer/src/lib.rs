//! Where in the world: an embedded gazetteer.
//!
//! [`resolve`] turns what a caller wrote ("Munich, Germany") into a [`Place`]; [`markets`] chooses the towns in
//! each ring around it. In the walk of a scan this happens while the questions are planned, before any call.
//!
//! The data is one flat blob inside the program, read in place: there is nothing to download, open or parse.
//! This crate refuses to do IO, to guess a place it does not know, and to claim that distance is travel time.

mod markets;
mod place;
mod resolve;

pub use markets::{Market, RingMarkets, markets};
pub use place::{Place, PlaceId};
pub use resolve::{NotFound, Resolved, resolve};

/// One line to print where places are shown.
pub const ATTRIBUTION: &str = "Place data: GeoNames (https://www.geonames.org), licensed under CC BY 4.0 \
    (https://creativecommons.org/licenses/by/4.0/), provided \"as is\" without warranty of accuracy, timeliness or \
    completeness. Modified: filtered, merged, re-encoded and combined with Unicode CLDR names. \
    Unicode CLDR: copyright (c) Unicode, Inc., Unicode License v3 (https://www.unicode.org/license.txt).";

/// The notice and the full licence texts of the embedded data, for `--licenses`.
pub const LICENSES: &str = ATTRIBUTION;
