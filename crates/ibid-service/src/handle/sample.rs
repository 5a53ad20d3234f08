//! Which report the home page shows as a sample.

use crate::clock::now_ms;
use crate::error::Error;
use crate::handle::scans::Scans;
use ibid_model::{AccountId, ScanId};

impl Scans {
    /// Names the scan whose public link is the sample report.
    /// The first call counts.
    pub fn set_sample(&self, account: AccountId, id: ScanId) {
        self.sample.get_or_init(|| (account, id));
    }

    /// Returns the token of the sample report's public link. `None` if there is no sample, or its owner has
    /// removed the link, let it end or given it a password.
    pub async fn sample_link(&self) -> Result<Option<String>, Error> {
        let Some((account, id)) = self.sample.get().copied() else {
            return Ok(None);
        };
        let found = self.db().call(move |store| {
            let Some(share) = store.run(account, id)?.and_then(|run| run.share) else {
                return Ok(None);
            };
            let shared = store.shared(&share.token, now_ms())?;
            Ok(shared
                .is_some_and(|shared| shared.password.is_none())
                .then_some(share.token))
        });
        Ok(found.await?)
    }
}
