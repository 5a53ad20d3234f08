//! `run_project`: a run of a project, shown before it starts.

use super::{Arguments, read};
use crate::answer::{ToolProblem, structured};
use crate::caller::McpCaller;
use ibid_model::ProblemCode;
use ibid_service::{Right, Service, scheduled_run_document};
use rmcp::model::CallToolResult;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ProjectRun {
    /// The `projectId`; the resource ibid://projects lists them.
    project_id: String,
    /// Whether the run is only shown: what it would ask and cost, and what is left of the budget. `false` starts it.
    #[serde(default = "shown")]
    dry_run: bool,
}

const fn shown() -> bool {
    true
}

pub(super) async fn run(
    service: &Service,
    caller: &McpCaller,
    arguments: Arguments,
) -> Result<CallToolResult, ToolProblem> {
    let order: ProjectRun = read(arguments)?;
    let Some(reader) = caller.projects() else {
        return Err(ToolProblem::saying(
            ProblemCode::Unauthorized,
            "A key of a project is required. Configure it as the bearer key of this server.",
        ));
    };
    let projects = &service.projects;
    let scope = projects
        .scope(reader, &order.project_id, Right::RunProject)
        .await?;
    if order.dry_run {
        return structured(&projects.shown_run(&scope).await?);
    }
    let run = projects.run_now(&scope).await?;
    structured(&scheduled_run_document(&run))
}
