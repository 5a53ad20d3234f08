//! What commands print on standard output.
//!
//! Whoever reads may stop reading (`| head`): that is no failure, and no panic.

use anyhow::Context;
use std::io::{self, Write};

/// Prints to standard output.
///
/// # Errors
/// It cannot be written, for another reason than that nobody reads on.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    write(&mut io::stdout().lock(), text).context("writing")
}

/// Prints a JSON document, for people and programs, on standard output.
///
/// # Errors
/// As [`print()`].
pub(crate) fn print_json(document: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(document)?))
}

/// Writes all of a text, unless nobody reads on.
pub(crate) fn write(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .or_else(unless_closed)
}

/// That nobody reads on is no failure.
pub(crate) fn unless_closed(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        Ok(())
    } else {
        Err(error)
    }
}
