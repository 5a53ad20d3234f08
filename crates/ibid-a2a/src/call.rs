//! Methods and their parameters.

use crate::error::CallError;
use crate::incoming::Incoming;
use crate::limits::MAX_VALUES;
use crate::node::Object;
use crate::read::{Findings, Members, Place, has_too_many_values};
use ibid_model::{FaultCode, TaskId};
use serde_json::value::RawValue;

/// What a client asks for.
#[derive(Debug)]
pub enum Call {
    /// `message/send`: answer with the task.
    Send(Box<Incoming>),
    /// `message/stream`: answer with the task, then with what happens to it.
    Stream(Box<Incoming>),
    /// `tasks/get`.
    Get {
        /// The task.
        task: TaskId,
        /// How much of its history.
        history: HistoryLimit,
    },
    /// `tasks/cancel`.
    Cancel(TaskId),
    /// `tasks/resubscribe`: answer with the task as it is, then with what happens to it.
    Resubscribe(TaskId),
}

/// How much of a history is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HistoryLimit {
    /// Everything that is kept.
    #[default]
    All,
    /// So many messages, the newest. Zero: none, as A2A 1.0 settles it.
    Newest(usize),
}

impl Call {
    /// Reads the parameters of a method, once it is known to have any.
    ///
    /// # Errors
    /// An unknown method, one that is not offered, or every fault of the parameters.
    pub(crate) fn parse<'a>(
        method: &str,
        params: impl FnOnce() -> Result<Object<'a>, CallError>,
    ) -> Result<Self, CallError> {
        match method {
            "message/send" => Ok(Self::Send(Box::new(Incoming::parse(params()?)?))),
            "message/stream" => Ok(Self::Stream(Box::new(Incoming::parse(params()?)?))),
            "tasks/get" => {
                let mut findings = Findings::default();
                let mut members = Members::new(params()?, Place::Params, &mut findings);
                let id = task_id(&mut members, "id");
                let history = history_limit(&mut members);
                let task = finish(findings, id)?;
                Ok(Self::Get { task, history })
            }
            "tasks/cancel" => Ok(Self::Cancel(only_id(params()?)?)),
            "tasks/resubscribe" => Ok(Self::Resubscribe(only_id(params()?)?)),
            "tasks/pushNotificationConfig/set"
            | "tasks/pushNotificationConfig/get"
            | "tasks/pushNotificationConfig/list"
            | "tasks/pushNotificationConfig/delete" => Err(CallError::PushNotSupported),
            "agent/getAuthenticatedExtendedCard" => Err(CallError::NoExtendedCard),
            _ => Err(CallError::UnknownMethod),
        }
    }
}

/// A task as a caller names it: whatever is no id of ours names no task.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NamedTask {
    Known(TaskId),
    Unknown,
}

impl NamedTask {
    pub(crate) fn of(text: &str) -> Self {
        match text.parse::<TaskId>() {
            // Other spellings of the same number are not ids that we gave out.
            Ok(id) if id.to_string().eq_ignore_ascii_case(text) => Self::Known(id),
            Ok(_) | Err(_) => Self::Unknown,
        }
    }
}

fn only_id(params: Object<'_>) -> Result<TaskId, CallError> {
    let mut findings = Findings::default();
    let mut members = Members::new(params, Place::Params, &mut findings);
    let id = task_id(&mut members, "id");
    finish(findings, id)
}

fn task_id(members: &mut Members<'_, '_>, name: &str) -> Option<NamedTask> {
    members
        .required_text(name, usize::MAX)
        .map(|text| NamedTask::of(&text))
}

pub(crate) fn history_limit(members: &mut Members<'_, '_>) -> HistoryLimit {
    members.count("historyLength").map_or(HistoryLimit::All, |count| {
        HistoryLimit::Newest(usize::try_from(count).unwrap_or(usize::MAX))
    })
}

/// Parameters come before tasks: an unknown task is told only if nothing else is wrong.
fn finish(findings: Findings, id: Option<NamedTask>) -> Result<TaskId, CallError> {
    let faults = findings.into_faults();
    match id {
        Some(NamedTask::Known(id)) if faults.is_empty() => Ok(id),
        Some(NamedTask::Unknown) if faults.is_empty() => Err(CallError::TaskNotFound),
        Some(_) | None => Err(faults.into()),
    }
}

/// The parameters as they stand in an envelope.
pub(crate) fn object(params: Option<&RawValue>) -> Result<Object<'_>, CallError> {
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
    // The letters were checked with the envelope; only depth and the range of numbers can fail here.
    serde_json::from_str(params.get()).map_err(|_| {
        let message = "params are nested too deeply, or hold a number out of range";
        CallError::fault("", FaultCode::OutOfRange, message)
    })
}
