//! Results of tools, and failures as results.
//!
//! A tool that fails answers with `isError` and a problem: the code of the problem table, a sentence, and the faults of the
//! arguments. Models read results; protocol errors are hidden from them.

use ibid_model::ProblemCode;
use ibid_service::Error;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};

/// A failure of a tool: a problem document without its HTTP members.
#[derive(Debug)]
pub(crate) struct ToolProblem(Value);

impl ToolProblem {
    /// A problem with a sentence of its own.
    pub(crate) fn saying(code: ProblemCode, detail: impl Into<String>) -> Self {
        let detail: String = detail.into();
        Self(json!({"code": code, "title": code.row().title, "detail": detail}))
    }

    /// Arguments that do not fit the input schema.
    pub(crate) fn arguments(why: impl std::fmt::Display) -> Self {
        Self::saying(
            ProblemCode::InvalidRequest,
            format!("The arguments do not fit: {why}."),
        )
    }

    /// The same with one more member.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0[name] = value.into();
        self
    }

    pub(crate) fn result(self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(self.0.to_string())])
    }
}

impl From<Error> for ToolProblem {
    fn from(error: Error) -> Self {
        let code = error.code();
        if code == ProblemCode::InternalError {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            tracing::error!(%error, source, "mcp.call.failed");
        }
        let row = code.row();
        let detail = match row.detail {
            "" => sentence(&error.root().to_string()),
            detail => detail.to_owned(),
        };
        let mut problem = Self::saying(code, detail);
        for (name, value) in error.members() {
            problem = problem.with(&name, value);
        }
        let faults = error.faults();
        if !faults.is_empty() {
            problem = problem.with("errors", json!(faults));
        }
        match error.retry_after() {
            Some(wait) => problem.with("retryAfter", wait.as_secs().max(1)),
            None => problem,
        }
    }
}

/// A message of an error as a sentence.
fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    let mut text: String = first.chain(chars).collect();
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}

/// The result of a tool: the value as structured content, and the same as a text for clients that read no structure.
pub(crate) fn structured(value: &impl Serialize) -> Result<CallToolResult, ToolProblem> {
    let value = serde_json::to_value(value).map_err(Error::from)?;
    Ok(CallToolResult::structured(value))
}
