//! Decodes gzip with several members (RFC 1952, 2.2).
//!
//! Decoded bytes and members have limits.
//! `MultiGzDecoder` has no limit on members, and takes the padding of some servers for a broken header.

use crate::limits::MANY;
use flate2::write::GzDecoder;
use std::io::{self, Write};

/// A stream that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken;

/// Whether more is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    More,
    Enough,
}

/// A decoder that takes pieces.
#[derive(Debug)]
pub(crate) struct Gunzip {
    decoder: GzDecoder<Capped>,
    members: usize,
    /// Something else follows the last member: padding, which is not read.
    is_over: bool,
}

impl Gunzip {
    /// A decoder that gives at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            decoder: GzDecoder::new(Capped::new(limit)),
            members: 0,
            is_over: false,
        }
    }

    /// Takes a piece.
    pub(crate) fn push(&mut self, mut piece: &[u8]) -> Result<Want, Broken> {
        while !piece.is_empty() && !self.is_over {
            match self.decoder.write(piece) {
                // The member has ended before the piece.
                Ok(0) => {
                    self.members += 1;
                    if self.members > MANY {
                        return Err(Broken);
                    }
                    self.decoder.try_finish().map_err(|_| Broken)?;
                    if piece.first() == Some(&0x1f) {
                        let capped = std::mem::take(self.decoder.get_mut());
                        self.decoder = GzDecoder::new(capped);
                    } else {
                        self.is_over = true;
                    }
                }
                Ok(count) => piece = piece.get(count..).unwrap_or(&[]),
                Err(_) if self.decoder.get_ref().is_full() => return Ok(Want::Enough),
                Err(_) => return Err(Broken),
            }
        }
        Ok(Want::More)
    }

    /// Bytes decoded so far.
    #[cfg(feature = "http")]
    pub(crate) fn decoded(&self) -> usize {
        self.decoder.get_ref().kept.len()
    }

    /// Returns the decoded bytes and whether there were more.
    ///
    /// With `broken_off` a missing end is accepted, because not all pieces were pushed.
    pub(crate) fn finish(mut self, broken_off: bool) -> Result<(Vec<u8>, bool), Broken> {
        let finished = self.is_over || self.decoder.try_finish().is_ok();
        let capped = std::mem::take(self.decoder.get_mut());
        if !finished && !capped.is_full() && !broken_off {
            return Err(Broken);
        }
        let cut = capped.is_full() || broken_off;
        Ok((capped.kept, cut))
    }
}

/// A sink that takes so much and no more.
#[derive(Debug, Default)]
pub(crate) struct Capped {
    kept: Vec<u8>,
    limit: usize,
    is_full: bool,
}

impl Capped {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            kept: Vec::new(),
            limit,
            is_full: false,
        }
    }

    /// Whether something was refused.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Bytes kept so far.
    #[cfg(feature = "http")]
    pub(crate) fn kept(&self) -> usize {
        self.kept.len()
    }

    /// Returns the kept bytes.
    #[cfg(feature = "http")]
    pub(crate) fn into_kept(self) -> Vec<u8> {
        self.kept
    }
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let room = self.limit.saturating_sub(self.kept.len());
        if room == 0 {
            self.is_full = true;
            return Err(io::Error::other("the limit is reached"));
        }
        let taken = room.min(bytes.len());
        self.kept.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use proptest::prelude::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn read(pieces: &[&[u8]], limit: usize) -> Result<(Vec<u8>, bool), Broken> {
        let mut gunzip = Gunzip::new(limit);
        for piece in pieces {
            if gunzip.push(piece)? == Want::Enough {
                break;
            }
        }
        gunzip.finish(false)
    }

    #[test]
    fn streams_are_read_or_broken() {
        let hello = gzip(b"hello");
        for (bytes, expected) in [
            (hello.clone(), Ok("hello")),
            ([gzip(b"hello "), gzip(b"world")].concat(), Ok("hello world")),
            ([gzip(b""), hello.clone(), gzip(b"")].concat(), Ok("hello")),
            ([&hello[..], &[0; 100]].concat(), Ok("hello")),
            (hello[..12].to_vec(), Err(Broken)),
            (b"not gzip at all".to_vec(), Err(Broken)),
            (gzip(b"").repeat(MANY + 2), Err(Broken)),
        ] {
            let found = read(&[&bytes], 100).map(|(body, _)| String::from_utf8(body).expect("text"));
            assert_eq!(found, expected.map(str::to_owned));
        }
    }

    #[test]
    fn bombs_stop_at_the_limit() {
        let bomb = gzip(&vec![b'a'; 20 << 20]);
        assert!(bomb.len() < 1 << 20);
        let (body, cut) = read(&[&bomb], 1 << 20).expect("a beginning");
        assert_eq!((body.len(), cut), (1 << 20, true));
    }

    proptest! {
        #[test]
        fn packed_bytes_are_restored_for_every_chunk_size(bytes in proptest::collection::vec(any::<u8>(), 1..2_000), at in 0..2_000_usize, members in 1..4_usize) {
            let size = bytes.len() / members + 1;
            let packed: Vec<u8> = bytes.chunks(size).flat_map(gzip).collect();
            let (left, right) = packed.split_at(at.min(packed.len()));
            prop_assert_eq!(read(&[left, right], 10_000), Ok((bytes, false)));
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut packed = gzip(b"x");
            packed.extend(bytes);
            let _ = read(&[&packed], 1_000);
        }
    }
}
