//! `ibid-server copy`: moves the data of a SQLite file to PostgreSQL.

use crate::settings::Settings;
use anyhow::{Context, bail};
use ibid_store::StoreUrl;
use std::fmt::Write as _;

/// Copy a SQLite file into the empty PostgreSQL database of DATABASE_URL
///
/// Stop the server first: its later writes to the file are not copied. The file stays unchanged.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file, such as sqlite:/var/lib/ibid/ibid.db
    from: StoreUrl,
}

/// Copies all tables and prints how many rows each has.
///
/// # Errors
/// An address is of the wrong kind, the file does not exist, the target is not empty, or a database failed.
pub(crate) fn run(settings: &Settings, args: &Args) -> anyhow::Result<()> {
    let StoreUrl::Sqlite(from) = &args.from else {
        bail!("{} is no SQLite file: name the source as sqlite:PATH", args.from);
    };
    let StoreUrl::Postgres(to) = &settings.store else {
        bail!(
            "{} is no PostgreSQL database: set DATABASE_URL to postgres://USER:PASSWORD@HOST/DATABASE",
            settings.store
        );
    };
    let copied = ibid_store::import_sqlite(from, to)
        .with_context(|| format!("copying {} to {}", args.from, settings.store))?;
    let mut text = String::new();
    for (table, rows) in copied {
        writeln!(text, "{table:<16}{rows:>10}")?;
    }
    crate::print(&text);
    Ok(())
}
