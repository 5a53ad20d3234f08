//! Output of commands on standard output.
//!
//! A reader may close the pipe early (`| head`). That is not a failure.

use anyhow::Context;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

/// Exit code of a command that worked, for an input that did not: a page below the gate, an unknown place, lines that cannot be read.
pub(crate) const REJECTED: u8 = 3;

/// Returns the exit code of a command that worked: 0, or 3 where its input did not pass.
pub(crate) fn judged(is_good: bool) -> ExitCode {
    ExitCode::from(if is_good { 0 } else { REJECTED })
}

/// Prints what is wrong with the options, and returns the exit code of bad usage.
#[expect(clippy::print_stderr, reason = "a command line reports there")]
pub(crate) fn misused(message: impl Display) -> ExitCode {
    eprintln!("ibid: {message}");
    ExitCode::from(2)
}

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

/// Prints the document for programs where `--json` asks for it, and otherwise its text.
pub(crate) fn show(
    as_json: bool,
    document: &impl serde::Serialize,
    text: impl FnOnce() -> String,
) -> anyhow::Result<ExitCode> {
    if as_json {
        print_json(document)?;
    } else {
        print(&text())?;
    }
    Ok(ExitCode::SUCCESS)
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
