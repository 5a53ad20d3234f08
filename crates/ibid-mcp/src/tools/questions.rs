//! Questions in the user's own words: the rules for the client's model, and checks.

use super::Arguments;
use crate::answer::{ToolProblem, structured};
use ibid_engine::questions::{rules, schema};
use ibid_model::contract::Field;
use ibid_model::contract::field::{AUDIENCE, KEYWORD, LANGUAGE, LOCATION, OFFER, PROPOSAL_COUNT};
use ibid_service::Service;
use rmcp::model::CallToolResult;
use serde_json::json;

pub(super) const PROPOSED: [&Field; 6] = [&KEYWORD, &LOCATION, &LANGUAGE, &AUDIENCE, &OFFER, &PROPOSAL_COUNT];

/// Hands the rules and the schema to the client, which is a model already.
pub(super) fn propose(service: &Service, facts: Arguments) -> Result<CallToolResult, ToolProblem> {
    service.questions.proposal_order(&facts)?;
    structured(&json!({
        "facts": facts,
        "rules": rules(),
        "schema": schema(),
        "next": "Write the questions, call check_questions with them and the domain, replace those with findings, show the list to \
                 the user, and pass what the user accepts as questions to run_scan.",
    }))
}

/// Checks questions.
pub(super) async fn check(service: &Service, body: Arguments) -> Result<CallToolResult, ToolProblem> {
    structured(&service.questions.check(&body).await?)
}
