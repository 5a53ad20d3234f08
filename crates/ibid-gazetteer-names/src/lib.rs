#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
//!
//! Data of the `ibid-gazetteer` crate: the index from spellings to places, regions and countries.
//!
//! The crate holds bytes only; `ibid-gazetteer` reads them. The places themselves are in `ibid-gazetteer-places`.
//! The licence texts are in the `data` folder of the crate and in `ibid_gazetteer_places::LICENSES`.
//!
//! ```
//! assert!(ibid_gazetteer_names::NAMES.starts_with(b"IBIDGAN"));
//! ```

/// Packed index from spellings to places and areas.
pub static NAMES: &[u8] = include_bytes!("../data/names.bin");
