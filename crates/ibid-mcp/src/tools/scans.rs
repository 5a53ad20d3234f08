//! `get_scan`, `cancel_scan`, `compare_scans`, `scan_history` and `list_scans`.

use super::summary::ScanSummary;
use super::{Arguments, read as read_arguments};
use crate::answer::{ToolProblem, structured};
use crate::caller::McpCaller;
use crate::resources::scan_address;
use ibid_model::{Domain, Keyword, ProblemCode, RunState, ScanId, ScanResult, Score};
use ibid_service::{Error, RecentScan, Service};
use rmcp::model::CallToolResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ScanName {
    /// The id of the scan.
    scan_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScanPair {
    /// The id of the earlier scan.
    first: String,
    /// The id of the later scan.
    second: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ScanSeries {
    /// The ids of 2 to 200 scans of one website, keyword, place and language, oldest first.
    scan_ids: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListOptions {
    /// Most scans to list, 1 to 100.
    #[serde(default = "ListOptions::default_limit")]
    limit: usize,
}

impl ListOptions {
    const fn default_limit() -> usize {
        20
    }
}

/// A scan, or how far it is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanAnswer {
    scan_id: ScanId,
    /// State of the scan.
    status: ScanStatus,
    /// Calls that have ended; `null` when the scan is complete or bought.
    done: Option<usize>,
    /// Calls planned; `null` when the scan is complete or bought.
    calls: Option<usize>,
    /// The result in short; `null` until the scan is complete.
    result: Option<ScanSummary>,
    /// Where the whole result is, such as `ibid://scan/…`.
    resource: String,
}

/// State of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScanStatus {
    /// Models are being asked.
    Working,
    /// There is a result.
    Complete,
    /// There is none.
    Failed,
    /// The caller stopped it.
    Cancelled,
}

/// Scans, newest first.
#[derive(Debug, Serialize)]
pub(super) struct ScanList {
    /// The scans.
    scans: Vec<ListedScan>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedScan {
    scan_id: ScanId,
    /// State of the scan.
    status: ScanStatus,
    /// The website.
    domain: Domain,
    /// The keyword.
    keyword: Keyword,
    /// The place as the caller wrote it.
    location: Option<String>,
    /// When it was started.
    started_at: String,
    /// The overall score, once there is one.
    overall_score: Option<Score>,
}

impl From<RunState> for ScanStatus {
    fn from(state: RunState) -> Self {
        match state {
            RunState::Queued | RunState::Running => Self::Working,
            RunState::Complete | RunState::Partial => Self::Complete,
            RunState::Failed => Self::Failed,
            RunState::Cancelled => Self::Cancelled,
        }
    }
}

impl ScanAnswer {
    /// A finished scan.
    pub(crate) fn complete(id: ScanId, result: &ScanResult) -> Self {
        Self {
            scan_id: id,
            status: ScanStatus::Complete,
            done: None,
            calls: None,
            result: Some(result.into()),
            resource: scan_address(id),
        }
    }

    /// A bought scan that is still running. How far it is only its buyer's call knows.
    pub(crate) fn bought(id: ScanId) -> Self {
        Self {
            scan_id: id,
            status: ScanStatus::Working,
            done: None,
            calls: None,
            result: None,
            resource: scan_address(id),
        }
    }

    /// A scan without a result.
    pub(crate) fn unfinished(scan: &RecentScan) -> Self {
        Self {
            scan_id: scan.id,
            status: (scan.state).into(),
            done: Some(scan.done),
            calls: Some(scan.calls),
            result: None,
            resource: scan_address(scan.id),
        }
    }
}

pub(super) async fn get(
    service: &Service,
    caller: &McpCaller,
    arguments: Arguments,
) -> Result<CallToolResult, ToolProblem> {
    let name: ScanName = read_arguments(arguments)?;
    read(service, caller, parse(&name.scan_id)?).await
}

/// Reads a scan: its stored result, else how far it is.
///
/// # Errors
/// It is unknown to this caller, or failed.
pub(crate) async fn read(
    service: &Service,
    caller: &McpCaller,
    id: ScanId,
) -> Result<CallToolResult, ToolProblem> {
    let missing = match service.scans.result(id, &caller.reader()).await {
        Ok(result) => return structured(&ScanAnswer::complete(id, &result)),
        Err(error @ Error::NotFound) => error,
        Err(error) => return Err(error.into()),
    };
    let recent = match caller.holder() {
        Some(holder) => service.scans.recent_scan(holder, id).await?,
        None => None,
    };
    match recent {
        None => Err(missing.into()),
        Some(RecentScan {
            failure: Some((code, message)),
            ..
        }) => Err(ToolProblem::saying(code, message).with("scanId", id.to_string())),
        Some(scan) => structured(&ScanAnswer::unfinished(&scan)),
    }
}

/// Stops a scan that is under way. It ends within moments; the answer shows how far it is.
pub(super) async fn cancel(
    service: &Service,
    caller: &McpCaller,
    arguments: Arguments,
) -> Result<CallToolResult, ToolProblem> {
    let holder = caller.holder().ok_or_else(no_key)?;
    let name: ScanName = read_arguments(arguments)?;
    let id = parse(&name.scan_id)?;
    match service.scans.stop_scan(holder, id).await? {
        true => read(service, caller, id).await,
        false => Err(Error::NotFound.into()),
    }
}

pub(super) async fn compare(
    service: &Service,
    caller: &McpCaller,
    arguments: Arguments,
) -> Result<CallToolResult, ToolProblem> {
    let pair: ScanPair = read_arguments(arguments)?;
    let (first, second) = (parse(&pair.first)?, parse(&pair.second)?);
    let comparison = service
        .scans
        .compare_kept(first, second, &caller.reader())
        .await?;
    structured(&comparison)
}

pub(super) async fn history(
    service: &Service,
    caller: &McpCaller,
    arguments: Arguments,
) -> Result<CallToolResult, ToolProblem> {
    let series: ScanSeries = read_arguments(arguments)?;
    if !(2..=200).contains(&series.scan_ids.len()) {
        return Err(ToolProblem::arguments("scanIds takes 2 to 200 ids"));
    }
    let ids = series
        .scan_ids
        .iter()
        .map(|id| parse(id))
        .collect::<Result<Vec<_>, _>>()?;
    structured(&service.scans.series_history(ids, &caller.reader()).await?)
}

pub(super) async fn list(
    service: &Service,
    caller: &McpCaller,
    arguments: Arguments,
) -> Result<CallToolResult, ToolProblem> {
    let options: ListOptions = read_arguments(arguments)?;
    if !(1..=100).contains(&options.limit) {
        return Err(ToolProblem::arguments("limit takes 1 to 100"));
    }
    let holder = caller.holder().ok_or_else(no_key)?;
    let scans = service.scans.recent_scans(holder).await?;
    let scans = scans.into_iter().take(options.limit).map(|scan| ListedScan {
        scan_id: scan.id,
        status: (scan.state).into(),
        domain: scan.domain,
        keyword: scan.keyword,
        location: scan.location,
        started_at: ibid_model::time::text(scan.started_at),
        overall_score: scan.score,
    });
    structured(&ScanList {
        scans: scans.collect(),
    })
}

/// Refuses a call that needs a service key.
pub(crate) fn no_key() -> ToolProblem {
    ToolProblem::saying(
        ProblemCode::Unauthorized,
        "This tool needs a service key, and is not sold here without one. Configure the header \"Authorization: Bearer <key>\" \
         for this server.",
    )
}

/// Parses the id of a scan. A malformed id is answered like an unknown one.
fn parse(id: &str) -> Result<ScanId, ToolProblem> {
    id.parse().map_err(|_| Error::NotFound.into())
}
