//! `ibid-server copy`: the move from a SQLite file to PostgreSQL.

use crate::settings::Settings;
use anyhow::{Context, bail};
use ibid_store::StoreUrl;
use std::fmt::Write as _;

/// Copy everything of a SQLite file into the PostgreSQL database of DATABASE_URL, which has to be empty.
///
/// Stop the server before: what it still writes to the file is not copied. The file stays as it is.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file, such as sqlite:/var/lib/ibid/ibid.db.
    from: StoreUrl,
}

/// Copies, and prints how much.
///
/// # Errors
/// Addresses of the wrong kind, a file that is not there, a database with anything in it, the fault of either.
#[expect(
    clippy::print_stdout,
    reason = "the numbers are for the person at the terminal"
)]
pub(crate) fn run(settings: &Settings, args: &Args) -> anyhow::Result<()> {
    let StoreUrl::Sqlite(from) = &args.from else {
        bail!("what is copied is a file: sqlite:PATH");
    };
    let StoreUrl::Postgres(to) = &settings.store else {
        bail!(
            "DATABASE_URL has to name the PostgreSQL database to copy to: postgres://USER:PASSWORD@HOST/DATABASE"
        );
    };
    let copied =
        ibid_store::copy(from, to).with_context(|| format!("copying {} to {}", args.from, settings.store))?;
    let mut text = String::new();
    for (table, rows) in copied {
        writeln!(text, "{table:<16}{rows:>10}")?;
    }
    print!("{text}");
    Ok(())
}
