//! Bodies: content coding removed under a cap on what comes out.

use super::FetchFailure;
use crate::gzip::{Capped, Gunzip, Want};
use std::io::Write;

/// How gzip with deflate begins (RFC 1952, 2.3.1).
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// Takes an answer's bytes and keeps decoded ones up to a limit.
pub(super) enum Body {
    /// No coding is declared.
    ///
    /// The first three bytes decide whether it is gzip; fewer are kept back.
    Undeclared { start: Vec<u8>, limit: usize },
    /// As sent.
    Plain(Capped),
    /// gzip.
    Gzip(Box<Gunzip>),
}

impl Body {
    /// A body with these content codings.
    ///
    /// # Errors
    ///
    /// If it has another coding than gzip, or more than one.
    pub(super) fn new<'c>(
        codings: impl Iterator<Item = &'c str>,
        limit: usize,
    ) -> Result<Self, FetchFailure> {
        let codings: Vec<String> = codings
            .flat_map(|value| value.split(','))
            .map(|coding| coding.trim().to_ascii_lowercase())
            .filter(|coding| !coding.is_empty() && coding != "identity")
            .collect();
        match codings.as_slice() {
            [] => Ok(Self::Undeclared {
                start: Vec::new(),
                limit,
            }),
            [one] if one == "gzip" || one == "x-gzip" => Ok(Self::Gzip(Box::new(Gunzip::new(limit)))),
            _ => Err(FetchFailure::Coding),
        }
    }

    /// Takes a piece.
    ///
    /// # Errors
    ///
    /// If it cannot be decoded.
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<Want, FetchFailure> {
        if let Self::Undeclared { start, limit } = self {
            start.extend_from_slice(piece);
            if start.len() < GZIP.len() {
                return Ok(Want::More);
            }
            let (all, limit) = (std::mem::take(start), *limit);
            *self = if all.starts_with(&GZIP) {
                Self::Gzip(Box::new(Gunzip::new(limit)))
            } else {
                Self::Plain(Capped::new(limit))
            };
            return self.push(&all);
        }
        match self {
            Self::Plain(capped) => match capped.write_all(piece) {
                Ok(()) => Ok(Want::More),
                Err(_) => Ok(Want::Enough),
            },
            Self::Gzip(gunzip) => gunzip.push(piece).map_err(|_| FetchFailure::Coding),
            Self::Undeclared { .. } => Ok(Want::More),
        }
    }

    /// Bytes in memory so far.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Undeclared { start, .. } => start.len(),
            Self::Plain(capped) => capped.kept(),
            Self::Gzip(gunzip) => gunzip.decoded(),
        }
    }

    /// Returns the kept bytes and whether the body was longer.
    /// `broken_off` means that not all pieces were pushed.
    ///
    /// # Errors
    ///
    /// If all pieces were pushed and the end is missing.
    pub(super) fn finish(self, broken_off: bool) -> Result<(Vec<u8>, bool), FetchFailure> {
        match self {
            Self::Undeclared { mut start, limit } => {
                let cut = start.len() > limit || broken_off;
                start.truncate(limit);
                Ok((start, cut))
            }
            Self::Plain(capped) => {
                let cut = capped.is_full() || broken_off;
                Ok((capped.into_kept(), cut))
            }
            Self::Gzip(gunzip) => gunzip.finish(broken_off).map_err(|_| FetchFailure::Coding),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(codings: &[&str], known: bool) {
        assert_eq!(
            Body::new(codings.iter().copied(), 10).is_ok(),
            known,
            "{codings:?}"
        );
    }

    #[test]
    fn one_coding_is_known() {
        for codings in [
            &[][..],
            &["identity"],
            &["gzip"],
            &["X-GZIP"],
            &["identity, gzip"],
            &[" "],
        ] {
            check(codings, true);
        }
        for codings in [
            &["gzip, gzip"][..],
            &["gzip", "gzip"],
            &["br"],
            &["deflate"],
            &["zstd"],
            &["gzip;q=1"],
        ] {
            check(codings, false);
        }
    }

    #[test]
    fn gzip_that_is_not_declared_is_decoded() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"hello").expect("memory");
        let packed = encoder.finish().expect("memory");
        for size in [1, 2, 3, packed.len()] {
            let mut body = Body::new(std::iter::empty(), 100).expect("no coding");
            for piece in packed.chunks(size) {
                body.push(piece).expect("gzip");
            }
            assert_eq!(body.finish(false), Ok((b"hello".to_vec(), false)), "{size}");
        }
    }

    #[test]
    fn plain_bodies_are_cut() {
        for (limit, expected, cut) in [(7, "hellowo", true), (10, "helloworld", false), (0, "", true)] {
            let mut body = Body::new(std::iter::empty(), limit).expect("no coding");
            for piece in [&b"hello"[..], b"world"] {
                if body.push(piece) == Ok(Want::Enough) {
                    break;
                }
            }
            assert_eq!(body.finish(false), Ok((expected.as_bytes().to_vec(), cut)));
        }
    }
}
