//! The ends of queued scans, in the words of their owners.

use crate::clock::now_ms;
use crate::webhooks::RunNotice;
use ibid_model::{ScanId, ScanResult};
use ibid_store::{DurableRunState, DurableRunView, EndedRun, RunEnd, Store, StoreError};
use jiff::Timestamp;

/// The end of a run for its owner.
pub(super) fn notice<'a>(
    run: &'a DurableRunView,
    (state, error): (DurableRunState, Option<&'a str>),
    result: Option<&'a ScanResult>,
) -> RunNotice<'a> {
    RunNotice {
        id: run.id,
        state,
        error,
        domain: &run.subject.domain,
        keyword: &run.subject.keyword,
        tag: run.subject.tag.as_deref(),
        schedule: run.subject.schedule,
        result,
        ended_at: Timestamp::now(),
    }
}

/// Ends the row of an account's scan without a result. An ended row stays: its owner stopped it, or an earlier attempt
/// ended it.
pub(super) fn end_row(store: &dyn Store, id: ScanId, end: RunEnd<'_>, done: u32) -> Result<(), StoreError> {
    let ended = EndedRun {
        end,
        done,
        give_back: true,
    };
    match store.end_run(id, &ended, now_ms()) {
        Ok(()) | Err(StoreError::Lost) => Ok(()),
        Err(error) => Err(error),
    }
}
