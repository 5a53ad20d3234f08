//! `/workspace/audits`: audits of pages, their reports, and the reports as JSON.
//!
//! Sending the form waits for the audit, which takes seconds, and redirects to the report.

use super::signed_in::SignedIn;
use super::stored::{parse_id, result_of};
use crate::extract::{Asked, AuthenticatedThen, Form, Query, SameOrigin};
use crate::problem::ApiError;
use crate::redirect::see_other;
use crate::respond::{Answer, attachment};
use actix_web::http::StatusCode;
use actix_web::http::header::RETRY_AFTER;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, ResponseError as _, web};
use ibid_model::contract::field::BOTS;
use ibid_model::result::{AuditComparison, AuditReport};
use ibid_model::{FaultCode, Faults, ScanId};
use ibid_service::{AuditKind, AuditRecord, Billing, Error, Job, Service, SiteLimits};
use ibid_web::pages::{self, AuditForm, AuditPage, AuditRow, EarlierAudit, SiteBounds};
use ibid_web::time;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// `GET /workspace/audits`.
pub(crate) async fn form(signed_in: SignedIn, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let recent = recent(&signed_in, &service).await?;
    let form = AuditForm {
        site: bounds(),
        recent: &recent,
        ..AuditForm::default()
    };
    show(&signed_in, &form, StatusCode::OK)
}

/// Number of earlier audits that the form lists.
const RECENT: u32 = 10;

async fn recent(signed_in: &SignedIn, service: &Service) -> Result<Vec<AuditRow>, ApiError> {
    let audits = service
        .scans
        .workspace_audits(signed_in.member.account, RECENT)
        .await?;
    Ok(audits.into_iter().map(row).collect())
}

fn row(audit: AuditRecord) -> AuditRow {
    AuditRow {
        id: audit.id,
        address: audit.address,
        score: audit.score,
        at: time(audit.created_at),
        is_site: audit.kind == AuditKind::Site,
    }
}

fn bounds() -> SiteBounds {
    let limits = SiteLimits::of_pages(SiteLimits::MOST_PAGES);
    SiteBounds {
        default_pages: SiteLimits::DEFAULT_PAGES,
        most_pages: limits.pages,
        requests: limits.requests,
        mebibytes: limits.bytes >> 20,
        minutes: limits.time.as_secs() / 60,
    }
}

/// `POST /workspace/audits`: fields `url` and `bots`; with `site` a sample of `pages` pages is audited.
pub(crate) async fn start(
    _own: SameOrigin,
    AuthenticatedThen(signed_in, Form(pairs)): AuthenticatedThen<SignedIn, Form>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let url = pairs.text("url").trim();
    let bots = !pairs.text("bots").is_empty();
    let started = if pairs.text("site").is_empty() {
        let audited = audited(&signed_in, &service, url, bots).await;
        audited.map(|id| format!("/workspace/audits/{id}"))
    } else {
        let pages = pairs
            .text("pages")
            .trim()
            .parse()
            .unwrap_or(SiteLimits::DEFAULT_PAGES);
        let started = service
            .scans
            .start_site_audit(signed_in.member.account, &body(url), pages);
        started.map(|id| format!("/workspace/site-audits/{id}"))
    };
    let error = match started {
        Ok(path) => return Ok(see_other(&path)),
        Err(error) => error,
    };
    let (sentence, wait) = match &error {
        Error::Invalid(faults) => {
            let sentences: Vec<_> = faults.iter().map(pages::fault_sentence).collect();
            (sentences.join(" "), None)
        }
        Error::Page(error) => {
            let fault = Faults::one("", FaultCode::Invalid, error.to_string());
            (fault.iter().map(pages::fault_sentence).collect(), None)
        }
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
        site: bounds(),
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
    let mut body = body(url);
    if bots {
        body.insert(BOTS.name.to_owned(), json!(true));
    }
    let job = Job::Audit(service.planner.page(&body, None)?);
    let run = service
        .scans
        .perform(job, Billing::Credit(signed_in.member.account))
        .await?;
    Ok(run.finish().await?.id)
}

fn body(url: &str) -> Map<String, Value> {
    let mut body = Map::new();
    if !url.is_empty() {
        // Readers often leave the scheme out.
        let address = if url.contains("://") {
            url.to_owned()
        } else {
            format!("https://{url}")
        };
        body.insert("url".to_owned(), json!(address));
    }
    body
}

fn show(signed_in: &SignedIn, form: &AuditForm<'_>, status: StatusCode) -> Result<HttpResponse, ApiError> {
    signed_in
        .browser
        .show(status, |frame| pages::audit_form(frame, form))
}

/// `GET /workspace/audits/{id}`: the report, compared with the audit `against` or with the one before.
pub(crate) async fn report(Asked(signed_in, id, service): Asked<SignedIn>, query: Query) -> Answer {
    let id = parse_id(&id)?;
    let report = find(&signed_in, &service, id).await?;
    let address = report.url.as_deref().unwrap_or_default();
    let account = signed_in.member.account;
    let history = service
        .scans
        .page_history(account, address, super::stored::A_PAGE)
        .await?;
    let against = match query.0.text("against") {
        "" => {
            let own = history.iter().position(|audit| audit.id == id);
            own.and_then(|own| history.get(own + 1)).map(|audit| audit.id)
        }
        text => Some(parse_id(text)?),
    };
    let comparison = match against {
        Some(other) => {
            let before = find(&signed_in, &service, other).await?;
            Some((other, AuditComparison::of(&before, &report)))
        }
        None => None,
    };
    let history: Vec<AuditRow> = history.into_iter().map(row).collect();
    let page = AuditPage {
        id,
        report: &report,
        history: &history,
        earlier: comparison
            .as_ref()
            .map(|(id, comparison)| EarlierAudit { id: *id, comparison }),
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::audit(frame, &page))
}

/// `GET /workspace/audits/{id}/audit.json`: the report and its drafts.
pub(crate) async fn download(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let id = parse_id(&id)?;
    // A scan's id is not found on this path.
    find(&signed_in, &service, id).await?;
    let document = service.scans.scan(id, &signed_in.reader()).await?;
    Ok(file(id, "audit", document))
}

/// A JSON document to download.
pub(super) fn file(id: ScanId, name: &str, document: Bytes) -> HttpResponse {
    let short: String = id.to_string().chars().take(8).collect();
    attachment("application/json", &format!("{name}-{short}.json")).body(document)
}

/// Finds an audit of this account. A scan's id is not found.
async fn find(signed_in: &SignedIn, service: &Service, id: ScanId) -> Result<AuditReport, ApiError> {
    let document = service.scans.scan(id, &signed_in.reader()).await?;
    result_of(&document, "auditId")
}
