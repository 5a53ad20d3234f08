//! Documents that clients read by address: whole results, their evidence, and the method.

use crate::caller::McpCaller;
use ibid_model::{RunState, ScanId};
use ibid_service::{Error, ProjectReader, ProjectView, Right, Service};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::{Map, Value, json};

const METHOD: &str = "ibid://method";
const METHOD_TEXT: &str = include_str!("method.md");
const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";
const SCANS: &str = "ibid://scan/";
/// Address of the project list; the documents of a project are below it.
const PROJECTS: &str = "ibid://projects";
const PROJECT: &str = "ibid://project/";
/// Bytes of answers on a page, about 8,000 tokens. A page has at least one answer, however long.
const PAGE: usize = 32 << 10;

/// Returns where the whole result of a scan is, for example `ibid://scan/123e4567-e89b-42d3-a456-426614174000`.
pub(crate) fn scan_address(id: ScanId) -> String {
    format!("{SCANS}{id}")
}

/// The method, and the projects or the last scans of the caller.
///
/// # Errors
/// The store failed.
pub(crate) async fn list(service: &Service, caller: &McpCaller) -> Result<ListResourcesResult, ErrorData> {
    let method = Resource::new(METHOD, "method")
        .with_title("How ibid measures")
        .with_mime_type(MARKDOWN);
    let scans = match caller.holder() {
        Some(id) => service.scans.recent_scans(id).await,
        None => Ok(Vec::new()),
    };
    let scans = scans.map_err(|error| failed(&error))?;
    let scans = scans.into_iter().filter(|scan| scan.state == RunState::Complete);
    let scans = scans.map(|scan| {
        Resource::new(scan_address(scan.id), scan.id.to_string())
            .with_title(format!("{} for {}", scan.domain, scan.keyword.as_str()))
            .with_mime_type(JSON)
    });
    let projects = match caller.projects() {
        Some(reader) => projects(service, reader).await?,
        None => Vec::new(),
    };
    let all = std::iter::once(method).chain(projects).chain(scans);
    Ok(ListResourcesResult::with_all_items(all.collect()))
}

/// Lists all projects, then each of them.
async fn projects(service: &Service, reader: ProjectReader) -> Result<Vec<Resource>, ErrorData> {
    let views = service
        .projects
        .all(reader)
        .await
        .map_err(|error| failed(&error))?;
    let all = Resource::new(PROJECTS, "projects")
        .with_title("Projects: first those that want attention")
        .with_mime_type(JSON);
    let one = views.iter().map(|view| {
        let record = &view.record;
        Resource::new(format!("{PROJECT}{}", record.id), record.id.to_string())
            .with_title(format!("{}: {}", record.name, record.domain))
            .with_mime_type(JSON)
    });
    Ok(std::iter::once(all).chain(one).collect())
}

/// Reads the project list, or a document of one project; `None` for an address that has none.
async fn of_projects(
    service: &Service,
    reader: ProjectReader,
    address: &str,
) -> Result<Option<Value>, Error> {
    let projects = &service.projects;
    if address == PROJECTS {
        let views = projects.all(reader).await?;
        let all: Vec<Value> = views.iter().map(ProjectView::document).collect();
        return Ok(Some(json!({"projects": all})));
    }
    let Some(path) = address.strip_prefix(PROJECT) else {
        return Ok(None);
    };
    let (id, part) = path.split_once('/').unwrap_or((path, ""));
    let scope = projects.scope(reader, id, Right::ReadProject).await?;
    Ok(Some(match part {
        "" => projects.get(&scope).await?.document(),
        "history" => projects.history(&scope).await?.document(),
        "rivals" => projects.rivals_over_time(&scope).await?.document(),
        "moves" => json!(projects.moves(&scope).await?),
        "sources" => projects.sources(&scope).await?.document(),
        _ => return Ok(None),
    }))
}

/// Logs a failure of the store.
pub(crate) fn failed(error: &dyn std::error::Error) -> ErrorData {
    let source = error.source().map(ToString::to_string);
    tracing::error!(%error, source, "mcp.call.failed");
    ErrorData::internal_error("the document could not be read", None)
}

pub(crate) fn templates() -> ListResourceTemplatesResult {
    let templates = [
        ("ibid://scan/{id}", "scan", "The whole result of a scan"),
        (
            "ibid://scan/{id}/answers{?page}",
            "answers",
            "The evidence of a scan in pages: every question, answer and reading",
        ),
        (
            "ibid://project/{id}",
            "project",
            "A project: score, verdict, spend",
        ),
        (
            "ibid://project/{id}/history",
            "history",
            "Level, changes and runs of a project",
        ),
        (
            "ibid://project/{id}/rivals",
            "rivals",
            "The competitors of a project over its runs",
        ),
        ("ibid://project/{id}/moves", "moves", "What a project can do"),
        (
            "ibid://project/{id}/sources",
            "sources",
            "The sites and pages that its answers cite",
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
/// The address has no document that the caller may see, or the store failed.
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
    if let Some(reader) = caller.projects() {
        return match of_projects(service, reader, address).await {
            Ok(Some(document)) => Ok(contents(document.to_string(), address, JSON)),
            Ok(None) | Err(Error::ProjectNotFound) => Err(unknown()),
            Err(error) => Err(failed(&error)),
        };
    }
    let path = address.strip_prefix(SCANS).ok_or_else(unknown)?;
    let (path, page) = match path.split_once("?page=") {
        Some((path, page)) => (path, Some(page)),
        None => (path, None),
    };
    let (id, page) = match (path.strip_suffix("/answers"), page) {
        (Some(id), None) => (id, Some(1)),
        (Some(id), Some(page)) => (id, Some(page.parse().map_err(|_| unknown())?)),
        (None, None) => (path, None),
        (None, Some(_)) => return Err(unknown()),
    };
    let id: ScanId = id.parse().map_err(|_| unknown())?;
    let found = match page {
        Some(_) => service.scans.answers(id, &caller.reader()).await,
        None => service.scans.scan(id, &caller.reader()).await,
    };
    let document = found.map_err(|error| match error {
        Error::NotFound => unknown(),
        error => failed(&error),
    })?;
    let text = match page {
        Some(page) => {
            let evidence = serde_json::from_slice(&document).map_err(|error| failed(&error))?;
            page_of(evidence, id, page).ok_or_else(unknown)?.to_string()
        }
        None => String::from_utf8_lossy(&document).into_owned(),
    };
    Ok(contents(text, address, JSON))
}

/// Returns a page of the evidence, counted from 1: the REST API's document with these answers alone.
/// `None` past the last page.
fn page_of(mut evidence: Map<String, Value>, id: ScanId, page: usize) -> Option<Value> {
    let answers = match evidence.remove("answers") {
        Some(Value::Array(answers)) => answers,
        Some(_) | None => Vec::new(),
    };
    let mut pages = vec![Vec::new()];
    let mut free = PAGE;
    for answer in answers {
        let length = answer.to_string().len();
        match pages.last_mut() {
            Some(last) if last.is_empty() || length <= free => last.push(answer),
            Some(_) | None => {
                free = PAGE;
                pages.push(vec![answer]);
            }
        }
        free = free.saturating_sub(length);
    }
    let count = pages.len();
    let answers = pages.into_iter().nth(page.checked_sub(1)?)?;
    let next = (page < count).then(|| format!("{}/answers?page={}", scan_address(id), page + 1));
    evidence.insert("page".to_owned(), json!(page));
    evidence.insert("pages".to_owned(), json!(count));
    evidence.insert("next".to_owned(), json!(next));
    evidence.insert("answers".to_owned(), json!(answers));
    Some(Value::Object(evidence))
}

fn contents(text: String, address: &str, kind: &str) -> ReadResourceResponse {
    let contents = ResourceContents::text(text, address).with_mime_type(kind);
    ReadResourceResult::new(vec![contents]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_every_answer_once_and_name_the_next() {
        let (id, long) = (ScanId::random(), "x".repeat(PAGE / 2 - 100));
        let answers = [&long, &long, "short", &"y".repeat(2 * PAGE), "last"];
        let evidence = json!({"domain": "example.com", "answers": answers});
        let evidence = evidence.as_object().unwrap();
        let pages: Vec<_> = (1..)
            .map_while(|page| page_of(evidence.clone(), id, page))
            .collect();
        let lengths: Vec<_> = pages
            .iter()
            .map(|page| page["answers"].as_array().unwrap().len())
            .collect();
        assert_eq!(lengths, [3, 1, 1]);
        let all = pages.iter().flat_map(|page| page["answers"].as_array().unwrap());
        assert!(all.eq(&answers));
        assert_eq!(pages[0]["next"], format!("ibid://scan/{id}/answers?page=2"));
        assert_eq!((&pages[2]["next"], &pages[2]["pages"]), (&Value::Null, &json!(3)));
        assert!(pages.iter().all(|page| page["domain"] == "example.com"));
        assert_eq!(page_of(evidence.clone(), id, 0), None);
    }
}
