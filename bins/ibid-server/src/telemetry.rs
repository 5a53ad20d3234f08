//! Log lines: to standard error, as text or JSON, in colours where a person looks at them.

use crate::settings::Settings;
use anyhow::Context;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Starts logging.
///
/// # Errors
/// A filter that cannot be read.
pub(crate) fn start(settings: &Settings) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&settings.log).context("LOG is no log filter")?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // Escapes in a file or a journal would hide the words from whoever searches it.
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let started = if settings.log_json {
        lines.json().flatten_event(true).try_init()
    } else {
        lines.try_init()
    };
    started.map_err(|error| anyhow::anyhow!("logging cannot start: {error}"))
}
