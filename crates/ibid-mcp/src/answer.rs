//! Results of tools, and failures as results.
//!
//! A tool that fails answers with `isError` and a problem: the code of the problem table, a sentence, and the faults
//! of the arguments. Models read results; protocol errors are hidden from them.
//! If a payment is due, the result is its demand.

use ibid_model::ProblemCode;
use ibid_service::Error;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Why a tool failed: a problem document without its HTTP members, or a demand for payment.
#[derive(Debug)]
pub(crate) struct ToolProblem {
    problem: Value,
    demand: Option<Demand>,
}

/// A demand for payment (x402 version 2), and how a settlement was refused.
#[derive(Debug)]
struct Demand {
    required: Value,
    response: Option<Value>,
}

impl ToolProblem {
    /// A problem with the sentence `detail`.
    pub(crate) fn saying(code: ProblemCode, detail: impl Into<String>) -> Self {
        let detail: String = detail.into();
        Self {
            problem: json!({"code": code, "title": code.row().title, "detail": detail}),
            demand: None,
        }
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
        self.problem[name] = value.into();
        self
    }

    pub(crate) fn result(self) -> CallToolResult {
        match self.demand {
            None => CallToolResult::error(vec![ContentBlock::text(self.problem.to_string())]),
            Some(Demand { required, response }) => {
                let result = CallToolResult::structured_error(required);
                match response {
                    Some(response) => with_payment_response(result, response),
                    None => result,
                }
            }
        }
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
        problem.demand = error.due().map(|(due, response)| Demand {
            required: json!(due.body_v2(code)),
            response: response.map(|response| json!(response)),
        });
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

/// Adds how a payment was settled to the metadata, as the MCP transport of x402 defines it.
pub(crate) fn with_payment_response(result: CallToolResult, response: Value) -> CallToolResult {
    let members = Map::from_iter([("x402/payment-response".to_owned(), response)]);
    result.with_meta(Some(MetaObject(members)))
}

fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    let mut text: String = first.chain(chars).collect();
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}

/// Returns a value as structured content, and the same as a text for clients that read no structure.
pub(crate) fn structured(value: &impl Serialize) -> Result<CallToolResult, ToolProblem> {
    let value = serde_json::to_value(value).map_err(Error::from)?;
    Ok(CallToolResult::structured(value))
}
