//! `/workspace/projects/{id}/reports`: the reports of a project, and `/r/{token}`: a report by its public link.

use super::super::browser::Browser;
use super::super::browser::status_of;
use super::super::link::{locked, unlisted, unlocked};
use super::super::picture::picture;
use super::super::signed_in::SignedIn;
use super::access::scope;
use crate::config::HttpConfig;
use crate::extract::{Asked, ClientAddress, Form, Pairs, Posted, SameOrigin, Upload, pass_of};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_model::Faults;
use ibid_model::result::ReportSection;
use ibid_service::{MOST_LOGO_BYTES, OpenedReport, ReportAccess, ReportDraft, Right, Service, ShareTerms};
use ibid_web::pages::{self, ReportDocumentPage, ReportsPage};
use secrecy::SecretString;
use serde_json::{Map, Value, json};

/// `GET /workspace/projects/{id}/reports`.
pub(crate) async fn list(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    listed(&signed_in, &service, &id, Faults::default()).await
}

/// `POST /workspace/projects/{id}/reports`.
pub(crate) async fn make(
    Posted(signed_in, Upload { texts, file }, id, service): Posted<SignedIn, Upload<MOST_LOGO_BYTES>, String>,
) -> Answer {
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    let draft = match ReportDraft::read(&body(&texts)) {
        Ok(draft) => draft,
        Err(faults) => return listed(&signed_in, &service, &id, faults).await,
    };
    let draft = match file {
        Some(file) => draft.with_logo(file.bytes.to_vec()),
        None => draft,
    };
    match service.projects.make_report(&scope, draft).await {
        Ok(_) => Ok(see_other(&format!("/workspace/projects/{id}/reports"))),
        Err(error) => listed(&signed_in, &service, &id, faults_of(error)?).await,
    }
}

/// `POST /workspace/projects/{id}/reports/{report}/{change}`.
pub(crate) async fn change(
    Posted(signed_in, Form(mut pairs), path, service): Posted<
        SignedIn,
        Form<4_096>,
        (String, String, String),
    >,
) -> Answer {
    let (id, report, change) = path.into_inner();
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    let projects = &service.projects;
    match change.as_str() {
        "link" => {
            let terms = ShareTerms {
                days: pairs.text("days").parse().ok(),
                password: SecretString::from(pairs.take("password")),
            };
            if let Err(error) = projects.link_report(&scope, &report, terms).await {
                return listed(&signed_in, &service, &id, faults_of(error)?).await;
            }
        }
        "unlink" => drop(projects.unlink_report(&scope, &report).await?),
        "delete" => projects.delete_report(&scope, &report).await?,
        _ => return Err(ApiError::NoSuchPath),
    }
    Ok(see_other(&format!("/workspace/projects/{id}/reports")))
}

/// `GET /workspace/projects/{id}/reports/{report}`.
pub(crate) async fn show(Asked(signed_in, path, service): Asked<SignedIn, (String, String)>) -> Answer {
    let scope = scope(&service, &signed_in, &path.0, Right::ReadProject).await?;
    let opened = service.projects.report(&scope, &path.1).await?;
    let here = format!("/workspace/projects/{}/reports/{}", path.0, path.1);
    page(&service, &signed_in.browser, &here, &opened)
}

/// `GET /workspace/projects/{id}/reports/{report}/{file}`.
pub(crate) async fn file(
    Asked(signed_in, path, service): Asked<SignedIn, (String, String, String)>,
    request: HttpRequest,
) -> Answer {
    let scope = scope(&service, &signed_in, &path.0, Right::ReadProject).await?;
    let opened = service.projects.report(&scope, &path.1).await?;
    file_of(&service, &request, &path.2, opened).await
}

/// `GET /r/{token}`.
pub(crate) async fn public(
    browser: Browser,
    token: web::Path<String>,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let here = format!("/r/{token}");
    let pass = pass_of(&request);
    match service.projects.linked_report(&token, pass.as_deref()).await? {
        ReportAccess::Open(opened) => page(&service, &browser, &here, &opened),
        ReportAccess::Locked => locked(&browser, &here),
    }
}

/// `POST /r/{token}`: the password of the link.
pub(crate) async fn unlock(
    _own: SameOrigin,
    browser: Browser,
    address: ClientAddress,
    Form(mut pairs): Form<4_096>,
    token: web::Path<String>,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
) -> Result<HttpResponse, ApiError> {
    let here = format!("/r/{token}");
    let password = SecretString::from(pairs.take("password"));
    let pass = service.projects.unlock_report(&token, password, address.0).await;
    unlocked(&browser, &config, &here, pass)
}

/// `GET /r/{token}/{file}`.
pub(crate) async fn public_file(
    path: web::Path<(String, String)>,
    request: HttpRequest,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (token, name) = path.into_inner();
    let pass = pass_of(&request);
    match service.projects.linked_report(&token, pass.as_deref()).await? {
        ReportAccess::Open(opened) => file_of(&service, &request, &name, *opened).await,
        ReportAccess::Locked => Ok(see_other(&format!("/r/{token}"))),
    }
}

async fn listed(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    faults: Faults,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let reports = service.projects.reports(&scope).await?;
    let page = ReportsPage {
        id,
        name: &view.record.name,
        reports: &reports,
        may_write: scope.may(Right::EditProject),
        faults: &faults,
    };
    let status = status_of(&faults);
    signed_in
        .browser
        .show(status, |frame| pages::project_reports(frame, &page))
}

/// Returns the API's body that a form stands for.
fn body(texts: &Pairs) -> Map<String, Value> {
    let sections = ReportSection::ALL.iter().map(|section| section.as_str());
    let sections = sections.filter(|word| texts.all("section").any(|chosen| chosen == *word));
    let sections: Vec<Value> = sections
        .map(|word| json!({"section": word, "note": texts.text(&format!("note-{word}"))}))
        .collect();
    let mut body = Map::new();
    for name in ["title", "sender", "accent"] {
        body.insert(name.to_owned(), json!(texts.text(name)));
    }
    body.insert("footer".to_owned(), json!(texts.text("footer") != "off"));
    body.insert("sections".to_owned(), json!(sections));
    body
}

fn page(
    service: &Service,
    browser: &Browser,
    path: &str,
    opened: &OpenedReport,
) -> Result<HttpResponse, ApiError> {
    let page = ReportDocumentPage {
        report: &opened.report,
        path,
        sha256: &opened.sha256(),
        has_pdf: service.projects.draws_pdf(),
    };
    Ok(unlisted(
        browser.page(StatusCode::OK, pages::project_report(&page))?,
    ))
}

async fn file_of(
    service: &Service,
    request: &HttpRequest,
    name: &str,
    opened: OpenedReport,
) -> Result<HttpResponse, ApiError> {
    let response = match name {
        "logo.png" => picture(request, opened.logo.ok_or(ApiError::NoSuchPath)?.into()),
        "accent.css" => {
            let css = pages::accent_css(&opened.report.cover.accent);
            plain("text/css; charset=utf-8").body(css)
        }
        "report.json" => plain("application/json")
            .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"ibid-report.json\""))
            .body(opened.file),
        "report.pdf" => pdf(service, request, opened).await?,
        _ => return Err(ApiError::NoSuchPath),
    };
    Ok(unlisted(response))
}

/// The report as PDF. A link that can be followed leads to its file.
async fn pdf(
    service: &Service,
    request: &HttpRequest,
    opened: OpenedReport,
) -> Result<HttpResponse, ApiError> {
    let base = Browser::of(request).anonymous().base_url.to_owned();
    let below = request.path().strip_suffix("/report.pdf").unwrap_or_default();
    let address = below
        .starts_with("/r/")
        .then(|| format!("{base}{below}/report.json"));
    let pdf = service.projects.report_pdf(opened, address).await?;
    Ok(plain("application/pdf")
        .insert_header((CONTENT_DISPOSITION, "inline; filename=\"ibid-report.pdf\""))
        .body(pdf))
}

fn plain(kind: &'static str) -> actix_web::HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response
        .insert_header((CONTENT_TYPE, kind))
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
    response
}
