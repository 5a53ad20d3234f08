//! `/workspace/audits`: audits of pages, their reports, and the reports as JSON.
//!
//! Sending the form waits for the audit, which takes seconds, and redirects to the report.

use super::signed_in::SignedIn;
use super::stored::parse_id;
use crate::extract::{Form, SameOrigin, Then};
use crate::problem::ApiError;
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpResponse, ResponseError as _, web};
use ibid_model::ScanId;
use ibid_model::contract::field::BOTS;
use ibid_model::result::AuditReport;
use ibid_service::{Billing, Error, Job, Service};
use ibid_web::pages::{self, AuditForm, AuditPage, AuditRow};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// `GET /workspace/audits`.
pub(crate) async fn form(signed_in: SignedIn, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let recent = recent(&signed_in, &service).await?;
    let form = AuditForm {
        recent: &recent,
        ..AuditForm::default()
    };
    show(&signed_in, &form, StatusCode::OK)
}

/// Number of earlier audits that the form lists.
const RECENT: u32 = 10;

/// The data of an audit in a list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    url: Option<String>,
    score: u8,
    fetched_at: Timestamp,
}

async fn recent(signed_in: &SignedIn, service: &Service) -> Result<Vec<AuditRow>, ApiError> {
    #[derive(Deserialize)]
    struct Reply {
        result: Summary,
    }
    let documents = service.workspace_audits(signed_in.member.account, RECENT).await?;
    let rows = documents.into_iter().map(|(id, document)| {
        let Reply { result } = serde_json::from_slice(&document)?;
        Ok(AuditRow {
            id,
            address: result.url.unwrap_or_default(),
            score: result.score,
            at: result.fetched_at,
        })
    });
    rows.collect::<Result<_, serde_json::Error>>()
        .map_err(|error| Error::from(error).into())
}

/// `POST /workspace/audits`: fields `url` and `bots`.
pub(crate) async fn start(
    _own: SameOrigin,
    Then(signed_in, Form(pairs)): Then<SignedIn, Form>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let url = pairs.text("url").trim();
    let bots = !pairs.text("bots").is_empty();
    let error = match audited(&signed_in, &service, url, bots).await {
        Ok(id) => return Ok(see_other(&format!("/workspace/audits/{id}"))),
        Err(error) => error,
    };
    let (sentence, wait) = match &error {
        Error::Invalid(faults) => (sentence(&faults.to_string()), None),
        Error::Page(error) => (sentence(&error.to_string()), None),
        Error::TooMany { retry_after } => {
            ("Too many audits. Try again later.".to_owned(), Some(*retry_after))
        }
        Error::AuditsDisabled | Error::WorkspaceDisabled => {
            ("Page audits are not enabled on this server.".to_owned(), None)
        }
        _ => return Err(error.into()),
    };
    let recent = recent(&signed_in, &service).await?;
    let form = AuditForm {
        url,
        bots,
        error: Some(&sentence),
        recent: &recent,
    };
    let mut page = show(&signed_in, &form, ApiError::from(error).status_code())?;
    if let Some(wait) = wait {
        let seconds = wait.as_secs() + u64::from(wait > Duration::from_secs(wait.as_secs()));
        page.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    Ok(page)
}

async fn audited(signed_in: &SignedIn, service: &Service, url: &str, bots: bool) -> Result<ScanId, Error> {
    let mut body = Map::new();
    if bots {
        body.insert(BOTS.name.to_owned(), json!(true));
    }
    if !url.is_empty() {
        // Readers often leave the scheme out.
        let address = if url.contains("://") {
            url.to_owned()
        } else {
            format!("https://{url}")
        };
        body.insert("url".to_owned(), json!(address));
    }
    let job = Job::Audit(service.page(&body, None)?);
    let run = service
        .perform(job, Billing::Credit(signed_in.member.account))
        .await?;
    Ok(run.finish().await?.id)
}

/// Turns a message of the API into a sentence of the form.
fn sentence(message: &str) -> String {
    let message = message
        .replace("url or html is required", "the address is missing")
        .replace("url ", "the address ");
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    let text = first.unwrap_or_default() + letters.as_str();
    format!("{}.", text.trim_end_matches('.'))
}

fn show(signed_in: &SignedIn, form: &AuditForm<'_>, status: StatusCode) -> Result<HttpResponse, ApiError> {
    let browser = &signed_in.browser;
    browser.page(status, pages::audit_form(&browser.frame(), form))
}

/// `GET /workspace/audits/{id}`.
pub(crate) async fn report(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id = parse_id(&id)?;
    let report = find(&signed_in, &service, id).await?;
    let page = AuditPage { id, report: &report };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::audit(&browser.frame(), &page))
}

/// `GET /workspace/audits/{id}/audit.json`: the report and its drafts.
pub(crate) async fn download(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id = parse_id(&id)?;
    // The id of a scan is not found on this path.
    find(&signed_in, &service, id).await?;
    let document = service.scan(id, &signed_in.reader()).await?;
    let short: String = id.to_string().chars().take(8).collect();
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "application/json"))
        .insert_header((
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"audit-{short}.json\""),
        ))
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(document))
}

#[derive(Deserialize)]
struct Reply {
    result: AuditReport,
}

/// Finds an audit of this account. The id of a scan is not found.
async fn find(signed_in: &SignedIn, service: &Service, id: ScanId) -> Result<AuditReport, ApiError> {
    let document = service.scan(id, &signed_in.reader()).await?;
    let members: Value = serde_json::from_slice(&document).map_err(Error::from)?;
    if members.get("auditId").is_none() {
        return Err(Error::NotFound.into());
    }
    let Reply { result } = serde_json::from_value(members).map_err(Error::from)?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn messages_become_sentences() {
        for (message, expected) in [
            ("url or html is required", "The address is missing."),
            (
                "the address is refused: it is not public",
                "The address is refused: it is not public.",
            ),
            ("", "."),
        ] {
            assert_eq!(sentence(message), expected);
        }
    }
}
