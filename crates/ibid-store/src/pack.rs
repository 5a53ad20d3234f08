//! Evidence, compressed.

use crate::StoreError;
use serde::de::{Deserialize, Deserializer, Visitor};
use std::fmt;
use std::io::Read as _;
use std::sync::Arc;

/// Evidence, compressed: the form in which it is stored.
///
/// Evidence is compressed before the call of the store, because this takes time and must not hold a lock.
#[derive(Clone)]
pub struct PackedAnswers(Arc<[u8]>);

impl PackedAnswers {
    /// Compresses a JSON document.
    ///
    /// # Errors
    /// [`StoreError::Packing`] when there is no memory for it.
    pub fn of(plain: &[u8]) -> Result<Self, StoreError> {
        // Answers shrink to about a fifth, at hundreds of megabytes a second.
        let packed =
            zstd::bulk::compress(plain, zstd::DEFAULT_COMPRESSION_LEVEL).map_err(StoreError::Packing)?;
        Ok(Self(packed.into()))
    }

    /// Wraps evidence that is compressed already.
    pub fn packed(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }

    /// The compressed bytes: a zstd frame.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Decompresses the evidence.
    ///
    /// # Errors
    /// [`StoreError::Packing`] for bytes that are no evidence, [`StoreError::Damaged`] where there are too many.
    pub fn unpack(&self) -> Result<Vec<u8>, StoreError> {
        /// The limit against damaged rows. The evidence of real scans is far smaller.
        const MOST_BYTES: u64 = 512 << 20;
        let decoder = zstd::stream::read::Decoder::new(self.as_bytes()).map_err(StoreError::Packing)?;
        let mut plain = Vec::new();
        let mut bounded = decoder.take(MOST_BYTES + 1);
        bounded.read_to_end(&mut plain).map_err(StoreError::Packing)?;
        if plain.len() as u64 > MOST_BYTES {
            Err(StoreError::Damaged("evidence"))
        } else {
            Ok(plain)
        }
    }
}

/// Reads the bytes of a column as a whole, because serde would read a `Vec<u8>` one by one.
impl<'de> Deserialize<'de> for PackedAnswers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = PackedAnswers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<PackedAnswers, E> {
                Ok(PackedAnswers::packed(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Bytes)
    }
}

impl fmt::Debug for PackedAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedAnswers({} bytes)", self.0.len())
    }
}
