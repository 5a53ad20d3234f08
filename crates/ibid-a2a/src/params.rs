//! Parameters that several methods share.

use crate::error::CallError;
use crate::limits::MAX_VALUES;
use crate::read::{Findings, Members, Place, has_too_many_values};
use ibid_model::{FaultCode, TaskId};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The part of a history that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HistoryLimit {
    /// Everything that is kept.
    #[default]
    All,
    /// The newest messages, this many. Zero shows none, as A2A 1.0 defines it.
    Newest(usize),
}

/// A task as a caller names it. A text that is not an id of this service names no task.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NamedTask {
    Known(TaskId),
    Unknown,
}

impl NamedTask {
    pub(crate) fn of(text: &str) -> Self {
        match text.parse::<TaskId>() {
            // Other spellings of the same number are not ids of this service.
            Ok(id) if id.to_string().eq_ignore_ascii_case(text) => Self::Known(id),
            Ok(_) | Err(_) => Self::Unknown,
        }
    }
}

pub(crate) fn only_id(params: Map<String, Value>) -> Result<TaskId, CallError> {
    let mut findings = Findings::default();
    let mut members = Members::new(params, Place::Params, &mut findings);
    let id = task_id(&mut members, "id");
    finish(findings, id)
}

pub(crate) fn task_id(members: &mut Members<'_>, name: &str) -> Option<NamedTask> {
    members
        .required_text(name, usize::MAX)
        .map(|text| NamedTask::of(&text))
}

pub(crate) fn history_limit(members: &mut Members<'_>) -> HistoryLimit {
    members.count("historyLength").map_or(HistoryLimit::All, |count| {
        HistoryLimit::Newest(usize::try_from(count).unwrap_or(usize::MAX))
    })
}

/// Faults of parameters come before faults of tasks: an unknown task is reported only if nothing else is wrong.
pub(crate) fn finish(findings: Findings, id: Option<NamedTask>) -> Result<TaskId, CallError> {
    let faults = findings.into_faults();
    match id {
        Some(NamedTask::Known(id)) if faults.is_empty() => Ok(id),
        Some(NamedTask::Unknown) if faults.is_empty() => Err(CallError::TaskNotFound),
        Some(_) | None => Err(faults.into()),
    }
}

/// Reads the parameters of an envelope.
pub(crate) fn object(params: Option<&RawValue>) -> Result<Map<String, Value>, CallError> {
    let Some(params) = params else {
        return Err(CallError::fault("", FaultCode::Required, "params is required"));
    };
    if !params.get().starts_with('{') {
        return Err(CallError::fault(
            "",
            FaultCode::WrongType,
            "params must be an object",
        ));
    }
    if has_too_many_values(params.get()) {
        let message = format!("params must have at most {MAX_VALUES} values");
        return Err(CallError::fault("", FaultCode::OutOfRange, &message));
    }
    // UTF-8 and syntax were checked with the envelope; only depth and the range of numbers can fail here.
    serde_json::from_str(params.get()).map_err(|_| {
        let message = "params are nested too deeply, or hold a number out of range";
        CallError::fault("", FaultCode::OutOfRange, message)
    })
}
