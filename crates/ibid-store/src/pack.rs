//! Evidence, compressed.

use crate::StoreError;
use std::sync::{Mutex, PoisonError};
use zstd::bulk::Compressor;

/// zstd's own default level: about a fifth of the size for model answers, at hundreds of megabytes a second.
const LEVEL: i32 = 3;
/// Idle compressors kept. Each holds about a megabyte of tables, whose set-up costs more than compressing a scan.
const KEPT: usize = 4;

static IDLE: Mutex<Vec<Compressor<'static>>> = Mutex::new(Vec::new());

/// Evidence, compressed: the form in which it is kept.
///
/// Compressing takes time with the size of a scan, so it is done before the store is asked and holds no lock of it.
#[derive(Clone)]
pub struct PackedAnswers(Vec<u8>);

impl PackedAnswers {
    /// Compresses a JSON document.
    ///
    /// # Errors
    /// [`StoreError::Packing`] when there is no memory for it.
    pub fn of(plain: &[u8]) -> Result<Self, StoreError> {
        let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let mut compressor = match kept {
            Some(compressor) => compressor,
            None => Compressor::new(LEVEL).map_err(StoreError::Packing)?,
        };
        let packed = compressor.compress(plain).map_err(StoreError::Packing)?;
        let mut idle = idle();
        if idle.len() < KEPT {
            idle.push(compressor);
        }
        Ok(Self(packed))
    }

    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for PackedAnswers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PackedAnswers({} bytes)", self.0.len())
    }
}

/// The evidence inside.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn unpack(packed: &[u8]) -> Result<Vec<u8>, StoreError> {
    use std::io::Read as _;
    /// A scan of 45,000 answers of 256 KiB never gets this far; a damaged row might.
    const MOST_BYTES: u64 = 512 << 20;
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
