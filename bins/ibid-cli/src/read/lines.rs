//! Reads lines from any input, each up to a bound.

use std::io::{self, BufRead, BufReader, Read};

/// Maximum length of a line in bytes: room for the longest examined answer, escaped.
pub(super) const LONGEST: usize = 32 << 20;

/// One line, counted from 1.
pub(super) enum Line<'a> {
    Blank { number: u64 },
    TooLong { number: u64 },
    Text { number: u64, bytes: &'a [u8] },
}

impl Line<'_> {
    pub(super) fn number(&self) -> u64 {
        match self {
            Self::Blank { number } | Self::TooLong { number } | Self::Text { number, .. } => *number,
        }
    }
}

/// Reads lines without ever holding more than one.
pub(super) struct Lines<R> {
    source: BufReader<R>,
    line: Vec<u8>,
    number: u64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: BufReader<R>) -> Self {
        Self {
            source,
            line: Vec::new(),
            number: 0,
        }
    }

    /// Whether the next line may have to be waited for.
    pub(super) fn must_wait(&self) -> bool {
        self.source.buffer().is_empty()
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let limit = LONGEST as u64 + 1;
        if self
            .source
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut self.line)?
            == 0
        {
            return Ok(None);
        }
        self.number += 1;
        let number = self.number;
        if self.line.len() > LONGEST && self.line.last() != Some(&b'\n') {
            self.source.skip_until(b'\n')?;
            self.line = Vec::new();
            return Ok(Some(Line::TooLong { number }));
        }
        // Some editors begin a file with a byte order mark.
        let bytes = self
            .line
            .strip_prefix(b"\xef\xbb\xbf")
            .filter(|_| number == 1)
            .unwrap_or(&self.line);
        Ok(Some(if bytes.trim_ascii().is_empty() {
            Line::Blank { number }
        } else {
            Line::Text { number, bytes }
        }))
    }
}
