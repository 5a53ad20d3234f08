//! Errors in calls, and a table with their codes.

use crate::limits::MAX_BODY;
use crate::task_state::TaskState;
use ibid_model::contract::Rpc;
use ibid_model::{FaultCode, Faults, ProblemCode};
use jsonrpsee_types::ErrorObjectOwned;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Codes that JSON-RPC 2.0 and A2A 0.2 and 0.3 define.
/// The service's own (-32050 and below) are rows of [`ibid_model::contract`].
///
/// `jsonrpsee-types` gives -32001 to -32007 other meanings, so its constants are not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Not JSON.
    Parse = -32700,
    /// Not a request object.
    InvalidRequest = -32600,
    /// No such method.
    MethodNotFound = -32601,
    /// The parameters have faults.
    InvalidParams = -32602,
    /// An internal error.
    Internal = -32603,
    /// The task does not exist, or has expired.
    TaskNotFound = -32001,
    /// The task has ended, or paid work is under way.
    TaskNotCancelable = -32002,
    /// Webhooks are not offered.
    PushNotSupported = -32003,
    /// Not offered, or not in this state.
    UnsupportedOperation = -32004,
    /// File parts are not taken.
    ContentTypeNotSupported = -32005,
    /// There is no extended card (A2A 0.3).
    NoExtendedCard = -32007,
    /// The header `A2A-Version` names an unsupported version (A2A 1.0).
    VersionNotSupported = -32009,
}

/// A failure of a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The body is not JSON.
    #[error("the body is not JSON")]
    NotJson,
    /// The body is JSON, but not a request.
    #[error("the body is not a request: {0}")]
    InvalidRequest(BadRequest),
    /// No such method.
    #[error("the method is unknown")]
    UnknownMethod,
    /// The parameters have faults, or do not fit the task.
    #[error("the parameters are invalid: {}", .0.message())]
    InvalidParams(Box<BadParams>),
    /// The task does not exist, has expired, or must not be seen.
    #[error("there is no such task")]
    TaskNotFound,
    /// The task has ended, or paid work is under way.
    #[error("a task that is {0} cannot be canceled")]
    NotCancelable(TaskState),
    /// Webhooks are not offered.
    #[error("push notifications are not offered")]
    PushNotSupported,
    /// Not in this state.
    #[error("{0}")]
    Unsupported(&'static str),
    /// The task has ended and takes no more messages.
    #[error("a task that is {0} takes no messages")]
    Ended(TaskState),
    /// The header `A2A-Version` names a version that is not spoken here.
    #[error("the protocol version is not supported")]
    Version,
    /// A part of kind `file`.
    #[error("parts of kind file are not taken")]
    ContentType,
    /// There is no card behind authentication.
    #[error("there is no extended card")]
    NoExtendedCard,
    /// The service cannot take the call just now.
    #[error("the service cannot take the call: {code}")]
    Unavailable {
        /// The reason.
        code: ProblemCode,
        /// The time until the call may be sent again, if that is known.
        retry_after: Option<Duration>,
    },
    /// An internal error. The cause belongs in the log, not in the answer.
    #[error("the call failed inside the service")]
    Internal,
}

/// A fault that keeps a body from being a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadRequest {
    /// More bytes than [`MAX_BODY`].
    #[error("it has more than {MAX_BODY} bytes")]
    TooLarge,
    /// Several requests at once.
    #[error("batches are not part of the protocol")]
    Batch,
    /// A text, a number, `null`, ..
    #[error("it is not an object")]
    NotAnObject,
    /// A member of the envelope is repeated.
    #[error("a member is repeated")]
    Repeated,
    /// The id is neither a string nor a number, or is too long.
    #[error("id must be a short string, a number or null")]
    Id,
    /// `jsonrpc` is not `"2.0"`.
    #[error("jsonrpc must be \"2.0\"")]
    Version,
    /// `method` is missing or no string.
    #[error("method must be a string")]
    Method,
}

/// Faults of parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BadParams {
    /// A stable word, such as `plan_too_large`; becomes `data.code`.
    pub code: Option<&'static str>,
    /// A sentence that replaces the list of faults in the message.
    pub detail: Option<String>,
    /// The faults, with JSON pointers into `params`; become `data.errors`.
    pub faults: Faults,
    /// Further members of `data`, such as `suggestions`.
    pub more: Map<String, Value>,
}

impl BadParams {
    /// A sentence about the faults. Never quotes the caller.
    pub fn message(&self) -> String {
        self.detail.clone().unwrap_or_else(|| self.faults.to_string())
    }

    fn data(&self) -> Option<Value> {
        let mut data = self.more.clone();
        if let Some(code) = self.code {
            data.insert("code".to_owned(), json!(code));
        }
        if !self.faults.is_empty() {
            data.insert("errors".to_owned(), json!(self.faults));
        }
        (!data.is_empty()).then_some(Value::Object(data))
    }
}

impl CallError {
    /// Parameters that do not fit the task, with a stable word and a sentence.
    #[must_use]
    pub fn misfit(code: &'static str, detail: impl Into<String>) -> Self {
        Self::InvalidParams(Box::new(BadParams {
            code: Some(code),
            detail: Some(detail.into()),
            ..BadParams::default()
        }))
    }

    /// A single fault of the parameters.
    #[must_use]
    pub fn fault(field: &str, code: FaultCode, message: &str) -> Self {
        Faults::one(field, code, message).into()
    }

    /// Returns code, name and data as they are on the wire.
    fn parts(&self) -> (i32, String, Option<Value>) {
        let plain = |code: Code, name: &str| (code as i32, name.to_owned(), None);
        match self {
            Self::NotJson => plain(Code::Parse, "Invalid JSON payload"),
            Self::InvalidRequest(bad) => (
                Code::InvalidRequest as i32,
                format!("Request payload validation error: {bad}"),
                None,
            ),
            Self::UnknownMethod => plain(Code::MethodNotFound, "Method not found"),
            Self::InvalidParams(bad) => (
                Code::InvalidParams as i32,
                format!("Invalid parameters: {}", bad.message()),
                bad.data(),
            ),
            Self::TaskNotFound => plain(Code::TaskNotFound, "Task not found"),
            Self::NotCancelable(state) => (
                Code::TaskNotCancelable as i32,
                format!("Task cannot be canceled: it is {state}"),
                None,
            ),
            Self::PushNotSupported => plain(Code::PushNotSupported, "Push Notification is not supported"),
            Self::Unsupported(why) => (
                Code::UnsupportedOperation as i32,
                format!("This operation is not supported: {why}"),
                None,
            ),
            Self::Ended(state) => (
                Code::InvalidParams as i32,
                format!(
                    "Invalid parameters: the task is {state} and takes no messages; send one without taskId"
                ),
                Some(json!({"code": "task_ended"})),
            ),
            Self::Version => plain(
                Code::VersionNotSupported,
                "Protocol version not supported: send A2A-Version: 1.0, or leave the header out for 0.3",
            ),
            Self::ContentType => (
                Code::ContentTypeNotSupported as i32,
                "Incompatible content types: send text and data parts, no files".to_owned(),
                None,
            ),
            Self::NoExtendedCard => plain(
                Code::NoExtendedCard,
                "Authenticated Extended Card is not configured",
            ),
            Self::Unavailable {
                code: problem,
                retry_after,
            } => {
                let (number, message, word) = match problem.row().rpc {
                    Rpc::Unavailable { code, message, word } => (code, message, word),
                    Rpc::Internal | Rpc::InvalidParams | Rpc::Unsupported(_) => {
                        (Code::Internal as i32, "Internal error", problem.word())
                    }
                };
                let mut data = json!({"code": word});
                if let (Some(after), Some(members)) = (retry_after, data.as_object_mut()) {
                    // Rounded up, because a call that comes back early gets the same error.
                    let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
                    members.insert("retryAfter".to_owned(), json!(seconds));
                }
                (number, message.to_owned(), Some(data))
            }
            Self::Internal => plain(Code::Internal, "Internal error"),
        }
    }

    /// The code on the wire of 0.2 and 0.3.
    pub fn code(&self) -> i32 {
        self.parts().0
    }

    /// Returns the code on the wire of 1.0.
    /// There, messages to ended tasks and the extended card are operations that are not supported.
    pub fn code_in_v1(&self) -> i32 {
        match self {
            Self::Ended(_) | Self::NoExtendedCard => Code::UnsupportedOperation as i32,
            _ => self.code(),
        }
    }

    /// The sentence on the wire.
    pub(crate) fn message(&self) -> String {
        self.parts().1
    }

    pub(crate) fn data_members(&self) -> Map<String, Value> {
        match self.parts().2 {
            Some(Value::Object(members)) => members,
            Some(_) | None => Map::new(),
        }
    }
}

impl From<Faults> for CallError {
    fn from(faults: Faults) -> Self {
        Self::InvalidParams(Box::new(BadParams {
            faults,
            ..BadParams::default()
        }))
    }
}

impl From<BadRequest> for CallError {
    fn from(bad: BadRequest) -> Self {
        Self::InvalidRequest(bad)
    }
}

impl From<&CallError> for ErrorObjectOwned {
    fn from(error: &CallError) -> Self {
        let (code, message, data) = error.parts();
        Self::owned(code, message, data)
    }
}
