//! `POST /api/v1/scan`, `GET /api/v1/scan/:id`, its evidence, its new scores, a comparison of two scans, and the history of many.

use crate::conditional::immutable_json;
use crate::extract::{ApiCaller, Asked, AuthenticatedThen, Byok, IdempotencyKey, JsonObject, OrderObject};
use crate::problem::{ApiError, both};
use crate::rate_limit;
use crate::respond::{Answer, handle, json};
use actix_web::{HttpRequest, HttpResponse, ResponseError as _, web};
use ibid_model::contract::routes::{
    COMPARE_SCANS, CREATE_SCAN, READ_ANSWERS, READ_HISTORY, READ_RESCORED, READ_SCAN,
};
use ibid_model::{FaultCode, ObjectReader, ScanForm, ScanId, Skill};
use ibid_service::{Billing, Error, Finished, Job, Plan, Reader, RequestHash, Service, Started};

/// Mounts the routes.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&CREATE_SCAN, create))
        .service(handle(&READ_SCAN, read))
        .service(handle(&READ_ANSWERS, answers))
        .service(handle(&READ_RESCORED, rescored))
        .service(handle(&COMPARE_SCANS, compare))
        .service(handle(&READ_HISTORY, history));
}

/// Runs a scan and answers with the result. When the client hangs up, this future is dropped, which cancels the run
/// unless it has an idempotency key.
async fn create(
    AuthenticatedThen(caller, OrderObject(mut body)): AuthenticatedThen<ApiCaller, OrderObject>,
    byok: Byok,
    once: IdempotencyKey,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let key = byok.or_body(&mut body);
    let plan = service
        .questions
        .plan(caller.id(), &mut body, ScanForm::Byok, true)
        .await;
    let (plan, key) = both(plan, key)?;
    let cost = Cost::of(&plan);
    let billing = Billing::Byok {
        caller: caller.id().clone(),
        key,
    };
    let job = Job::scan(plan);
    let performed = match once.of(caller.id(), || RequestHash::of(Skill::Scan, &body)) {
        Some(request) => service.scans.perform_once(&request, job, billing).await,
        None => service.scans.perform(job, billing).await.map(Started::New),
    };
    let limits = service.scans.limit_status(caller.id());
    let finished = match performed {
        Ok(Started::New(run)) => {
            let id = run.id();
            run.finish().await.map_err(|error| ApiError::Run(id, error))?
        }
        Ok(Started::Replayed(id)) => service.scans.finished(id, &Reader::V1).await?,
        Err(error @ Error::TooMany { .. }) => {
            let mut response = ApiError::from(error).error_response();
            rate_limit::report(response.headers_mut(), limits);
            return Ok(response);
        }
        Err(error) => return Err(error.into()),
    };
    let document = finished.reply(&[("cost", &cost.sentence(&finished))]);
    let mut response = HttpResponse::Ok().content_type(json()).body(document);
    rate_limit::report(response.headers_mut(), limits);
    Ok(response)
}

/// Returns the document of a scan, byte for byte as the POST released it.
async fn read(Asked(_caller, id, service): Asked<ApiCaller>, request: HttpRequest) -> Answer {
    let id = parse(&id)?;
    let stored = service.scans.stored(id, &Reader::V1).await?;
    let mut response = HttpResponse::Ok();
    if stored.is_outdated() {
        // The released document never changes, so a header points to the new scores.
        let link = format!("</api/v1/scan/{id}/rescored>; rel=\"latest-version\"");
        response
            .insert_header(("Link", link))
            .insert_header(("X-Method-Outdated", stored.method.as_str()));
    }
    Ok(immutable_json(
        &request,
        response,
        &id.to_string(),
        stored.document,
    ))
}

/// Returns the scan scored with the current method. The document contains the old numbers too.
async fn rescored(Asked(_caller, id, service): Asked<ApiCaller>) -> Answer {
    let id = parse(&id)?;
    let document = service.scans.rescored(id, &Reader::V1).await?.document(id)?;
    Ok(HttpResponse::Ok().content_type(json()).body(document))
}

/// Returns the evidence of a scan: every question, answer and reading.
async fn answers(Asked(_caller, id, service): Asked<ApiCaller>, request: HttpRequest) -> Answer {
    let id = parse(&id)?;
    let evidence = service.scans.answers(id, &Reader::V1).await?;
    Ok(immutable_json(
        &request,
        HttpResponse::Ok(),
        &format!("{id}-answers"),
        evidence,
    ))
}

/// Compares the second scan of the path with the first.
async fn compare(Asked(_caller, ids, service): Asked<ApiCaller, (String, String)>) -> Answer {
    let (first, second) = (parse(&ids.0)?, parse(&ids.1)?);
    let comparison = service.scans.compare_kept(first, second, &Reader::V1).await?;
    Ok(HttpResponse::Ok().json(comparison))
}

/// Most scans in a history, for example four years of weeks: the walk over them takes milliseconds.
const MOST_RUNS: usize = 200;

/// Answers with the history of the named scans.
async fn history(
    AuthenticatedThen(_, JsonObject(body)): AuthenticatedThen<ApiCaller, JsonObject>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let mut fields = ObjectReader::new(&body);
    let list = fields.list("scanIds", MOST_RUNS);
    match list {
        None if fields.get("scanIds").is_none() => {
            fields.fault("/scanIds", FaultCode::Required, "scanIds is required");
        }
        Some([] | [_]) => {
            let message = "scanIds must hold at least two ids of scans";
            fields.fault("/scanIds", FaultCode::OutOfRange, message);
        }
        None | Some(_) => {}
    }
    let list = fields.finish(list).map_err(Error::Invalid)?;
    let ids = list.iter().map(|id| parse(id.as_str().unwrap_or_default()));
    let ids = ids.collect::<Result<Vec<_>, _>>()?;
    Ok(HttpResponse::Ok().json(service.scans.series_history(ids, &Reader::V1).await?))
}

/// Parses the id of a scan. A malformed id is answered like an unknown one.
fn parse(id: &str) -> Result<ScanId, ApiError> {
    id.parse().map_err(|_| Error::NotFound.into())
}

/// What a scan will cost its caller.
struct Cost {
    estimate: ibid_model::UsdMicros,
    questions: usize,
}

impl Cost {
    fn of(plan: &Plan) -> Self {
        Self {
            estimate: plan.estimate(),
            questions: plan.expected_calls(),
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
