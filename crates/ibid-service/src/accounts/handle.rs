use super::{FirstRun, SignInGuard};
use crate::error::Error;
use crate::handle::scans::Scans;
use crate::pictures::Pictures;
use crate::runs::Runs;
use crate::service_keys::KeyRing;
use crate::stored_scans::StoredScans;
use ibid_store::{Db, Store, StoreError};
use std::sync::Arc;

/// People: sign-in, administration, their public links and their data. Cheap to clone.
#[derive(Clone)]
pub struct Accounts {
    pub(crate) runs: Arc<Runs>,
    /// Ends the scans of a deleted account.
    pub(crate) scans: Scans,
    pub(crate) stored_scans: Arc<StoredScans>,
    pub(crate) keys: Arc<KeyRing>,
    pub(crate) sign_ins: Arc<SignInGuard>,
    /// Reads logos.
    pub(crate) pictures: Arc<Pictures>,
    pub(crate) first_run: Arc<FirstRun>,
}

impl Accounts {
    pub(crate) fn db(&self) -> &Db {
        &self.runs.db
    }

    pub(crate) async fn in_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Error> {
        self.runs.in_store(work).await
    }
}
