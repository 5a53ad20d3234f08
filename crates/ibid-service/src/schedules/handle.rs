//! What surfaces hold to work with schedules.

use super::ScheduleKeeper;
use crate::error::Error;
use crate::planner::Planner;
use crate::rounds::Rounds;
use crate::runs::Runs;
use ibid_store::{Store, StoreError};
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
    pub(crate) async fn in_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Error> {
        self.runs.in_store(work).await
    }
}
