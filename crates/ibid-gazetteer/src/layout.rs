//! The layout of the two data files, shared by their reader and their packer.
//!
//! ```text
//! magic            8 bytes
//! sections         for each section (offset: u32, length: u32), offsets from the start of the file
//! ...              the sections, in order
//! ```
//! All numbers are little-endian.
//! Texts are one length byte and that many bytes of UTF-8.

/// The first bytes of the file of places. The last one is the layout version.
pub(crate) const PLACES_MAGIC: [u8; 8] = *b"IBIDGAP\x02";
/// First bytes of the file of names.
pub(crate) const NAMES_MAGIC: [u8; 8] = *b"IBIDGAN\x02";

/// Number of sections of the file of places.
pub(crate) const PLACES_SECTIONS: usize = 8;
/// Number of sections of the file of names.
pub(crate) const NAMES_SECTIONS: usize = 3;

/// Latitudes of the places, ascending: `i32`, 1e-5 degrees.
pub(crate) const LAT: usize = 0;
/// Longitudes of the places: `i32`, 1e-5 degrees.
pub(crate) const LON: usize = 1;
/// The places: [`PLACE_LEN`] bytes each: id `u32`, inhabitants `u32`, name `u32`, area `u16`, rank `u16`.
/// The area is an index over the regions and then the parts.
/// The rank contains the prominence and, in its lowest [`FLAG_BITS`] bits, the flags.
pub(crate) const PLACES: usize = 2;
/// First-level regions, [`REGION_LEN`] bytes each: country `u16`, inhabitants `u32`,
/// row of the most populous place `u32`, name `u32`, code `u32`.
/// Every country also has a region without name or code, for places in no region.
pub(crate) const REGIONS: usize = 3;
/// Second-level regions, [`PART_LEN`] bytes each: region `u16`, inhabitants `u32`,
/// row of the most populous place `u32`.
pub(crate) const PARTS: usize = 4;
/// Countries by code, [`COUNTRY_LEN`] bytes each: id `u32`, inhabitants `u32`,
/// row of the most populous place `u32`, name `u32`, code `u32`.
/// Names and codes are offsets of texts.
pub(crate) const COUNTRIES: usize = 5;
/// Texts.
pub(crate) const TEXTS: usize = 6;
/// Names in the languages of the questions, [`LOCAL_LEN`] bytes each, ascending:
/// subject `u32`, index in [`LANGUAGES`] `u32`, text `u32`.
/// A subject is an index shifted by [`SUBJECT_SHIFT`] and its kind.
pub(crate) const LOCAL: usize = 7;

/// In the file of names: finite-state transducer from folded place names to postings.
pub(crate) const PLACE_NAMES: usize = 0;
/// Finite-state transducer from folded names and codes of countries and regions to postings.
pub(crate) const AREA_NAMES: usize = 1;
/// Lists of postings, `u32` each; a list starts with its length.
pub(crate) const POSTINGS: usize = 2;

/// Bytes of a name in a language.
pub(crate) const LOCAL_LEN: usize = 12;
/// The languages of local names.
pub(crate) const LANGUAGES: [&str; 17] = [
    "en", "es", "de", "fr", "pt", "it", "nl", "ja", "ar", "hi", "ko", "pl", "ru", "sv", "tr", "zh", "zh-Hant",
];
/// The index of a subject is shifted by this.
pub(crate) const SUBJECT_SHIFT: u32 = 2;
/// Kind of subject: a place, by row.
pub(crate) const SUBJECT_PLACE: u32 = 0;
/// Kind of subject: a first-level region.
pub(crate) const SUBJECT_REGION: u32 = 1;
/// Kind of subject: a country.
pub(crate) const SUBJECT_COUNTRY: u32 = 2;

/// Bytes of a place.
pub(crate) const PLACE_LEN: usize = 16;
/// Bytes of a first-level region.
pub(crate) const REGION_LEN: usize = 18;
/// Bytes of a second-level region.
pub(crate) const PART_LEN: usize = 10;
/// Bytes of a country.
pub(crate) const COUNTRY_LEN: usize = 20;

/// Number of flag bits in a rank.
pub(crate) const FLAG_BITS: u32 = 4;
/// May be a market: a separate town of at least 1,000 inhabitants with a reliable row.
pub(crate) const MARKET: u16 = 1;
/// Seat of a first- or second-level administration.
pub(crate) const SEAT: u16 = 2;
/// Capital of its country.
pub(crate) const CAPITAL: u16 = 4;
/// A section of a town.
pub(crate) const SECTION: u16 = 8;

/// Prominence is stored in steps of this.
pub(crate) const PROMINENCE_STEP: f64 = 1.0 / 128.0;

/// The row of an area that holds no place: beyond all rows.
#[cfg(feature = "pack")]
pub(crate) const NO_ROW: u32 = u32::MAX;

/// Set if a transducer value is one posting. Otherwise it is the start of a list.
pub(crate) const SINGLE: u64 = 1 << 32;

/// The posting of a place has the row, shifted by this, and the flag `MAIN`.
pub(crate) const ROW_SHIFT: u32 = 1;
/// The name is the main name of the place, or as good as one.
pub(crate) const MAIN: u32 = 1;

/// The posting of an area has the index, shifted by this, the [`AreaWeight`], shifted by 2, and the kind.
pub(crate) const AREA_SHIFT: u32 = 4;

/// The radius of the built-up core of a town in kilometres.
///
/// The core is a disc at 10,000 people per square kilometre.
/// The radius is at most 12 km, so that neighbours of the largest cities stay separate towns.
pub(crate) fn core_km(population: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "populations are far below 2^52")]
    let people = population as f64;
    (people / (std::f64::consts::PI * 10_000.0)).sqrt().min(12.0)
}
