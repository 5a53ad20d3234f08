//! Log lines on standard error, as text or JSON, in colours on a terminal.
//! Also starts traces, if the program is built with them.

use crate::settings::Settings;
#[cfg(feature = "otlp")]
use crate::traces::Traces;
use anyhow::Context;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// The parts that have to be kept until the program ends.
#[derive(Default)]
pub(crate) struct Telemetry {
    #[cfg(feature = "otlp")]
    _traces: Option<Traces>,
}

/// Starts logging, and the export of traces if a collector is named.
///
/// # Errors
/// The filter or the address of the collector cannot be parsed.
pub(crate) fn start(settings: &Settings) -> anyhow::Result<Telemetry> {
    let filter = EnvFilter::try_new(&settings.log).context("parsing the log filter in LOG")?;
    #[cfg(feature = "otlp")]
    if let Some(traces) = Traces::open()? {
        start_with(&traces, settings, filter)?;
        return Ok(Telemetry {
            _traces: Some(traces),
        });
    }
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
    started.map_err(|error| anyhow::anyhow!("starting the log: {error}"))?;
    Ok(Telemetry::default())
}

/// Starts logging together with traces. The filter applies to log lines only.
#[cfg(feature = "otlp")]
fn start_with(traces: &Traces, settings: &Settings, filter: EnvFilter) -> anyhow::Result<()> {
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::util::SubscriberInitExt;
    use tracing_subscriber::{Layer, fmt, registry};
    let lines = fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let lines = if settings.log_json {
        lines.json().flatten_event(true).boxed()
    } else {
        lines.boxed()
    };
    registry()
        .with(traces.layer())
        .with(lines.with_filter(filter))
        .try_init()
        .context("starting the log and the traces")
}
