//! Scans as tasks of the tasks extension. A task has the id of its scan.

use crate::caller::McpCaller;
use crate::resources::failed;
use crate::tools::scans;
use ibid_model::{RunState, ScanId};
use ibid_service::{CallerId, RecentScan, Service};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, CreateTaskResult, DetailedTask, GetTaskResult, Task, TaskPayload, TaskStatus,
};
use serde_json::Value;

/// Milliseconds that a client should wait between two looks.
const POLL_MS: u64 = 1_000;

/// Answers with a scan that was just started, as a task.
pub(crate) fn created(scan: &RecentScan) -> CreateTaskResult {
    CreateTaskResult::new(task(scan))
}

fn task(scan: &RecentScan) -> Task {
    let status = match scan.state {
        RunState::Queued | RunState::Running => TaskStatus::Working,
        RunState::Complete | RunState::Partial | RunState::Failed => TaskStatus::Completed,
        RunState::Cancelled => TaskStatus::Cancelled,
    };
    let started = ibid_model::time::text(scan.started_at);
    Task::new(
        scan.id.to_string(),
        status,
        started,
        ibid_model::time::text(scan.changed_at),
    )
    .with_poll_interval_ms(POLL_MS)
    .with_status_message(format!("{} of {} calls are done", scan.done, scan.calls))
}

/// Returns how far a task is, with the result of its tool call once there is one.
///
/// # Errors
/// The caller has no such task.
pub(crate) async fn get(service: &Service, caller: &McpCaller, id: &str) -> Result<GetTaskResult, ErrorData> {
    let (holder, id) = named(caller, id)?;
    let found = service.scans.recent_scan(holder, id).await;
    let scan = found.map_err(|error| failed(&error))?.ok_or_else(unknown)?;
    let payload = match scan.state {
        RunState::Queued | RunState::Running => TaskPayload::Working,
        RunState::Cancelled => TaskPayload::Cancelled,
        RunState::Complete | RunState::Partial | RunState::Failed => {
            let result = scans::read(service, caller, id).await;
            TaskPayload::Completed {
                result: object(&result.unwrap_or_else(|problem| problem.result()))?,
            }
        }
    };
    Ok(GetTaskResult::new(DetailedTask::new(task(&scan), payload)))
}

/// Stops the scan of a task.
///
/// # Errors
/// The caller has no such task.
pub(crate) async fn cancel(service: &Service, caller: &McpCaller, id: &str) -> Result<(), ErrorData> {
    let (holder, id) = named(caller, id)?;
    let stopped = service.scans.stop_scan(holder, id).await;
    match stopped.map_err(|error| failed(&error))? {
        true => Ok(()),
        false => Err(unknown()),
    }
}

fn named<'a>(caller: &'a McpCaller, id: &str) -> Result<(&'a CallerId, ScanId), ErrorData> {
    let id = id.parse().map_err(|_| unknown())?;
    Ok((caller.holder().ok_or_else(unknown)?, id))
}

fn unknown() -> ErrorData {
    ErrorData::invalid_params("there is no such task", None)
}

fn object(result: &CallToolResult) -> Result<serde_json::Map<String, Value>, ErrorData> {
    match serde_json::to_value(result) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) | Err(_) => Err(ErrorData::internal_error("the result could not be written", None)),
    }
}
