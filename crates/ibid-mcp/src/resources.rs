//! Documents that clients read by address: whole results, their evidence, and the method.

use crate::caller::McpCaller;
use ibid_model::ScanId;
use ibid_service::{Error, RecentState, Service};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::json;

/// The address of the method.
const METHOD: &str = "ibid://method";
const METHOD_TEXT: &str = include_str!("method.md");
const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";
const SCANS: &str = "ibid://scan/";

/// The address of the whole result of a scan.
pub(crate) fn scan_address(id: ScanId) -> String {
    format!("{SCANS}{id}")
}

/// The method, and the last scans of the caller.
pub(crate) fn list(service: &Service, caller: &McpCaller) -> ListResourcesResult {
    let method = Resource::new(METHOD, "method")
        .with_title("How ibid measures")
        .with_mime_type(MARKDOWN);
    let scans = caller
        .holder()
        .map(|id| service.recent_scans(id))
        .unwrap_or_default();
    let scans = scans
        .into_iter()
        .filter(|scan| scan.state == RecentState::Complete);
    let scans = scans.map(|scan| {
        Resource::new(scan_address(scan.id), scan.id.to_string())
            .with_title(format!("{} for {}", scan.domain, scan.keyword.as_str()))
            .with_mime_type(JSON)
    });
    ListResourcesResult::with_all_items(std::iter::once(method).chain(scans).collect())
}

/// The forms of addresses.
pub(crate) fn templates() -> ListResourceTemplatesResult {
    let templates = [
        ("ibid://scan/{id}", "scan", "The whole result of a scan"),
        (
            "ibid://scan/{id}/answers",
            "answers",
            "The evidence of a scan: every question, answer and reading",
        ),
    ];
    let templates = templates.map(|(address, name, title)| {
        ResourceTemplate::new(address, name)
            .with_title(title)
            .with_mime_type(JSON)
    });
    ListResourceTemplatesResult::with_all_items(templates.to_vec())
}

/// Reads a document.
///
/// # Errors
/// There is none at the address that the caller may see, or the store failed.
pub(crate) async fn read(
    service: &Service,
    caller: &McpCaller,
    address: &str,
) -> Result<ReadResourceResponse, ErrorData> {
    let unknown = || {
        ErrorData::resource_not_found(
            format!("there is nothing at {address}"),
            Some(json!({"uri": address})),
        )
    };
    if address == METHOD {
        return Ok(contents(METHOD_TEXT.to_owned(), address, MARKDOWN));
    }
    let path = address.strip_prefix(SCANS).ok_or_else(unknown)?;
    let (id, answers) = match path.strip_suffix("/answers") {
        Some(id) => (id, true),
        None => (path, false),
    };
    let id: ScanId = id.parse().map_err(|_| unknown())?;
    let found = match answers {
        true => service.answers(id, &caller.reader()).await,
        false => service.scan(id, &caller.reader()).await,
    };
    let document = found.map_err(|error| match error {
        Error::NotFound => unknown(),
        error => {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            tracing::error!(%error, source, "mcp.call.failed");
            ErrorData::internal_error("the document could not be read", None)
        }
    })?;
    Ok(contents(
        String::from_utf8_lossy(&document).into_owned(),
        address,
        JSON,
    ))
}

fn contents(text: String, address: &str, kind: &str) -> ReadResourceResponse {
    let contents = ResourceContents::text(text, address).with_mime_type(kind);
    ReadResourceResult::new(vec![contents]).into()
}
