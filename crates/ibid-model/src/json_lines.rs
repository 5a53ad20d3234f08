//! Lines of JSON from strangers. A line and the number of its values are bounded before anything of it is built: a parsed value takes
//! many times the bytes of its text.
//!
//! ```
//! use ibid_model::json_lines::{JsonLines, LineFault};
//!
//! let mut lines = JsonLines::new(&b"{\"a\": 1}\n[[],[],[]]\n"[..]);
//! assert_eq!(lines.next(|_| 64)?, Some("{\"a\": 1}\n"));
//! // Eight bytes are one value.
//! assert!(matches!(lines.next(|_| 16), Err(LineFault::TooManyValues { line: 2, .. })));
//! # Ok::<(), LineFault>(())
//! ```

use std::io::{self, BufRead, Read as _};

/// Bytes of a line that hold one value at least.
const BYTES_OF_VALUE: usize = 8;

/// Why a line is refused. It ends the reading.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// The bytes cannot be read.
    #[error("cannot be read")]
    Io(#[from] io::Error),
    /// A line that has no end within its bound.
    #[error("line {line} is longer than {} KiB", most >> 10)]
    TooLong {
        /// From 1.
        line: u64,
        /// The bound in bytes.
        most: usize,
    },
    /// A line with more values than its bound allows.
    #[error("line {line} has more than {most} values")]
    TooManyValues {
        /// From 1.
        line: u64,
        /// The bound.
        most: usize,
    },
    /// A line that is not UTF-8.
    #[error("line {line} is not text")]
    NotText {
        /// From 1.
        line: u64,
    },
}

/// A reader of lines. It holds one line at a time.
#[derive(Debug)]
pub struct JsonLines<R> {
    bytes: R,
    number: u64,
    line: Vec<u8>,
}

impl<R: BufRead> JsonLines<R> {
    /// The longest ordinary line, in bytes: an answer of 256 KiB in JSON, with its sources.
    pub const ORDINARY: usize = 1 << 20;
    /// The longest line that holds the document of a run.
    pub const OF_RESULTS: usize = 8 << 20;

    /// Reads from `bytes`.
    pub const fn new(bytes: R) -> Self {
        Self {
            bytes,
            number: 0,
            line: Vec::new(),
        }
    }

    /// The lines that were read.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// What was read last, and the rest: for a text whose first line shows that it has no lines.
    pub fn into_parts(self) -> (Vec<u8>, R) {
        (self.line, self.bytes)
    }

    /// What the lines are read from.
    pub const fn get_ref(&self) -> &R {
        &self.bytes
    }

    /// The next line with its end. `most` gives its bound from its first bytes.
    ///
    /// # Errors
    /// See [`LineFault`].
    pub fn next(&mut self, most: impl Fn(&[u8]) -> usize) -> Result<Option<&str>, LineFault> {
        self.line.clear();
        // A line that was long does not keep its room.
        self.line.shrink_to(Self::ORDINARY);
        let mut bound = Self::ORDINARY;
        for is_start in [true, false] {
            let left = (bound + 1).saturating_sub(self.line.len()) as u64;
            (&mut self.bytes).take(left).read_until(b'\n', &mut self.line)?;
            if is_start {
                bound = most(&self.line);
            }
            if self.line.len() > bound || self.line.ends_with(b"\n") {
                break;
            }
        }
        if self.line.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let (line, most) = (self.number, bound / BYTES_OF_VALUE);
        if self.line.len() > bound {
            return Err(LineFault::TooLong { line, most: bound });
        }
        if values(&self.line) > most {
            return Err(LineFault::TooManyValues { line, most });
        }
        let text = std::str::from_utf8(&self.line).map_err(|_| LineFault::NotText { line })?;
        Ok(Some(text))
    }
}

/// Counts at least the values in a JSON text: whatever stands between brackets, braces, colons and commas outside quotes.
pub fn values(text: &[u8]) -> usize {
    let (mut count, mut is_text, mut is_escaped) = (1, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'[' | b'{' | b',' if !is_text => count += 1,
            _ => {}
        }
    }
    count
}

/// Whether a body of JSON has few enough values for its length to be built whole.
pub fn is_sparse(text: &[u8]) -> bool {
    // A short body may be dense.
    values(text) <= text.len().clamp(1, 4_096) + text.len() / BYTES_OF_VALUE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_their_bound_and_hold_no_more() {
        let long = format!("{{\"result\": \"{}\"}}\n{{}}\n", "x".repeat(2 << 20));
        let of_results = |start: &[u8]| match start.starts_with(b"{\"result\"") {
            true => JsonLines::<&[u8]>::OF_RESULTS,
            false => JsonLines::<&[u8]>::ORDINARY,
        };
        let mut lines = JsonLines::new(long.as_bytes());
        assert_eq!(
            lines.next(of_results).unwrap().map(str::len),
            Some((2 << 20) + 15)
        );
        assert_eq!(lines.next(of_results).unwrap(), Some("{}\n"));
        assert!(lines.next(of_results).unwrap().is_none());
        let mut lines = JsonLines::new(long.as_bytes());
        let ordinary = |_: &[u8]| JsonLines::<&[u8]>::ORDINARY;
        assert!(matches!(
            lines.next(ordinary),
            Err(LineFault::TooLong { line: 1, .. })
        ));
        let endless = io::BufReader::new(io::repeat(b' '));
        let mut lines = JsonLines::new(endless);
        assert!(matches!(
            lines.next(of_results),
            Err(LineFault::TooLong { line: 1, .. })
        ));
        let mut lines = JsonLines::new(&b"\xff\n"[..]);
        assert!(matches!(
            lines.next(ordinary),
            Err(LineFault::NotText { line: 1 })
        ));
    }

    #[test]
    fn values_are_counted_before_they_are_built() {
        assert!(values(br#"{"a": [1, 2, "x,[{\",\"y"], "b": {}}"#) >= 6);
        assert_eq!(values(br#""a,b,[c""#), 1);
        let many = format!("{{\"a\":[{}0]}}\n", "0,".repeat(300_000));
        let mut lines = JsonLines::new(many.as_bytes());
        let ordinary = |_: &[u8]| JsonLines::<&[u8]>::ORDINARY;
        assert!(matches!(
            lines.next(ordinary),
            Err(LineFault::TooManyValues { .. })
        ));
        assert!(!is_sparse(many.as_bytes()));
        // An empty body is no JSON, which its parser says.
        assert!(is_sparse(b""));
        assert!(is_sparse(b"[0,0,0,0]") && is_sparse(format!("\"{}\"", "[".repeat(9_999)).as_bytes()));
    }
}
