//! The ends of queued scans, in the words of their owners.

use super::document::OrderDocument;
use crate::clock::now_ms;
use crate::webhooks::{EventMessage, RunNotice};
use ibid_model::{ScanId, ScanResult};
use ibid_store::{DurableRunState, DurableRunView, EndedRun, RunEnd, Store, StoreError};
use jiff::Timestamp;

/// The message of the end of a run for its owner, or `None` for an audit.
pub(super) fn message_of(
    run: &DurableRunView,
    document: Option<&OrderDocument>,
    (state, error): (DurableRunState, Option<&str>),
    result: Option<&ScanResult>,
) -> Option<EventMessage> {
    if document.is_some_and(|document| document.is_audit) {
        return None;
    }
    EventMessage::run_ended(&RunNotice {
        id: run.id,
        state,
        error,
        domain: &run.subject.domain,
        keyword: &run.subject.keyword,
        tag: run.subject.tag.as_deref(),
        schedule: run.subject.schedule,
        result,
        ended_at: Timestamp::now(),
    })
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
