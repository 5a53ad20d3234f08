//! Output of commands on standard output.
//!
//! A reader may close the pipe early (`| head`). That is not a failure.

use anyhow::Context;
use std::io::{self, Write};

/// Exit code of a command that worked, for an input that did not: a page below the gate, an unknown place, lines that cannot be read.
pub(crate) const REJECTED: u8 = 3;

/// Prints to standard output.
///
/// # Errors
/// Standard output cannot be written, for another reason than a closed pipe.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    write(&mut io::stdout().lock(), text).context("writing")
}

/// Prints a JSON document, for people and programs, on standard output.
pub(crate) fn print_json(document: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(document)?))
}

/// Writes a text. A closed pipe is not a failure.
pub(crate) fn write(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .or_else(unless_closed)
}

/// Turns the error of a closed pipe into success.
pub(crate) fn unless_closed(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        Ok(())
    } else {
        Err(error)
    }
}
