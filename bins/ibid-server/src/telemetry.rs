//! Log lines on standard error, as text or JSON, in colours on a terminal.

use crate::settings::Settings;
use anyhow::Context;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Starts logging.
///
/// # Errors
/// The filter cannot be parsed.
pub(crate) fn start(settings: &Settings) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&settings.log).context("parsing the log filter in LOG")?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // Escape sequences would make a log file hard to search.
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let started = if settings.log_json {
        lines.json().flatten_event(true).try_init()
    } else {
        lines.try_init()
    };
    started.map_err(|error| anyhow::anyhow!("starting the log: {error}"))
}
