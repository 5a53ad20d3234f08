//! Errors of A2A 1.0: details with types, over JSON-RPC and over HTTP.

use crate::error::{CallError, Code};
use serde_json::{Map, Value, json};

const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";
const RETRY_INFO: &str = "type.googleapis.com/google.rpc.RetryInfo";
const STRUCT: &str = "type.googleapis.com/google.protobuf.Struct";
/// Domain for reasons that the protocol defines.
const PROTOCOL: &str = "a2a-protocol.org";
/// Domain for this service's own reasons.
const OWN: &str = "ibid";

/// An error object of JSON-RPC.
pub(super) fn rpc(error: &CallError) -> Value {
    json!({"code": error.code_in_v1(), "message": error.message(), "data": details(error)})
}

/// A `google.rpc.Status` with the status of the response.
pub(super) fn http(error: &CallError, status: u16) -> Value {
    json!({"error": {
        "code": status,
        "status": canonical(error, status),
        "message": error.message(),
        "details": details(error),
    }})
}

pub(super) fn http_status(error: &CallError) -> u16 {
    match (error, error.code()) {
        (CallError::TaskNotFound | CallError::UnknownMethod, _) => 404,
        (_, -32050 | -32052 | -32053) => 503,
        (_, -32051) => 429,
        (_, -32054) => 409,
        (_, code) if code == Code::Internal as i32 => 500,
        _ => 400,
    }
}

/// Returns the word that `google.rpc.Code` has for it.
fn canonical(error: &CallError, status: u16) -> &'static str {
    match (status, error) {
        (404, _) => "NOT_FOUND",
        (409, _) => "ABORTED",
        (429, _) => "RESOURCE_EXHAUSTED",
        (500, _) => "INTERNAL",
        (503, _) => "UNAVAILABLE",
        (
            _,
            CallError::NotCancelable(_)
            | CallError::PushNotSupported
            | CallError::Unsupported(_)
            | CallError::Ended(_)
            | CallError::NoExtendedCard
            | CallError::Version,
        ) => "FAILED_PRECONDITION",
        (_, _) => "INVALID_ARGUMENT",
    }
}

fn details(error: &CallError) -> Vec<Value> {
    let mut data = error.data_members();
    let faults = data.remove("errors");
    let word = data.remove("code");
    let retry = data.remove("retryAfter");
    let (reason, domain) = match word.as_ref().and_then(Value::as_str) {
        Some(word) => (word.to_ascii_uppercase(), OWN),
        None => (reason(error.code_in_v1()).to_owned(), PROTOCOL),
    };
    let mut details = vec![json!({"@type": ERROR_INFO, "reason": reason, "domain": domain})];
    if let Some(word) = word {
        details[0]["metadata"] = json!({"code": word});
        if error.code_in_v1() > Code::InvalidRequest as i32 {
            // An error of the protocol keeps the protocol's reason, and comes first.
            let own = reason_in(&OF_PROTOCOL, error.code_in_v1());
            if let Some(own) = own {
                details.insert(0, json!({"@type": ERROR_INFO, "reason": own, "domain": PROTOCOL}));
            }
        }
    }
    if let Some(Value::Array(faults)) = faults {
        let violations: Vec<Value> = faults.iter().map(violation).collect();
        details.push(json!({"@type": BAD_REQUEST, "fieldViolations": violations}));
    }
    if let Some(seconds) = retry.as_ref().and_then(Value::as_u64) {
        details.push(json!({"@type": RETRY_INFO, "retryDelay": format!("{seconds}s")}));
    }
    if !data.is_empty() {
        details.push(json!({"@type": STRUCT, "value": Map::from_iter(data)}));
    }
    details
}

/// Writes a fault as the protocol does: the path with dots, without the slash that begins a JSON pointer.
fn violation(fault: &Value) -> Value {
    let text = |name: &str| fault.get(name).and_then(Value::as_str).unwrap_or_default();
    let field = text("field").trim_start_matches('/').replace('/', ".");
    json!({"field": field, "description": text("message"), "reason": text("code").to_ascii_uppercase()})
}

/// The codes that the protocol defines, with their reasons.
const OF_PROTOCOL: [(Code, &str); 6] = [
    (Code::TaskNotFound, "TASK_NOT_FOUND"),
    (Code::TaskNotCancelable, "TASK_NOT_CANCELABLE"),
    (Code::PushNotSupported, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    (Code::UnsupportedOperation, "UNSUPPORTED_OPERATION"),
    (Code::ContentTypeNotSupported, "CONTENT_TYPE_NOT_SUPPORTED"),
    (Code::VersionNotSupported, "VERSION_NOT_SUPPORTED"),
];

/// JSON-RPC codes, with their reasons.
const OF_JSON_RPC: [(Code, &str); 4] = [
    (Code::Parse, "PARSE_ERROR"),
    (Code::InvalidRequest, "INVALID_REQUEST"),
    (Code::MethodNotFound, "METHOD_NOT_FOUND"),
    (Code::InvalidParams, "INVALID_PARAMS"),
];

fn reason_in(table: &[(Code, &'static str)], number: i32) -> Option<&'static str> {
    let row = table.iter().find(|(code, _)| *code as i32 == number);
    row.map(|(_, reason)| *reason)
}

fn reason(number: i32) -> &'static str {
    let known = reason_in(&OF_PROTOCOL, number).or_else(|| reason_in(&OF_JSON_RPC, number));
    known.unwrap_or("INTERNAL_ERROR")
}
