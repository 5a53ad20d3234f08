//! How the two data files are laid out. Their reader and their packer share it, so that they agree.
//!
//! ```text
//! magic            8 bytes
//! sections         for each section (offset: u32, length: u32), offsets from the start of the file
//! ...              the sections, in order
//! ```
//! All numbers are little-endian.
//! Texts are one length byte and that many bytes of UTF-8.

/// Begins the file with places. The last byte is the layout version.
pub(crate) const PLACES_MAGIC: [u8; 8] = *b"IBIDGAP\x03";
/// Begins the file with names.
pub(crate) const NAMES_MAGIC: [u8; 8] = *b"IBIDGAN\x02";

pub(crate) const PLACES_SECTIONS: usize = 8;
pub(crate) const NAMES_SECTIONS: usize = 3;

/// What the file with places holds. A section's number is its position in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// Latitudes of the places, ascending: `i32`, 1e-5 degrees.
    Lat,
    /// Longitudes of the places: `i32`, 1e-5 degrees.
    Lon,
    /// The places: id `u32`, inhabitants `u32`, name `u32`, area `u16`, rank `u16`.
    /// The area is an index over the regions and then the parts.
    /// The rank contains the prominence and, in its lowest [`FLAG_BITS`] bits, the flags.
    Places,
    /// First-level regions: country `u16`, inhabitants `u32`, row of the most populous place `u32`, name `u32`, code `u32`.
    /// Every country also has a region without name or code, for places in no region.
    Regions,
    /// Second-level regions: region `u16`, inhabitants `u32`, row of the most populous place `u32`, name `u32`.
    Parts,
    /// Countries by code: id `u32`, inhabitants `u32`, row of the most populous place `u32`, name `u32`, code `u32`.
    /// Names and codes are offsets of texts.
    Countries,
    /// Texts.
    Texts,
    /// Names in the languages of the questions, ascending: subject `u32`, index in [`LANGUAGES`] `u32`, text `u32`.
    /// A subject is an index shifted by [`SUBJECT_SHIFT`] and its [`Subject`].
    Local,
}

impl Section {
    /// Bytes of a record; 1 for texts.
    pub(crate) const fn record(self) -> usize {
        match self {
            Self::Lat | Self::Lon => 4,
            Self::Places => 16,
            Self::Regions => 18,
            Self::Parts => 14,
            Self::Countries => 20,
            Self::Texts => 1,
            Self::Local => 12,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameSection {
    /// Finite-state transducer from folded place names to postings.
    Places,
    /// Finite-state transducer from folded names and codes of countries and regions to postings.
    Areas,
    /// Lists of postings, `u32` each; a list starts with its length.
    Postings,
}

/// What a local name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A place, by row.
    Place,
    /// A first-level region.
    Region,
    /// A country.
    Country,
    /// A second-level region.
    Part,
}

/// Which languages local names are in.
pub(crate) const LANGUAGES: [&str; 28] = [
    "en", "es", "de", "fr", "pt", "it", "nl", "ja", "ar", "hi", "ko", "pl", "ru", "sv", "tr", "zh",
    "zh-Hant", "cs", "da", "el", "fi", "he", "hu", "id", "nb", "ro", "uk", "vi",
];
pub(crate) const SUBJECT_SHIFT: u32 = 2;

/// Number of flag bits in a rank.
pub(crate) const FLAG_BITS: u32 = 4;
/// May be a market: a separate town of at least 1,000 inhabitants with a reliable row.
pub(crate) const MARKET: u16 = 1;
/// Seat of a first- or second-level administration.
pub(crate) const SEAT: u16 = 2;
/// Capital of its country.
pub(crate) const CAPITAL: u16 = 4;
pub(crate) const SECTION: u16 = 8;

/// A smaller place is a hamlet: no market, and no source for corrections.
pub(crate) const SMALLEST_TOWN: u64 = 1_000;

/// Prominence is stored in steps of this.
pub(crate) const PROMINENCE_STEP: f64 = 1.0 / 128.0;

/// Marks an area that holds no place, because it is beyond all rows.
#[cfg(feature = "pack")]
pub(crate) const NO_ROW: u32 = u32::MAX;

/// Set if a transducer value is one posting. Otherwise it is the start of a list.
pub(crate) const SINGLE: u64 = 1 << 32;

/// A place's posting has the row, shifted by this, and the flag `MAIN`.
pub(crate) const ROW_SHIFT: u32 = 1;
/// The name is the main name of the place, or as good as one.
pub(crate) const MAIN: u32 = 1;

/// An area's posting has the index, shifted by this, the [`AreaWeight`], shifted by 2, and the kind.
pub(crate) const AREA_SHIFT: u32 = 4;

/// How far a town's built-up core reaches, in kilometres.
///
/// The core is a disc at 10,000 people per square kilometre.
/// The radius is at most 12 km, so that neighbours of the largest cities stay separate towns.
pub(crate) fn core_km(population: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "populations are far below 2^52")]
    let people = population as f64;
    (people / (std::f64::consts::PI * 10_000.0)).sqrt().min(12.0)
}
