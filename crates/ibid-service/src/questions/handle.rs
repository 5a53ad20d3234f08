use crate::planner::Planner;
use crate::runs::Runs;
use crate::stored_scans::StoredScans;
use ibid_provider::ProviderKey;
use ibid_store::Db;
use std::sync::Arc;

/// Questions of callers: their sets, checks and proposals. Cheap to clone.
#[derive(Clone)]
pub struct Questions {
    pub(crate) runs: Arc<Runs>,
    pub(crate) planner: Arc<Planner>,
    pub(crate) stored_scans: Arc<StoredScans>,
    /// The operator's key, which pays the proposals of accounts.
    pub(crate) key: Option<ProviderKey>,
}

impl Questions {
    pub(super) fn db(&self) -> &Db {
        &self.runs.db
    }
}
