//! `POST /api/v1/scan`, `GET /api/v1/scan/:id`, its evidence, its new scores, and the comparison of two scans.

use crate::extract::{ApiCaller, Byok, JsonObject, Then};
use crate::problem::{ApiError, faults_of};
use crate::rate_limit;
use crate::respond::{handle, json};
use actix_web::{HttpResponse, ResponseError as _, web};
use ibid_model::contract::routes::{COMPARE_SCANS, CREATE_SCAN, READ_ANSWERS, READ_RESCORED, READ_SCAN};
use ibid_model::{ScanDraft, ScanForm, ScanId};
use ibid_service::{Billing, Error, Finished, Job, Reader, Run, Service};

/// Mounts the routes.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&CREATE_SCAN, create))
        .service(handle(&READ_SCAN, read))
        .service(handle(&READ_ANSWERS, answers))
        .service(handle(&READ_RESCORED, rescored))
        .service(handle(&COMPARE_SCANS, compare));
}

/// Runs a scan and answers with the result. When the client hangs up, this future is dropped, which cancels the run.
async fn create(
    Then(caller, JsonObject(mut body)): Then<ApiCaller, JsonObject>,
    byok: Byok,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let key = byok.or_body(&mut body);
    let plan = service.plan(ScanDraft(&body), ScanForm::Byok).await;
    let (plan, key) = match (plan, key) {
        (Ok(plan), Ok(key)) => (plan, key),
        (Err(error), Err(more)) => {
            let mut faults = faults_of(error)?;
            faults.append(more);
            return Err(Error::Invalid(faults).into());
        }
        (Err(error), Ok(_)) => return Err(error.into()),
        (Ok(_), Err(faults)) => return Err(Error::Invalid(faults).into()),
    };
    let billing = Billing::Byok {
        caller: caller.id().clone(),
        key,
    };
    let run = match service.perform(Job::Scan(Box::new(plan)), billing).await {
        Ok(run) => run,
        Err(error @ Error::TooMany { .. }) => {
            let mut response = ApiError::from(error).error_response();
            rate_limit::report(response.headers_mut(), service.limit_status(caller.id()));
            return Ok(response);
        }
        Err(error) => return Err(error.into()),
    };
    let limits = service.limit_status(caller.id());
    let cost = Cost::of(&run);
    let finished = run.finish().await?;
    let document = finished.document.with_member("cost", &cost.sentence(&finished));
    let mut response = HttpResponse::Ok().content_type(json()).body(document);
    rate_limit::report(response.headers_mut(), limits);
    Ok(response)
}

/// Returns the document of a scan, byte for byte as the POST released it.
async fn read(
    _caller: ApiCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id = parse(&id)?;
    let stored = service.stored(id, &Reader::V1).await?;
    let mut response = HttpResponse::Ok();
    if stored.is_outdated() {
        // The released document never changes, so a header points to the new scores.
        let link = format!("</api/v1/scan/{id}/rescored>; rel=\"latest-version\"");
        response
            .insert_header(("Link", link))
            .insert_header(("X-Method-Outdated", stored.method.as_str()));
    }
    Ok(response.content_type(json()).body(stored.document))
}

/// Returns the scan scored with the current method. The document contains the old numbers too.
async fn rescored(
    _caller: ApiCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id = parse(&id)?;
    let document = service.rescored(id, &Reader::V1).await?.document(id)?;
    Ok(HttpResponse::Ok().content_type(json()).body(document))
}

/// Returns the evidence of a scan: every question, answer and reading.
async fn answers(
    _caller: ApiCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let evidence = service.answers(parse(&id)?, &Reader::V1).await?;
    Ok(HttpResponse::Ok().content_type(json()).body(evidence))
}

/// Compares the second scan of the path with the first.
async fn compare(
    _caller: ApiCaller,
    ids: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (first, second) = (parse(&ids.0)?, parse(&ids.1)?);
    let comparison = service.compare_kept(first, second, &Reader::V1).await?;
    Ok(HttpResponse::Ok().json(comparison))
}

/// Parses the id of a scan. A malformed id is answered like an unknown one.
fn parse(id: &str) -> Result<ScanId, ApiError> {
    id.parse().map_err(|_| Error::NotFound.into())
}

/// The expected cost of a scan for its caller.
struct Cost {
    estimate: ibid_model::UsdMicros,
    questions: usize,
}

impl Cost {
    fn of(run: &Run) -> Self {
        Self {
            estimate: run.estimate(),
            questions: run.questions(),
        }
    }

    /// Returns the sentence of the reply, with the amount that the provider billed where it is known.
    fn sentence(&self, finished: &Finished) -> String {
        let billed = finished.output.scan().and_then(|result| result.usage.cost_usd);
        let amount = billed.unwrap_or(self.estimate);
        let questions = match self.questions {
            1 => "1 question".to_owned(),
            questions => format!("{questions} questions"),
        };
        let invented = finished.output.scan().is_some_and(|result| result.sandbox);
        if invented {
            return format!(
                "This scan costs the service nothing: the provider bills the caller directly. The sandbox asks no provider; \
                 {questions} would cost about {amount}."
            );
        }
        format!(
            "This scan costs the service nothing: the provider bills the caller directly, about {amount} for {questions}."
        )
    }
}
