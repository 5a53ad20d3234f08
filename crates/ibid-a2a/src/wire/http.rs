//! Calls over HTTP and JSON (A2A 1.0, section 11): the same parameters, from a body, a path and a query.

use crate::call::Call;
use crate::error::{BadRequest, CallError};
use crate::limits::MAX_BODY;
use crate::params::{TWICE, object};
use ibid_model::FaultCode;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

impl Call {
    /// Reads an operation whose parameters are a JSON object.
    /// `method` is the name of the same operation over JSON-RPC.
    ///
    /// # Errors
    /// The body is no JSON object, or the parameters have faults.
    pub fn of_body(method: &str, body: &[u8]) -> Result<Self, CallError> {
        let params = members(body)?;
        Self::parse_v1(method, || Ok(params))
    }

    /// Reads an operation on a task whose parameters are a JSON object, with the id of its task in the path.
    pub fn of_task_body(method: &str, task: &str, body: &[u8]) -> Result<Self, CallError> {
        let mut params = members(body)?;
        params.remove("task_id");
        params.insert("taskId".to_owned(), Value::from(task));
        Self::parse_v1(method, || Ok(params))
    }

    /// Reads an operation whose parameters are in the query and in the path: `path` has names and values.
    ///
    /// # Errors
    /// The parameters have faults.
    pub fn of_query(
        method: &str,
        path: &[(&str, &str)],
        query: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, CallError> {
        let mut params = Map::new();
        for (name, text) in query {
            let (name, value) = typed(name, text);
            if params.contains_key(&name) {
                return Err(CallError::fault(&format!("/{name}"), FaultCode::Invalid, TWICE));
            }
            params.insert(name, value);
        }
        for (name, value) in path {
            params.insert((*name).to_owned(), Value::from(*value));
        }
        Self::parse_v1(method, || Ok(params))
    }
}

fn members(body: &[u8]) -> Result<Map<String, Value>, CallError> {
    if body.len() > MAX_BODY {
        return Err(BadRequest::TooLarge.into());
    }
    let raw = serde_json::from_slice::<&RawValue>(body).map_err(|_| CallError::NotJson)?;
    object(Some(raw))
}

/// Converts a member of the query to the type that its name demands.
/// A text that is not of the type stays a text, and is a fault.
fn typed(name: String, text: String) -> (String, Value) {
    let value = match name.as_str() {
        "historyLength" | "pageSize" | "history_length" | "page_size" => {
            text.parse::<i64>().map(Value::from).ok()
        }
        "includeArtifacts" | "include_artifacts" => text.parse::<bool>().map(Value::from).ok(),
        _ => None,
    };
    (name, value.unwrap_or(Value::String(text)))
}
