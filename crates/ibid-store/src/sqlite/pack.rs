//! Evidence, compressed.

use crate::StoreError;
use std::io::Read;

/// zstd's own default level: about a fifth of the size for model answers, at hundreds of megabytes a second.
const LEVEL: i32 = 3;
/// Largest evidence read back. A scan of 45,000 answers of 256 KiB never gets this far; a damaged row might.
const MOST_BYTES: u64 = 512 << 20;

/// Compresses evidence.
pub(super) fn pack(plain: &[u8]) -> Result<Vec<u8>, StoreError> {
    zstd::bulk::compress(plain, LEVEL).map_err(StoreError::Packing)
}

/// The evidence that [`pack`] compressed.
pub(super) fn unpack(packed: &[u8]) -> Result<Vec<u8>, StoreError> {
    let decoder = zstd::stream::read::Decoder::new(packed).map_err(StoreError::Packing)?;
    let mut plain = Vec::new();
    let mut bounded = decoder.take(MOST_BYTES + 1);
    bounded.read_to_end(&mut plain).map_err(StoreError::Packing)?;
    if plain.len() as u64 > MOST_BYTES {
        Err(StoreError::Damaged("evidence"))
    } else {
        Ok(plain)
    }
}
