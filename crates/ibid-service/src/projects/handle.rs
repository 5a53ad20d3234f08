//! What surfaces hold to work with projects.

use super::conversions::change;
use super::own_data::OwnDataBounds;
use crate::accounts::Accounts;
use crate::error::Error;
use crate::limits::Limits;
use crate::questions::Questions;
use crate::runs::Runs;
use crate::schedules::Schedules;
use crate::webhooks::Hooks;
use ibid_provider::ProviderKey;
use ibid_store::{Db, ProjectChange, ProjectScope, Store, StoreError};
use serde::Serialize;
use serde_json::json;
use std::str::FromStr;
use std::sync::Arc;

/// Projects of organisations. Cheap to clone.
#[derive(Clone)]
pub struct Projects {
    pub(crate) runs: Arc<Runs>,
    pub(crate) schedules: Schedules,
    pub(crate) accounts: Accounts,
    pub(crate) questions: Questions,
    /// The outbox, through which news reaches people.
    pub(crate) hooks: Hooks,
    /// Counts how often each key reads feeds.
    pub(crate) feeds: Limits,
    pub(crate) own_data: OwnDataBounds,
    /// The operator's key, which pays for runs.
    pub(crate) key: Option<ProviderKey>,
}

impl Projects {
    pub(crate) fn db(&self) -> &Db {
        &self.runs.db
    }

    pub(crate) async fn in_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Error> {
        self.runs.in_store(work).await
    }

    /// Reads or changes a project in the store.
    pub(super) async fn of<T: Send + 'static>(
        &self,
        scope: &ProjectScope,
        work: impl FnOnce(&Store, &ProjectScope) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Error> {
        let scope = scope.clone();
        self.in_store(move |store| work(store, &scope)).await
    }

    /// Changes or deletes a part of a project. Its log notes it under `event`, with the id as `member`.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] if there is none with the id; [`Error::Store`].
    pub(super) async fn change_part<I: FromStr + Serialize + Copy + Send + 'static>(
        &self,
        scope: &ProjectScope,
        id: &str,
        event: &'static str,
        member: &'static str,
        carry_out: fn(&Store, &ProjectScope, I, ProjectChange<'_>) -> Result<bool, StoreError>,
    ) -> Result<(), Error> {
        let id: I = id.parse().map_err(|_| Error::ProjectNotFound)?;
        let members = json!({member: id}).to_string();
        let changed = self.of(scope, move |store, scope| {
            carry_out(store, scope, id, change(event, &members))
        });
        changed.await?.then_some(()).ok_or(Error::ProjectNotFound)
    }
}
