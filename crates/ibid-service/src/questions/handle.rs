//! The handle of questions.

use super::propose::ProposalTurns;
use crate::planner::Planner;
use crate::runs::Runs;
use ibid_provider::ProviderKey;
use ibid_store::Db;
use std::sync::Arc;

/// Questions of callers: their sets, checks and proposals. Cheap to clone.
#[derive(Clone)]
pub struct Questions {
    pub(crate) runs: Arc<Runs>,
    pub(crate) planner: Arc<Planner>,
    /// The operator's key, which pays the proposals of accounts.
    pub(crate) key: Option<ProviderKey>,
    pub(crate) turns: Arc<ProposalTurns>,
}

impl Questions {
    pub(crate) fn new(runs: Arc<Runs>, planner: Arc<Planner>, key: Option<ProviderKey>) -> Self {
        Self {
            runs,
            planner,
            key,
            turns: Arc::default(),
        }
    }

    pub(super) fn db(&self) -> &Db {
        &self.runs.db
    }
}

impl std::fmt::Debug for Questions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Questions(..)")
    }
}
