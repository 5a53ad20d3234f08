//! `ibid-server backup` and `ibid-server restore`: copies of a SQLite database.

use crate::database;
use crate::settings::Settings;
use anyhow::{Context, bail};
use ibid_store::StoreUrl;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// Write a complete copy of the SQLite database to a new file, also while the server runs
#[derive(clap::Args)]
pub(crate) struct BackupArgs {
    /// The new file
    to: PathBuf,
}

/// Put a backup in the place of the SQLite database. Stop the server first
#[derive(clap::Args)]
pub(crate) struct RestoreArgs {
    /// A file that `ibid-server backup` wrote
    from: PathBuf,
}

/// Writes the copy and prints its size.
///
/// # Errors
/// The database is no SQLite file, the target exists, or a file cannot be read or written.
#[expect(clippy::print_stdout, reason = "the answer is for the person at the terminal")]
pub(crate) fn backup(settings: &Settings, args: &BackupArgs) -> anyhow::Result<()> {
    let command = format!(
        "pg_dump --format=custom --file={} \"$DATABASE_URL\"",
        args.to.display()
    );
    let from = file(settings, &command)?;
    database::existing_file(settings, from)?;
    let bytes = ibid_store::backup_sqlite(from, &args.to)
        .with_context(|| format!("copying {} to {}", from.display(), args.to.display()))?;
    println!("Wrote {} ({bytes} bytes).", args.to.display());
    Ok(())
}

/// Restores the backup and prints where the replaced database is.
///
/// # Errors
/// The database is no SQLite file or is in use, or the backup is not intact.
#[expect(clippy::print_stdout, reason = "the answer is for the person at the terminal")]
pub(crate) fn restore(settings: &Settings, args: &RestoreArgs) -> anyhow::Result<()> {
    let command = format!("pg_restore --dbname=\"$DATABASE_URL\" {}", args.from.display());
    let to = file(settings, &command)?;
    // A lost database may be restored, but only where its place is named.
    if !settings.store_is_named {
        database::existing_file(settings, to)?;
    }
    let restored = ibid_store::restore_sqlite(&args.from, to, Timestamp::now().as_millisecond())
        .with_context(|| format!("restoring {} from {}", to.display(), args.from.display()))?;
    println!("Restored {} ({} bytes).", to.display(), restored.bytes);
    if let Some(replaced) = restored.replaced {
        println!("The replaced database is {}.", replaced.display());
    }
    println!("Start the server. If it sells, compare the books with the chain: ibid-server books reconcile");
    Ok(())
}

/// Returns the path of the SQLite file, or an error that names the `command` for PostgreSQL.
fn file<'a>(settings: &'a Settings, command: &str) -> anyhow::Result<&'a Path> {
    match &settings.store {
        StoreUrl::Sqlite(path) => Ok(path),
        StoreUrl::Memory => bail!("the database is in memory and ends with the server: set DATABASE_URL"),
        StoreUrl::Postgres(_) => bail!("the database is PostgreSQL: use {command}"),
    }
}
