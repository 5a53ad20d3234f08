//! `look_at_website`.

use super::{Arguments, read};
use crate::answer::{ToolProblem, structured};
use crate::caller::McpCaller;
use crate::tools::scans::no_key;
use ibid_service::{Looker, Service};
use rmcp::model::CallToolResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LookArguments {
    /// The website.
    domain: String,
    /// What it sells; guessed from its home page without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keyword: Option<String>,
    /// City and country of its customers; guessed without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    /// BCP 47 tag of the questions; guessed without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<String>,
}

pub(super) async fn look(
    service: &Service,
    caller: &McpCaller,
    arguments: Arguments,
) -> Result<CallToolResult, ToolProblem> {
    let arguments: LookArguments = read(arguments)?;
    let Some(holder) = caller.holder() else {
        return Err(no_key());
    };
    let body = match serde_json::to_value(&arguments) {
        Ok(Value::Object(body)) => body,
        Ok(_) | Err(_) => Map::new(),
    };
    let order = service.scans.look_order(&body)?;
    let look = service.scans.look(order, Looker::Caller(holder.clone())).await?;
    structured(&look.document())
}
