//! Columns of secrets that have to be read again.

use super::{Backend, Durability, Query, Value, values};
use crate::seal::RunKeys;
use crate::{Store, StoreError};

/// Statements that read a secret with the id of its thing, and write it in another form. `?3` is a token's digest.
macro_rules! sealed {
    ($table:literal, $id:literal, $column:literal, $rest:literal) => {
        sealed!($table, $id, $column, $rest, "")
    };
    ($table:literal, $id:literal, $column:literal, $rest:literal, $digest:literal) => {
        (
            concat!(
                "SELECT ",
                $id,
                ", ",
                $column,
                " FROM ",
                $table,
                " WHERE ",
                $column,
                " IS NOT NULL",
                $rest
            ),
            concat!(
                "UPDATE ",
                $table,
                " SET ",
                $column,
                " = ?4",
                $digest,
                " WHERE ",
                $id,
                " = ?1 AND ",
                $column,
                " = ?2 AND CAST(?3 AS TEXT) IS NOT NULL"
            ),
        )
    };
}

const SEALED: [(&str, &str); 6] = [
    sealed!("workspace_scan", "id", "share_sealed", "", ", share = ?3"),
    sealed!("project", "id", "badge_sealed", "", ", badge = ?3"),
    sealed!("report_snapshot", "id", "token_sealed", "", ", token = ?3"),
    sealed!("second_factor", "account", "secret", ""),
    sealed!("webhook", "id", "secret", " AND kind = 'mail'"),
    sealed!(
        "webhook_delivery",
        "webhook",
        "payload",
        " AND event = 'news.confirm'"
    ),
];

impl Store {
    /// Sets the keys that seal secrets, before anything else is done with the store, and seals what an earlier schema stored openly or
    /// another key sealed. Without keys the database has one of its own.
    pub fn seal_with(&self, keys: Option<&RunKeys>) -> Result<(), StoreError> {
        let own = self.own_key()?;
        let keys = self.keys.get_or_init(|| match keys {
            Some(keys) => keys.clone().before(own),
            None => own,
        });
        let renewed = self.write(Durability::Disk, |db| {
            let mut renewed = 0;
            for (read, write) in SEALED {
                for (id, stored) in db.list::<([u8; 16], Vec<u8>)>(read, &[])? {
                    if let Some(new) = keys.renewed(&id, &stored)? {
                        let new = values![Value::Id(id), stored, new.digest, new.sealed];
                        renewed += db.execute(write, new)?;
                    }
                }
            }
            Ok(renewed)
        })?;
        if renewed > 0 {
            tracing::info!(renewed, "store.secrets.sealed");
            self.empty_logs()?;
        }
        Ok(())
    }

    pub(super) fn keys(&self) -> Result<&RunKeys, StoreError> {
        if let Some(keys) = self.keys.get() {
            return Ok(keys);
        }
        let own = self.own_key()?;
        Ok(self.keys.get_or_init(|| own))
    }

    fn own_key(&self) -> Result<RunKeys, StoreError> {
        let mut fresh = [0; 32];
        getrandom::fill(&mut fresh).map_err(|_| StoreError::NoEntropy)?;
        Ok(RunKeys::of_database(&self.secret("seal", &fresh)?))
    }
}
