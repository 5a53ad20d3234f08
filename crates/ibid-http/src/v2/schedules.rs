//! `/api/v2/schedules` and `/api/v2/alerts`: scans that are repeated, and alerts about them.

use crate::extract::{ApiCaller, Asked, AuthenticatedThen, Byok, OrderObject, Sent};
use crate::problem::{ApiError, faults_of};
use crate::respond::{Answer, SamePath, created, handle, private};
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::contract::routes::{
    ADD_SCHEDULE, DELETE_SCHEDULE, EDIT_SCHEDULE, LIST_ALERTS, LIST_SCHEDULE_ALERTS, LIST_SCHEDULES,
    PAUSE_SCHEDULE, READ_SCHEDULE, RESUME_SCHEDULE, RUN_SCHEDULE, SEE_ALERT,
};
use ibid_model::{AlertId, ScheduleId};
use ibid_service::{
    AlertRecord, Error, ScheduleOwner, ScheduleView, Service, alert_document, scheduled_run_document,
};
use serde_json::{Map, Value, json};

/// Mounts the routes.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    let all = SamePath::of(&ADD_SCHEDULE, add).and(&LIST_SCHEDULES, list);
    let one = SamePath::of(&READ_SCHEDULE, read)
        .and(&EDIT_SCHEDULE, edit)
        .and(&DELETE_SCHEDULE, delete);
    app.service(all.resource())
        .service(one.resource())
        .service(handle(&PAUSE_SCHEDULE, pause))
        .service(handle(&RESUME_SCHEDULE, resume))
        .service(handle(&RUN_SCHEDULE, run))
        .service(handle(&LIST_SCHEDULE_ALERTS, alerts))
        .service(handle(&LIST_ALERTS, all_alerts))
        .service(handle(&SEE_ALERT, see));
}

/// Makes a schedule. All faults are listed, a missing key among them.
async fn add(
    AuthenticatedThen(caller, OrderObject(mut body)): AuthenticatedThen<ApiCaller, OrderObject>,
    key: Byok,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    resolve(&service, &caller, &mut body).await?;
    let owner = owner(&caller);
    let key = match key.or_body(&mut body) {
        Ok(key) => key,
        Err(mut faults) => {
            if let Err(error) = service.schedules.check(&owner, &body).await {
                faults.append(faults_of(error)?);
            }
            return Err(Error::Invalid(faults).into());
        }
    };
    let view = service.schedules.add(&owner, &body, Some(&key)).await?;
    let path = format!("/api/v2/schedules/{}", view.record.id);
    Ok(created(path, &view.document()))
}

async fn list(caller: ApiCaller, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let views = service.schedules.all(&owner(&caller)).await?;
    let schedules: Vec<Value> = views.iter().map(ScheduleView::document).collect();
    Ok(private(StatusCode::OK, &json!({"schedules": schedules})))
}

async fn read(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let view = service.schedules.get(&owner(&caller), parse(&id)?).await?;
    Ok(private(StatusCode::OK, &view.document()))
}

async fn edit(
    Sent(caller, OrderObject(mut body), id, service): Sent<ApiCaller, OrderObject, String>,
    key: Byok,
) -> Answer {
    let key = key.of_header().map_err(Error::Invalid)?;
    resolve(&service, &caller, &mut body).await?;
    let owner = owner(&caller);
    let view = service
        .schedules
        .edit((&owner, parse(&id)?), &body, key.as_ref())
        .await?;
    Ok(private(StatusCode::OK, &view.document()))
}

async fn delete(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let (owner, id) = (owner(&caller), parse(&id)?);
    let view = service.schedules.get(&owner, id).await?;
    service.schedules.delete(&owner, id).await?;
    Ok(private(StatusCode::OK, &view.document()))
}

async fn pause(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let view = service.schedules.pause(&owner(&caller), parse(&id)?).await?;
    Ok(private(StatusCode::OK, &view.document()))
}

async fn resume(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let view = service.schedules.resume(&owner(&caller), parse(&id)?).await?;
    Ok(private(StatusCode::OK, &view.document()))
}

async fn run(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let (owner, id) = (owner(&caller), parse(&id)?);
    let run = service.schedules.run_now(&owner, id, None).await?;
    Ok(private(StatusCode::ACCEPTED, &scheduled_run_document(&run)))
}

async fn alerts(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let alerts = service
        .schedules
        .alerts(&owner(&caller), Some(parse(&id)?))
        .await?;
    Ok(alert_list(&alerts))
}

async fn all_alerts(caller: ApiCaller, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let alerts = service.schedules.alerts(&owner(&caller), None).await?;
    Ok(alert_list(&alerts))
}

async fn see(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let (owner, id): (_, AlertId) = (owner(&caller), id.parse().map_err(|_| Error::ScheduleNotFound)?);
    service.schedules.see_alerts(&owner, Some(id)).await?;
    let alerts = service.schedules.alerts(&owner, None).await?;
    let alert = alerts.iter().find(|alert| alert.id == id);
    let alert = alert.ok_or(Error::ScheduleNotFound)?;
    Ok(private(StatusCode::OK, &alert_document(alert)))
}

fn alert_list(alerts: &[AlertRecord]) -> HttpResponse {
    let alerts: Vec<Value> = alerts.iter().map(alert_document).collect();
    private(StatusCode::OK, &json!({"alerts": alerts}))
}

/// Replaces a question set's name in a schedule's order by its questions, which the schedule keeps.
async fn resolve(service: &Service, caller: &ApiCaller, body: &mut Map<String, Value>) -> Result<(), Error> {
    let Some(Value::Object(order)) = body.get_mut("order") else {
        return Ok(());
    };
    let resolved = service.questions.resolve(caller.id(), order, true).await;
    resolved.map_err(|error| match error {
        Error::Invalid(faults) => Error::Invalid(faults.below("/order")),
        error => error,
    })
}

fn owner(caller: &ApiCaller) -> ScheduleOwner {
    ScheduleOwner::Api(caller.id().clone())
}

/// Parses the id of a schedule. A malformed id is answered like an unknown one.
fn parse(id: &str) -> Result<ScheduleId, ApiError> {
    id.parse().map_err(|_| Error::ScheduleNotFound.into())
}
