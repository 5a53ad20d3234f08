//! The database: for the server, which may make it, and for commands, which work on one that is there.

use crate::environment::SERVICE_FILE;
use crate::settings::Settings;
use anyhow::{Context, bail};
use ibid_store::{Inspection, Store, StoreUrl};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens the database of the server, and makes it where it is missing.
///
/// # Errors
/// The folder of the file does not exist, or the database cannot be opened.
pub(crate) fn open(settings: &Settings) -> anyhow::Result<Arc<Store>> {
    if let StoreUrl::Sqlite(path) = &settings.store {
        let folder = folder(path);
        if !folder.is_dir() {
            bail!(
                "the folder {} does not exist: create it, or name another file in DATABASE_URL",
                absolute(folder).display()
            );
        }
    }
    Store::open(&settings.store)
        .map(Arc::new)
        .with_context(|| format!("opening {}", settings.store))
}

/// Opens the database for a command. A command never makes one: it would be another than that of the server.
///
/// # Errors
/// There is no database, or it cannot be opened.
pub(crate) fn open_existing(settings: &Settings) -> anyhow::Result<Arc<Store>> {
    let store = &settings.store;
    match store {
        StoreUrl::Sqlite(path) => {
            existing_file(settings, path)?;
        }
        StoreUrl::Memory => bail!("the database is in memory and ends with the server: set DATABASE_URL"),
        StoreUrl::Postgres(_) => match ibid_store::inspect(store) {
            Ok(Inspection::Missing | Inspection::Found { version: 0, .. }) => bail!(
                "{store} has no tables of ibid: name the database of the server in DATABASE_URL; a new one gets \
                 its tables when the server starts"
            ),
            Ok(Inspection::Found { .. }) => {}
            Err(error) => return Err(error).with_context(|| format!("opening {store}")),
        },
    }
    Store::open(store)
        .map(Arc::new)
        .with_context(|| format!("opening {store}"))
}

/// Refuses a SQLite file that does not exist.
///
/// # Errors
/// There is no such file, with the place that was looked at.
pub(crate) fn existing_file(settings: &Settings, path: &Path) -> anyhow::Result<()> {
    let place = absolute(path);
    if place
        .try_exists()
        .with_context(|| format!("looking for {}", place.display()))?
    {
        return Ok(());
    }
    let why = if settings.store_is_named {
        "name the database of the server in DATABASE_URL".to_owned()
    } else {
        format!(
            "DATABASE_URL is set neither here nor in {SERVICE_FILE}; set it to the database of the server, such as \
             sqlite:/var/lib/ibid/ibid.db"
        )
    };
    bail!(
        "there is no database at {}: {why}; a new one is made when the server starts",
        place.display()
    )
}

/// Returns the folder of a file.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
