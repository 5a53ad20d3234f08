//! Bodies: content coding removed under a cap on what comes out.

use super::Failure;
use flate2::write::MultiGzDecoder;
use std::io::{self, Write};

/// Takes the bytes of an answer and keeps at most a limit of what they decode to.
pub(super) enum Body {
    /// As sent.
    Plain(Capped),
    /// gzip, with as many members as there are.
    Gzip(Box<MultiGzDecoder<Capped>>),
}

/// Whether more is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    More,
    Enough,
}

impl Body {
    /// A body with these content codings.
    ///
    /// # Errors
    ///
    /// If it has another coding than gzip, or more than one.
    pub(super) fn new<'c>(codings: impl Iterator<Item = &'c str>, limit: usize) -> Result<Self, Failure> {
        let codings: Vec<String> = codings
            .flat_map(|value| value.split(','))
            .map(|coding| coding.trim().to_ascii_lowercase())
            .filter(|coding| !coding.is_empty() && coding != "identity")
            .collect();
        let capped = Capped {
            kept: Vec::new(),
            limit,
            is_full: false,
        };
        match codings.as_slice() {
            [] => Ok(Self::Plain(capped)),
            [one] if one == "gzip" || one == "x-gzip" => {
                Ok(Self::Gzip(Box::new(MultiGzDecoder::new(capped))))
            }
            _ => Err(Failure::Coding),
        }
    }

    /// Takes a piece.
    ///
    /// # Errors
    ///
    /// If it cannot be decoded.
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<Want, Failure> {
        let (written, is_full) = match self {
            Self::Plain(capped) => (capped.write_all(piece), capped.is_full),
            Self::Gzip(decoder) => (decoder.write_all(piece), decoder.get_ref().is_full),
        };
        match written {
            _ if is_full => Ok(Want::Enough),
            Ok(()) => Ok(Want::More),
            Err(_) => Err(Failure::Coding),
        }
    }

    /// What was kept, and whether there was more. `broken_off` says that not all pieces were pushed.
    ///
    /// # Errors
    ///
    /// If all pieces were pushed and the end is missing.
    pub(super) fn finish(self, broken_off: bool) -> Result<(Vec<u8>, bool), Failure> {
        let capped = match self {
            Self::Plain(capped) => capped,
            Self::Gzip(mut decoder) => {
                let finished = decoder.try_finish();
                if finished.is_err() && !decoder.get_ref().is_full && !broken_off {
                    return Err(Failure::Coding);
                }
                let capped = decoder.get_mut();
                Capped {
                    kept: std::mem::take(&mut capped.kept),
                    limit: capped.limit,
                    is_full: capped.is_full,
                }
            }
        };
        Ok((capped.kept, capped.is_full || broken_off))
    }
}

/// A sink that takes so much and no more.
#[derive(Debug, Default)]
pub(super) struct Capped {
    kept: Vec<u8>,
    limit: usize,
    /// Whether something was refused.
    is_full: bool,
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

    fn read(coding: &[&str], pieces: &[&[u8]], limit: usize) -> Result<(Vec<u8>, bool), Failure> {
        let mut body = Body::new(coding.iter().copied(), limit)?;
        for piece in pieces {
            if body.push(piece)? == Want::Enough {
                break;
            }
        }
        body.finish(false)
    }

    #[test]
    fn codings_are_read_or_refused() {
        let hello = gzip(b"hello");
        let two = [gzip(b"hello "), gzip(b"world")].concat();
        for (coding, bytes, expected) in [
            (&[][..], &b"hello"[..], Ok("hello")),
            (&["identity"], b"hello", Ok("hello")),
            (&["gzip"], &hello, Ok("hello")),
            (&["X-GZIP"], &hello, Ok("hello")),
            (&["gzip"], &two, Ok("hello world")),
            (&["gzip, gzip"], &hello, Err(Failure::Coding)),
            (&["gzip", "gzip"], &hello, Err(Failure::Coding)),
            (&["br"], b"x", Err(Failure::Coding)),
            (&["deflate"], b"x", Err(Failure::Coding)),
            (&["gzip"], b"not gzip at all", Err(Failure::Coding)),
            (&["gzip"], &hello[..12], Err(Failure::Coding)),
        ] {
            let found = read(coding, &[bytes], 100).map(|(body, _)| String::from_utf8(body).expect("text"));
            assert_eq!(found, expected.map(str::to_owned), "{coding:?}");
        }
    }

    #[test]
    fn bombs_stop_at_the_limit() {
        let bomb = gzip(&vec![b'a'; 20 << 20]);
        assert!(bomb.len() < 200_000);
        let (body, cut) = read(&["gzip"], &[&bomb], 1 << 20).expect("a beginning");
        assert_eq!((body.len(), cut), (1 << 20, true));
        let (body, cut) = read(&[], &[b"hello", b"world"], 7).expect("a beginning");
        assert_eq!((body.as_slice(), cut), (&b"hellowo"[..], true));
        let (body, cut) = read(&[], &[b"hello"], 5).expect("all of it");
        assert_eq!((body.as_slice(), cut), (&b"hello"[..], false));
    }

    proptest! {
        #[test]
        fn what_was_packed_comes_out_however_it_is_cut(bytes in proptest::collection::vec(any::<u8>(), 0..2_000), at in 0..2_000_usize, members in 1..4_usize) {
            let size = bytes.len() / members + 1;
            let packed: Vec<u8> = bytes.chunks(size).flat_map(gzip).collect();
            let (left, right) = packed.split_at(at.min(packed.len()));
            let found = read(&["gzip"], &[left, right], 10_000);
            if bytes.is_empty() {
                prop_assert!(found.is_ok() || found == Err(Failure::Coding));
            } else {
                prop_assert_eq!(found, Ok((bytes, false)));
            }
        }
    }
}
