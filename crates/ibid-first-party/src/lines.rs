//! Reads lines in any encoding that tools write, with bounds.

use crate::read::Error;
use encoding_rs::{Decoder, Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::io::{self, BufRead, BufReader, Read};

/// Longest line of a table in bytes, lines within quotes together.
const LONGEST: usize = 1 << 20;
/// Most lines of a table, blank ones among them: twice the most rows.
const MOST_LINES: u64 = 2_000_000;
/// Bytes that show the encoding.
const START: usize = 4_096;

/// A line of a table, or a blank one.
#[derive(Debug)]
pub(crate) struct Line {
    /// From 1.
    pub(crate) number: u64,
    /// Without its end; lines within quotes are one.
    pub(crate) text: String,
}

pub(crate) struct Lines<'a> {
    bytes: Box<dyn BufRead + 'a>,
    number: u64,
    most: u64,
    /// The first line that was not UTF-8: it and all others like it are Latin-1.
    pub(crate) latin1_from: Option<u64>,
}

/// Text in UTF-8, whatever it was, without its mark. Latin-1 stays as it is.
pub(crate) fn decoded<'a>(bytes: impl Read + 'a) -> Result<Box<dyn BufRead + 'a>, Error> {
    let mut bytes = BufReader::with_capacity(1 << 16, bytes);
    let mut start = [0_u8; START];
    let mut filled = 0;
    while let Some(rest) = start.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match bytes.read(rest)? {
            0 => break,
            count => filled += count,
        }
    }
    let start = start.get(..filled).unwrap_or_default();
    let (encoding, mark) = encoding_of(start);
    let rest = io::Cursor::new(start.get(mark..).unwrap_or_default().to_vec()).chain(bytes);
    Ok(match encoding {
        Some(encoding) => Box::new(BufReader::new(Utf16 {
            bytes: rest,
            decoder: encoding.new_decoder_without_bom_handling(),
            decoded: Vec::new(),
            given: 0,
            ended: false,
        })),
        None => Box::new(rest),
    })
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: impl Read + 'a) -> Result<Self, Error> {
        Ok(Self::of(decoded(bytes)?))
    }

    /// Lines of decoded text.
    pub(crate) fn of(bytes: Box<dyn BufRead + 'a>) -> Self {
        Self {
            bytes,
            number: 0,
            most: MOST_LINES,
            latin1_from: None,
        }
    }

    /// The same with another bound.
    pub(crate) fn at_most(self, most: Option<u64>) -> Self {
        Self {
            most: most.unwrap_or(u64::MAX),
            ..self
        }
    }

    /// The next line, whole lines within quotes together.
    pub(crate) fn next(&mut self) -> Result<Option<Line>, Error> {
        let mut raw = Vec::new();
        if self.number >= self.most {
            let most = usize::try_from(self.most).unwrap_or(usize::MAX);
            return Err(Error::TooManyRows { most });
        }
        let first = self.number + 1;
        let mut is_open = false;
        loop {
            let before = raw.len();
            let left = (LONGEST + 2).saturating_sub(before) as u64;
            if self.bytes.by_ref().take(left).read_until(b'\n', &mut raw)? == 0 {
                if raw.is_empty() {
                    return Ok(None);
                }
                return Err(Error::OpenQuote { line: first });
            }
            self.number += 1;
            let quotes = memchr::memchr_iter(b'"', raw.get(before..).unwrap_or_default()).count();
            is_open ^= quotes % 2 == 1;
            match (is_open, raw.len() > LONGEST) {
                (true, true) => return Err(Error::OpenQuote { line: first }),
                (false, true) => return Err(Error::LongLine { line: first }),
                // The next turn finds the end of the quote, or that there is none.
                (true, false) => {}
                (false, false) => break,
            }
        }
        while raw.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            raw.pop();
        }
        if raw.contains(&0) {
            return Err(Error::NotText { line: first });
        }
        let text = String::from_utf8(raw).unwrap_or_else(|error| {
            self.latin1_from.get_or_insert(first);
            WINDOWS_1252
                .decode_without_bom_handling(error.as_bytes())
                .0
                .into_owned()
        });
        Ok(Some(Line { number: first, text }))
    }
}

/// UTF-16 where it is, and the length of the mark in front.
fn encoding_of(start: &[u8]) -> (Option<&'static Encoding>, usize) {
    if let Some((encoding, length)) = Encoding::for_bom(start) {
        return (
            Some(encoding).filter(|encoding| *encoding != encoding_rs::UTF_8),
            length,
        );
    }
    // Latin letters in UTF-16 have a zero in every other byte.
    let zeros = |offset: usize| {
        start
            .iter()
            .skip(offset)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let many = start.len() / 4;
    match (zeros(0) > many, zeros(1) > many) {
        (true, false) => (Some(UTF_16BE), 0),
        (false, true) => (Some(UTF_16LE), 0),
        (true, true) | (false, false) => (None, 0),
    }
}

/// Turns UTF-16 into UTF-8.
struct Utf16<R> {
    bytes: R,
    decoder: Decoder,
    decoded: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.decoded.len() && !self.ended {
            let mut raw = [0_u8; 8_192];
            let count = self.bytes.read(&mut raw)?;
            self.ended = count == 0;
            let mut text = String::with_capacity(3 * count + 16);
            let raw = raw.get(..count).unwrap_or_default();
            let _ = self.decoder.decode_to_string(raw, &mut text, self.ended);
            self.decoded = text.into_bytes();
            self.given = 0;
        }
        let rest = self.decoded.get(self.given..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;
    use crate::read::Error;

    fn texts(bytes: &[u8]) -> Vec<(u64, String)> {
        let mut lines = Lines::new(bytes).unwrap();
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push((line.number, line.text));
        }
        all
    }

    #[test]
    fn every_encoding_is_read() {
        let text = "Häufigste,Größe\r\nä,1\r\n";
        let utf16 = |big: bool, mark: bool| -> Vec<u8> {
            mark.then_some(0xfeff)
                .into_iter()
                .chain(text.encode_utf16())
                .flat_map(|unit| {
                    if big {
                        unit.to_be_bytes()
                    } else {
                        unit.to_le_bytes()
                    }
                })
                .collect()
        };
        let wanted = vec![(1, "Häufigste,Größe".to_owned()), (2, "ä,1".to_owned())];
        let latin1: Vec<u8> = text
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap())
            .collect();
        for bytes in [
            text.as_bytes().to_vec(),
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            latin1,
            utf16(false, true),
            utf16(true, true),
            utf16(false, false),
            utf16(true, false),
        ] {
            assert_eq!(texts(&bytes), wanted);
        }
    }

    #[test]
    fn lines_within_quotes_are_one_and_keep_their_number() {
        assert_eq!(
            texts(b"a,\"b\nc\",d\n\ne\n"),
            [
                (1, "a,\"b\nc\",d".to_owned()),
                (3, String::new()),
                (4, "e".to_owned())
            ]
        );
    }

    #[test]
    fn bounds_hold() {
        let read = |bytes: &[u8]| {
            let mut lines = Lines::new(bytes).unwrap();
            loop {
                match lines.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => return None,
                    Err(error) => return Some(error),
                }
            }
        };
        let open = [b"a,b\n\"".as_slice(), &b"x\n".repeat(1 << 20)].concat();
        assert!(matches!(read(&open), Some(Error::OpenQuote { line: 2 })));
        assert!(matches!(read(b"a\n\"b\n"), Some(Error::OpenQuote { line: 2 })));
        assert!(matches!(
            read(&b"x".repeat(3 << 20)),
            Some(Error::LongLine { line: 1 })
        ));
        assert!(matches!(read(b"a\nb\0c\n"), Some(Error::NotText { line: 2 })));
    }
}
