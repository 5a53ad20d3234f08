//! What is wrong with a log, line by line.

use std::fmt;

/// Most faults that are kept. The others are counted.
const MOST_FAULTS: usize = 20;

/// A fault of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFault {
    /// Where the fault is, counted from 1; `None` for the log as a whole.
    pub line: Option<u64>,
    /// The fault in words.
    pub message: String,
}

impl fmt::Display for LogFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// What is wrong with a log, in the order of its lines.
/// As an error it has at least one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFaults {
    faults: Vec<LogFault>,
    more: usize,
}

impl LogFaults {
    /// Adds a fault of a line, or of the log as a whole.
    pub(super) fn push(&mut self, line: impl Into<Option<u64>>, message: impl Into<String>) {
        let (line, message) = (line.into(), message.into());
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(LogFault { line, message });
        } else {
            self.more += 1;
        }
    }

    /// The first faults.
    pub fn iter(&self) -> impl Iterator<Item = &LogFault> {
        self.faults.iter()
    }

    /// How many faults there are beyond those.
    pub const fn more(&self) -> usize {
        self.more
    }

    /// Whether there are no faults.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }
}

impl fmt::Display for LogFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            let between = if index > 0 { "; " } else { "" };
            write!(f, "{between}{fault}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for LogFaults {}
