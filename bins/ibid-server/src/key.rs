//! `ibid-server key`: the named keys of the v1 API, for the operator.
//!
//! The command works on `DATABASE_URL` directly, also while a server is running.
//! A key is printed once, when it is made; the database has only its digest.

use crate::database;
use crate::settings::Settings;
use crate::user::moment;
use anyhow::bail;
use clap::Subcommand;
use ibid_service::{ServiceKey, revoke_key};
use ibid_store::{KeyName, ServiceKeyRecord, Store, StoreError};
use jiff::Timestamp;
use std::fmt::Write as _;
use std::time::Duration;

/// Subcommands of `ibid-server key`.
#[derive(Subcommand)]
pub(crate) enum Key {
    /// Make a key and print it; it cannot be printed again
    Add {
        /// Name of its holder in lists and logs: lower-case letters, digits, '-', '_' and '.'
        name: KeyName,
        /// Seconds to wait for the database of a server that is starting
        #[arg(long, default_value_t = 60, value_name = "SECONDS")]
        wait: u64,
    },
    /// List the keys
    List,
    /// Revoke a key and cancel its queued scans; every server refuses it after two seconds
    Revoke {
        /// Its name
        name: KeyName,
    },
}

/// Runs the subcommand and prints its result.
///
/// # Errors
/// The name is taken, there is no such key, or the database cannot be opened.
pub(crate) fn run(settings: &Settings, key: &Key) -> anyhow::Result<()> {
    let wait = match key {
        Key::Add { wait, .. } => Duration::from_secs(*wait),
        Key::List | Key::Revoke { .. } => Duration::ZERO,
    };
    let store = database::open_awaited(settings, wait)?;
    crate::print(&act(&store, key)?);
    Ok(())
}

fn act(store: &Store, key: &Key) -> anyhow::Result<String> {
    let now = Timestamp::now().as_millisecond();
    Ok(match key {
        Key::Add { name, .. } => {
            let key = ServiceKey::random()?;
            match store.add_service_key(name, &key.hash(), now) {
                Ok(()) => format!("{}\n", key.reveal()),
                Err(StoreError::Exists) => bail!("there is or was a key {name}: choose another name"),
                Err(error) => return Err(error.into()),
            }
        }
        Key::List => list(&store.service_keys()?)?,
        Key::Revoke { name } => {
            let Some(cancelled) = revoke_key(store, name, now)? else {
                bail!("there is no key {name}, or it is revoked already");
            };
            format!("{name} is revoked; queued and running scans that were cancelled: {cancelled}\n")
        }
    })
}

fn list(keys: &[ServiceKeyRecord]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    if keys.is_empty() {
        writeln!(text, "There are no keys.")?;
    }
    let widest = keys.iter().map(|key| key.name.as_str().len()).max();
    for key in keys {
        let revoked = key
            .revoked_at
            .map_or_else(String::new, |at| format!("  revoked {}", moment(at)));
        let (name, width) = (key.name.as_str(), widest.unwrap_or_default());
        writeln!(text, "{name:<width$}  since {}{revoked}", moment(key.created_at))?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_made_once_listed_without_their_text_and_revoked() {
        let store = std::sync::Arc::new(Store::open(&ibid_store::StoreUrl::Memory).unwrap());
        let run = |key: Key| act(&store, &key).map_err(|error| error.to_string());
        let name = || "shop".parse::<KeyName>().unwrap();
        assert!(run(Key::List).unwrap().contains("no keys"));
        let key = run(Key::Add {
            name: name(),
            wait: 0,
        })
        .unwrap();
        assert!(key.starts_with("ibid_") && key.trim_end().len() == 48, "{key}");
        assert!(
            run(Key::Add {
                name: name(),
                wait: 0
            })
            .unwrap_err()
            .contains("another name")
        );
        let listed = run(Key::List).unwrap();
        assert!(
            listed.starts_with("shop  since ") && !listed.contains("ibid_"),
            "{listed}"
        );
        run(Key::Revoke { name: name() }).unwrap();
        assert!(run(Key::Revoke { name: name() }).is_err());
        assert!(run(Key::List).unwrap().contains("  revoked "));
    }
}
