//! The database: for the server, which may make it, and for commands, which work on one that is there.

use crate::environment::SERVICE_FILE;
use crate::settings::Settings;
use anyhow::{Context, bail};
use ibid_store::{Inspection, Store, StoreError, StoreUrl};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Opens the database of the server, and makes it where it is missing.
///
/// # Errors
/// A folder that does not exist, or a database that cannot be opened.
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
    opened(settings)
}

/// Opens the database, which seals secrets with the operator's keys. Those of a sandbox end with the process, and its database may not.
fn opened(settings: &Settings) -> anyhow::Result<Arc<Store>> {
    let keys = settings.web.run_keys.as_deref();
    let open = || {
        let store = Store::open(&settings.store)?;
        store.seal_with(keys.filter(|_| !settings.sandbox))?;
        Ok::<_, StoreError>(Arc::new(store))
    };
    open().with_context(|| format!("opening {}", settings.store))
}

/// There is no database, which a server that is starting may make yet.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Missing(String);

/// Opens the database for a command that pages print after the one that starts the server: it waits as long as that takes.
///
/// # Errors
/// As [`open_existing`], after `most`.
#[expect(
    clippy::print_stderr,
    reason = "the operator at the terminal sees what is waited for"
)]
pub(crate) fn open_awaited(settings: &Settings, most: Duration) -> anyhow::Result<Arc<Store>> {
    let begun = Instant::now();
    let mut is_told = false;
    loop {
        match open_existing(settings) {
            Err(error) if error.is::<Missing>() && begun.elapsed() < most => {
                if !is_told {
                    eprintln!("waiting {} s for a server to start: {error}", most.as_secs());
                    is_told = true;
                }
                std::thread::sleep(Duration::from_millis(100));
            }
            outcome => return outcome,
        }
    }
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
            Ok(Inspection::Missing | Inspection::Found { version: 0, .. }) => bail!(Missing(format!(
                "{store} has no tables of ibid: name the database of the server in DATABASE_URL; a new one gets \
                 its tables when the server starts"
            ))),
            Ok(Inspection::Found { .. }) => {}
            Err(error) => return Err(error).with_context(|| format!("opening {store}")),
        },
    }
    opened(settings)
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
    bail!(Missing(format!(
        "there is no database at {}: {why}; a new one is made when the server starts",
        place.display()
    )))
}

pub(crate) fn folder(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
