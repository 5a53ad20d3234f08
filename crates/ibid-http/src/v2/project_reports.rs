//! Frozen reports of a project.

use super::projects::scope;
use crate::extract::{Asked, JsonObject, ProjectCaller, Sent};
use crate::problem::ApiError;
use crate::respond::{Answer, SamePath, attachment, handle, private};
use actix_web::http::StatusCode;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use ibid_model::contract::routes::{
    DELETE_REPORT, LINK_REPORT, LIST_REPORTS, MAKE_REPORT, READ_REPORT, READ_REPORT_PDF, UNLINK_REPORT,
};
use ibid_model::{FaultCode, Faults};
use ibid_service::{Error, ProjectScope, ReportDraft, ReportView, Right, Service, ShareTerms};
use secrecy::SecretString;
use serde_json::{Map, Value, json};

/// Most bytes: all notes in any script and a logo of 100 KiB in Base64.
const MOST: usize = 512 << 10;

/// Mounts the routes.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    app.service(
        SamePath::of(&LIST_REPORTS, list)
            .and(&MAKE_REPORT, make)
            .resource(),
    )
    .service(
        SamePath::of(&READ_REPORT, read)
            .and(&DELETE_REPORT, delete)
            .resource(),
    )
    .service(handle(&READ_REPORT_PDF, pdf))
    .service(
        SamePath::of(&LINK_REPORT, link)
            .and(&UNLINK_REPORT, unlink)
            .resource(),
    );
}

async fn list(Asked(caller, id, service): Asked<ProjectCaller>) -> Answer {
    let scope = scope(&service, &caller, &id, Right::ReadProject).await?;
    report_list(&service, &scope).await
}

async fn make(
    Sent(caller, JsonObject(body), id, service): Sent<ProjectCaller, JsonObject<MOST>, String>,
) -> Answer {
    let scope = scope(&service, &caller, &id, Right::EditProject).await?;
    let draft = ReportDraft::read(&body).map_err(Error::Invalid)?;
    let made = service.projects.make_report(&scope, draft).await?;
    Ok(private(StatusCode::CREATED, &made.document()))
}

async fn read(Asked(caller, path, service): Asked<ProjectCaller, (String, String)>) -> Answer {
    let scope = scope(&service, &caller, &path.0, Right::ReadProject).await?;
    let report = service.projects.report(&scope, &path.1).await?;
    Ok(HttpResponse::Ok()
        .content_type("application/json")
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .body(report.file))
}

async fn pdf(Asked(caller, path, service): Asked<ProjectCaller, (String, String)>) -> Answer {
    let scope = scope(&service, &caller, &path.0, Right::ReadProject).await?;
    let report = service.projects.report(&scope, &path.1).await?;
    let pdf = service.projects.report_pdf(report, None).await?;
    Ok(attachment("application/pdf", "ibid-report.pdf").body(pdf))
}

async fn delete(Asked(caller, path, service): Asked<ProjectCaller, (String, String)>) -> Answer {
    let scope = scope(&service, &caller, &path.0, Right::EditProject).await?;
    service.projects.delete_report(&scope, &path.1).await?;
    report_list(&service, &scope).await
}

async fn link(
    Sent(caller, JsonObject(body), path, service): Sent<ProjectCaller, JsonObject, (String, String)>,
) -> Answer {
    let scope = scope(&service, &caller, &path.0, Right::EditProject).await?;
    let terms = terms(&body).map_err(Error::Invalid)?;
    let linked = service.projects.link_report(&scope, &path.1, terms).await?;
    Ok(private(StatusCode::OK, &linked.document()))
}

async fn unlink(Asked(caller, path, service): Asked<ProjectCaller, (String, String)>) -> Answer {
    let scope = scope(&service, &caller, &path.0, Right::EditProject).await?;
    let unlinked = service.projects.unlink_report(&scope, &path.1).await?;
    Ok(private(StatusCode::OK, &unlinked.document()))
}

async fn report_list(service: &Service, scope: &ProjectScope) -> Result<HttpResponse, ApiError> {
    let reports = service.projects.reports(scope).await?;
    let reports: Vec<Value> = reports.iter().map(ReportView::document).collect();
    Ok(private(StatusCode::OK, &json!({"reports": reports})))
}

fn terms(body: &Map<String, Value>) -> Result<ShareTerms, Faults> {
    let days = match body.get("days") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let days = value.as_u64().and_then(|days| u32::try_from(days).ok());
            let fault = || {
                Faults::one(
                    "/days",
                    FaultCode::WrongType,
                    "days must be a whole number or null",
                )
            };
            Some(days.ok_or_else(fault)?)
        }
    };
    let password = match body.get("password") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(_) => {
            let message = "password must be a text or null";
            return Err(Faults::one("/password", FaultCode::WrongType, message));
        }
    };
    Ok(ShareTerms {
        days,
        password: SecretString::from(password),
    })
}
