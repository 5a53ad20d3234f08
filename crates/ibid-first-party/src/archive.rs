//! Zip archives with bounds: what comes out is counted, whatever the archive says about its size.

use crate::read::Error;
use flate2::read::DeflateDecoder;
use std::borrow::BorrowMut;
use std::io::{self, Read, Seek, SeekFrom, Take};
use std::time::Instant;

/// Most bytes that one archive unpacks to: a hundred times the largest export.
const MOST_UNPACKED: u64 = 500 << 20;
/// Most files in one archive.
const MOST_FILES: usize = 1_000;
/// The record at the end, and the longest comment after it.
const END: u64 = 22 + 65_535;

/// How much of a file is read. The command line reads any size on its own machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// Most bytes that it unpacks to; `None` for the bounds of archives alone.
    pub bytes: Option<u64>,
    /// Most lines of a log.
    pub lines: Option<u64>,
    /// Most rows that are kept.
    pub rows: Option<usize>,
    /// When the reading ends at the latest.
    pub until: Option<Instant>,
}

/// Anything that an archive can be read from.
pub(crate) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// A file of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    method: u16,
    packed: u64,
    header: u64,
}

pub(crate) struct Archive<'a> {
    file: &'a mut dyn ReadSeek,
    pub(crate) entries: Vec<Entry>,
    most: u64,
    left: u64,
    until: Option<Instant>,
}

impl<'a> Archive<'a> {
    pub(crate) fn open(file: &'a mut dyn ReadSeek) -> Result<Self, Error> {
        let length = file.seek(SeekFrom::End(0))?;
        let start = length.saturating_sub(END);
        file.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        (&mut *file).take(END).read_to_end(&mut tail)?;
        let at = memchr::memmem::rfind(&tail, b"PK\x05\x06").ok_or(Error::BrokenArchive)?;
        let end = tail.get(at..).unwrap_or_default();
        let (count, size, from) = (u16_at(end, 10)?, u32_at(end, 12)?, u32_at(end, 16)?);
        if usize::from(count) > MOST_FILES {
            return Err(Error::TooManyFiles { most: MOST_FILES });
        }
        if u64::from(from) + u64::from(size) > length {
            return Err(Error::BrokenArchive);
        }
        file.seek(SeekFrom::Start(u64::from(from)))?;
        let mut list = Vec::new();
        (&mut *file).take(u64::from(size)).read_to_end(&mut list)?;
        let mut entries = Vec::new();
        let mut rest = list.as_slice();
        for _ in 0..count {
            if rest.get(..4) != Some(b"PK\x01\x02") {
                return Err(Error::BrokenArchive);
            }
            let is_locked = u16_at(rest, 8)? & 1 == 1;
            let name_length = usize::from(u16_at(rest, 28)?);
            let next = 46 + name_length + usize::from(u16_at(rest, 30)?) + usize::from(u16_at(rest, 32)?);
            let name = rest.get(46..46 + name_length).ok_or(Error::BrokenArchive)?;
            let name = String::from_utf8_lossy(name).into_owned();
            if is_locked {
                return Err(Error::Locked { name });
            }
            entries.push(Entry {
                name,
                method: u16_at(rest, 10)?,
                packed: u64::from(u32_at(rest, 20)?),
                header: u64::from(u32_at(rest, 42)?),
            });
            rest = rest.get(next..).ok_or(Error::BrokenArchive)?;
        }
        Ok(Self {
            file,
            entries,
            most: MOST_UNPACKED,
            left: MOST_UNPACKED,
            until: None,
        })
    }

    /// Lowers the bounds of its reading.
    pub(crate) fn bound(&mut self, bounds: Bounds) {
        let most = bounds.bytes.unwrap_or(u64::MAX);
        self.most = self.most.min(most);
        self.left = self.left.min(most);
        self.until = bounds.until.or(self.until);
    }

    /// Finds a file by its name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.name == name)
    }

    /// Unpacks a file.
    pub(crate) fn read(&mut self, place: usize) -> Result<impl Read + '_, Error> {
        let entry = self.entries.get(place).ok_or(Error::BrokenArchive)?;
        self.file.seek(SeekFrom::Start(entry.header))?;
        let mut header = [0_u8; 30];
        self.file.read_exact(&mut header)?;
        if header.get(..4) != Some(b"PK\x03\x04") {
            return Err(Error::BrokenArchive);
        }
        let skip = i64::from(u16_at(&header, 26)?) + i64::from(u16_at(&header, 28)?);
        self.file.seek(SeekFrom::Current(skip))?;
        let packed = (&mut *self.file).take(entry.packed);
        let bytes = match entry.method {
            0 => Packing::Stored(packed),
            8 => Packing::Deflated(Box::new(DeflateDecoder::new(packed))),
            _ => {
                return Err(Error::UnknownPacking {
                    name: entry.name.clone(),
                });
            }
        };
        Ok(Capped {
            bytes,
            most: self.most,
            left: &mut self.left,
            until: self.until,
        })
    }
}

enum Packing<R> {
    Stored(Take<R>),
    Deflated(Box<DeflateDecoder<Take<R>>>),
}

impl<R: Read> Read for Packing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stored(bytes) => bytes.read(buffer),
            Self::Deflated(bytes) => bytes.read(buffer),
        }
    }
}

/// Bytes that end in an error at a bound, which a whole archive has for all of its files.
pub(crate) struct Capped<R, L> {
    bytes: R,
    most: u64,
    left: L,
    until: Option<Instant>,
}

impl<R> Capped<R, u64> {
    pub(crate) fn new(bytes: R, bounds: Bounds) -> Self {
        let most = bounds.bytes.unwrap_or(u64::MAX);
        Self {
            bytes,
            most,
            left: most,
            until: bounds.until,
        }
    }
}

impl<R: Read, L: BorrowMut<u64>> Read for Capped<R, L> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.until.is_some_and(|until| Instant::now() > until) {
            return Err(io::Error::other(Beyond::Time));
        }
        let count = self.bytes.read(buffer)?;
        let left: &mut u64 = self.left.borrow_mut();
        match left.checked_sub(count as u64) {
            Some(less) => *left = less,
            None => return Err(io::Error::other(Beyond::Bytes { most: self.most })),
        }
        Ok(count)
    }
}

/// A bound that the reading of a file met.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Beyond {
    #[error("it unpacks to more than {} MiB", most >> 20)]
    Bytes { most: u64 },
    #[error("reading it takes longer than a file may")]
    Time,
}

/// Whether a fault of reading is a bound.
pub(crate) fn is_beyond(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|cause| cause.is::<Beyond>())
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, Error> {
    let two = bytes.get(at..at + 2).and_then(|two| two.try_into().ok());
    two.map(u16::from_le_bytes).ok_or(Error::BrokenArchive)
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, Error> {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map(u32::from_le_bytes).ok_or(Error::BrokenArchive)
}

#[cfg(test)]
mod tests {
    use super::{Archive, Bounds};
    use flate2::{Compression, write::DeflateEncoder};
    use std::io::{Cursor, Read, Write};

    #[test]
    fn what_comes_out_is_counted_whatever_the_archive_says() {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&[b'x'; 10_000]).unwrap();
        let packed = packed.finish().unwrap();
        let size = u32::try_from(packed.len()).unwrap().to_le_bytes();
        // Flags, method, time, day, checksum, sizes, lengths: it claims to unpack to one byte.
        let common = [
            &[0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &size,
            &[1, 0, 0, 0, 1, 0, 0, 0],
        ]
        .concat();
        let local = [&b"PK\x03\x04\x14\0"[..], &common, b"a", &packed].concat();
        let list = [&b"PK\x01\x02\x14\0\x14\0"[..], &common, &[0; 14], b"a"].concat();
        let (offset, length) = (
            u32::try_from(local.len()).unwrap(),
            u32::try_from(list.len()).unwrap(),
        );
        let end = [
            &b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..],
            &length.to_le_bytes(),
            &offset.to_le_bytes(),
            &[0, 0],
        ]
        .concat();
        let mut file = Cursor::new([local, list, end].concat());
        let mut archive = Archive::open(&mut file).unwrap();
        let mut all = Vec::new();
        archive.read(0).unwrap().read_to_end(&mut all).unwrap();
        assert_eq!(all.len(), 10_000);
        archive.bound(Bounds {
            bytes: Some(9_999),
            ..Bounds::default()
        });
        let error = archive.read(0).unwrap().read_to_end(&mut all).unwrap_err();
        assert!(error.to_string().contains("more than 0 MiB"), "{error}");
    }
}
