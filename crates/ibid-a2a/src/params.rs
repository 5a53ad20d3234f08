//! Parameters that several methods share.

use crate::error::CallError;
use crate::limits::MAX_VALUES;
use crate::read::{Findings, Members, Place, has_too_many_values};
use ibid_model::contract::field::PAGE_LIMIT;
use ibid_model::{FaultCode, TaskId, strict_json};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Parsers disagree about which of two equal members counts.
pub(crate) const TWICE: &str = "an object has the same member twice";

/// How much of a history is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HistoryLimit {
    /// Everything that is kept.
    #[default]
    All,
    /// At most this many of the newest messages.
    /// Zero shows no messages, as A2A 1.0 defines it.
    Newest(usize),
}

/// The task in a call.
/// A text that is not an id of this service names no task.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NamedTask {
    Known(TaskId),
    Unknown,
}

impl NamedTask {
    pub(crate) fn of(text: &str) -> Self {
        match text.parse::<TaskId>() {
            // Other spellings of the same number are no ids here.
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

/// Renames members such as `history_length` to `historyLength`.
/// Readers of the protocol's JSON take both spellings.
pub(crate) fn camel_case(members: Map<String, Value>) -> Map<String, Value> {
    let camel = |name: String| match name.contains('_') {
        false => name,
        true => {
            let mut words = name.split('_');
            let first = words.next().unwrap_or_default().to_owned();
            words.fold(first, |name, word| match word.split_at_checked(1) {
                Some((initial, rest)) => format!("{name}{}{rest}", initial.to_ascii_uppercase()),
                None => format!("{name}_"),
            })
        }
    };
    members
        .into_iter()
        .map(|(name, value)| (camel(name), value))
        .collect()
}

/// Reads the parameters of `ListTasks`. Returns a page's size.
pub(crate) fn list_page(params: Map<String, Value>) -> Result<u64, CallError> {
    let (least, most) = PAGE_LIMIT.bounds();
    const STATES: [&str; 9] = [
        "TASK_STATE_UNSPECIFIED",
        "TASK_STATE_SUBMITTED",
        "TASK_STATE_WORKING",
        "TASK_STATE_COMPLETED",
        "TASK_STATE_FAILED",
        "TASK_STATE_CANCELED",
        "TASK_STATE_INPUT_REQUIRED",
        "TASK_STATE_REJECTED",
        "TASK_STATE_AUTH_REQUIRED",
    ];
    let mut findings = Findings::default();
    let mut members = Members::new(params, Place::Params, &mut findings);
    let _ = members.text("contextId", usize::MAX);
    let _ = history_limit(&mut members);
    let _ = members.flag("includeArtifacts");
    let size = members
        .count("pageSize")
        .unwrap_or(PAGE_LIMIT.default_count().into());
    if !(u64::from(least)..=most.into()).contains(&size) {
        members.fault(
            "pageSize",
            FaultCode::OutOfRange,
            format!("pageSize must be from {least} to {most}"),
        );
    }
    if members
        .text("pageToken", usize::MAX)
        .is_some_and(|token| !token.is_empty())
    {
        members.fault(
            "pageToken",
            FaultCode::Invalid,
            "pageToken is not one that was given out",
        );
    }
    let status = members.text("status", usize::MAX);
    if status.is_some_and(|status| !STATES.contains(&status.as_str())) {
        members.fault("status", FaultCode::Invalid, "status must be a state of tasks");
    }
    let after = members.text("statusTimestampAfter", usize::MAX);
    if after.is_some_and(|after| after.parse::<jiff::Timestamp>().is_err()) {
        members.fault(
            "statusTimestampAfter",
            FaultCode::Invalid,
            "statusTimestampAfter must be a time such as 2027-01-15T08:00:00Z",
        );
    }
    let faults = findings.into_faults();
    match faults.is_empty() {
        true => Ok(size),
        false => Err(faults.into()),
    }
}

/// Reports faulty parameters before faulty tasks: an unknown task is reported only without other faults.
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
    if has_too_many_values(params.get()) {
        let message = format!("params must have at most {MAX_VALUES} values");
        return Err(CallError::fault("", FaultCode::OutOfRange, &message));
    }
    // UTF-8 and syntax were checked with the envelope.
    // Only repeated members, depth and the range of numbers can fail here.
    let value = strict_json::parse(params.get().as_bytes()).map_err(|error| match error.is_data() {
        true => CallError::fault("", FaultCode::Invalid, TWICE),
        false => {
            let message = "params are nested too deeply, or hold a number out of range";
            CallError::fault("", FaultCode::OutOfRange, message)
        }
    })?;
    let Value::Object(mut members) = value else {
        return Err(CallError::fault(
            "",
            FaultCode::WrongType,
            "params must be an object",
        ));
    };
    members.values_mut().for_each(whole_numbers);
    Ok(members)
}

/// Writes `2.0` as `2`.
/// JSON has one kind of number.
/// Clients that have only floating point write whole numbers with a fraction.
pub(crate) fn whole_numbers(value: &mut Value) {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => {}
        Value::Number(number) => {
            // Below 2^53, which is twice 1 / EPSILON, every whole number is exact in floating point, so the cast is, too.
            let float = number.as_f64().filter(|_| number.is_f64());
            if let Some(float) =
                float.filter(|float| float.fract() == 0.0 && float.abs() * f64::EPSILON < 2.0)
            {
                *value = Value::from(float as i64);
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(whole_numbers),
        Value::Object(members) => members.values_mut().for_each(whole_numbers),
    }
}
