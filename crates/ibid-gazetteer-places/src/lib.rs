#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
//!
//! Data of the `ibid-gazetteer` crate: towns, regions and countries with their coordinates, populations and names.
//!
//! The crate holds bytes and their licence notices only; `ibid-gazetteer` reads them. The index from names to
//! places is in `ibid-gazetteer-names`: together they are larger than a registry accepts in one crate.
//!
//! ```
//! assert!(ibid_gazetteer_places::PLACES.starts_with(b"IBIDGAP"));
//! assert!(ibid_gazetteer_places::LICENSES.contains("GeoNames"));
//! ```

/// The packed places.
pub static PLACES: &[u8] = include_bytes!("../data/places.bin");

/// The notice and the full licence texts of the data.
pub const LICENSES: &str = concat!(
    include_str!("../data/NOTICE.md"),
    "\n\n---- CC BY 4.0 ----\n\n",
    include_str!("../data/LICENSE-CC-BY-4.0.txt"),
    "\n\n---- Unicode License v3 ----\n\n",
    include_str!("../data/LICENSE-UNICODE-3.0.txt"),
    "\n\n---- Packages ----\n\n",
    include_str!("../data/LICENSE-PACKAGES.txt"),
);
