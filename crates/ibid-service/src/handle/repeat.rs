//! Starts a job once for equal requests with the same key.

use crate::error::Error;
use crate::handle::billing::Billing;
use crate::handle::scans::Scans;
use crate::idempotency::{Claim, RepeatableRequest, Started};
use crate::job::Job;
use crate::runs::run::Run;

impl Scans {
    /// Starts a job as [`Self::perform`], unless an equal request of the last 24 hours did so. While that one is
    /// under way, this call waits for its end; if it ends without a result, this one begins. The run goes on when its
    /// caller hangs up, who comes back for it with the same key.
    ///
    /// # Errors
    /// As [`Self::perform`]; [`Error::IdempotencyConflict`] for another request with the key; [`Error::Overloaded`] when
    /// the key cannot be looked up.
    pub async fn perform_once(
        &self,
        request: &RepeatableRequest,
        job: Job,
        billing: Billing,
    ) -> Result<Started<Run>, Error> {
        match self.repeatable.claim(request).await? {
            Claim::Finished(scan) => Ok(Started::Replayed(scan)),
            Claim::Begin(held) => {
                let (id, held) = (held.scan, Some(held));
                self.perform_as(id, job, billing, held).await.map(Started::New)
            }
        }
    }
}
