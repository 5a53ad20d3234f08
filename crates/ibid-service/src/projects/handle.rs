//! The handle of projects.

use super::own_data::OwnDataBounds;
use crate::accounts::Accounts;
use crate::limits::Limits;
use crate::questions::Questions;
use crate::runs::Runs;
use crate::schedules::Schedules;
use crate::webhooks::Hooks;
use ibid_provider::ProviderKey;
use ibid_store::Db;
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
    /// The requests of keys to feeds.
    pub(crate) feeds: Limits,
    pub(crate) own_data: OwnDataBounds,
    /// The operator's key, which pays for runs.
    pub(crate) key: Option<ProviderKey>,
}

impl Projects {
    pub(crate) fn db(&self) -> &Db {
        &self.runs.db
    }
}
