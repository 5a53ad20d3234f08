//! The ends of queued scans, in the words of their owners.

use super::document::OrderDocument;
use crate::webhooks::{EventMessage, RunNotice};
use ibid_model::{RunState, ScanResult};
use ibid_store::DurableRunView;
use jiff::Timestamp;

/// The message of the end of a run for its owner, or `None` for an audit.
pub(super) fn message_of(
    run: &DurableRunView,
    document: Option<&OrderDocument>,
    (state, error): (RunState, Option<&str>),
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
