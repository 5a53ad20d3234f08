//! `ibid-server run-key`: the file for `RUN_KEY_FILE`.

use anyhow::Context;
use ibid_service::RunKeys;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

/// Write a new file for RUN_KEY_FILE, with one random key
///
/// The key seals the provider keys of queued scans and schedules, and the secrets of push notifications.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The new file, which only its owner can read
    file: PathBuf,
}

/// Writes the file and prints how it is used.
///
/// # Errors
/// The file exists or cannot be written.
#[expect(clippy::print_stdout, reason = "the answer is for the person at the terminal")]
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let place = std::path::absolute(&args.file)?;
    let line = RunKeys::random_line().context("making a random key")?;
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(&place)
        .and_then(|mut file| {
            file.write_all(line.as_bytes())?;
            file.sync_all()
        })
        .with_context(|| format!("writing {}", place.display()))?;
    println!(
        "Wrote {0}. Set RUN_KEY_FILE={0} and restart the server. Every server of the database needs this file.",
        place.display()
    );
    Ok(())
}
