//! The handle of schedules.

use super::ScheduleKeeper;
use crate::planner::Planner;
use crate::rounds::Rounds;
use crate::runs::Runs;
use ibid_store::Db;
use std::sync::Arc;

/// Repeated scans and their alerts. Cheap to clone.
#[derive(Clone)]
pub struct Schedules {
    pub(crate) runs: Arc<Runs>,
    pub(crate) planner: Arc<Planner>,
    pub(crate) keeper: Arc<ScheduleKeeper>,
    pub(crate) rounds: Arc<Rounds>,
}

impl Schedules {
    pub(crate) fn db(&self) -> &Db {
        &self.runs.db
    }
}
