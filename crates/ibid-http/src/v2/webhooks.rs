//! `/api/v2/webhooks`: subscriptions to events and their deliveries.

use crate::extract::{ApiCaller, AuthenticatedThen, JsonObject};
use crate::problem::ApiError;
use crate::respond::{SamePath, handle};
use actix_web::http::header::{CACHE_CONTROL, LOCATION};
use actix_web::{HttpResponse, web};
use ibid_model::contract::field::PAGE_LIMIT;
use ibid_model::contract::routes::{
    ADD_WEBHOOK, DELETE_WEBHOOK, EDIT_WEBHOOK, LIST_DELIVERIES, LIST_WEBHOOKS, READ_DELIVERY, READ_WEBHOOK,
    REDELIVER, ROTATE_WEBHOOK, TEST_WEBHOOK,
};
use ibid_model::{DeliveryId, FaultCode, Faults, WebhookId};
use ibid_service::{DeliveryAttempt, DeliveryRecord, Error, NewSubscription, Service, WebhookRecord};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// Answers of this surface are not for caches: some hold a secret.
const NO_STORE: (actix_web::http::header::HeaderName, &str) = (CACHE_CONTROL, "private, no-store");

/// Mounts the routes.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    let all = SamePath::of(&ADD_WEBHOOK, add).and(&LIST_WEBHOOKS, list);
    let one = SamePath::of(&READ_WEBHOOK, read)
        .and(&EDIT_WEBHOOK, edit)
        .and(&DELETE_WEBHOOK, delete);
    app.service(all.resource())
        .service(one.resource())
        .service(handle(&ROTATE_WEBHOOK, rotate))
        .service(handle(&TEST_WEBHOOK, test))
        .service(handle(&LIST_DELIVERIES, deliveries))
        .service(handle(&READ_DELIVERY, delivery))
        .service(handle(&REDELIVER, redeliver));
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Webhook<'a> {
    webhook_id: WebhookId,
    url: &'a str,
    events: &'a [String],
    name: &'a str,
    status: &'static str,
    disabled_for: Option<&'static str>,
    #[serde(serialize_with = "ibid_model::time::serialize_option")]
    disabled_at: Option<Timestamp>,
    #[serde(serialize_with = "ibid_model::time::serialize_option")]
    failing_since: Option<Timestamp>,
    #[serde(serialize_with = "ibid_model::time::serialize_option")]
    previous_secret_until: Option<Timestamp>,
    #[serde(serialize_with = "ibid_model::time::serialize_option")]
    created_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

#[derive(Serialize)]
struct List<'a> {
    webhooks: Vec<Webhook<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Delivery<'a> {
    delivery_id: DeliveryId,
    event: &'a str,
    status: &'static str,
    attempts: u32,
    #[serde(serialize_with = "ibid_model::time::serialize_option")]
    created_at: Option<Timestamp>,
    #[serde(serialize_with = "ibid_model::time::serialize_option")]
    next_attempt_at: Option<Timestamp>,
    #[serde(serialize_with = "ibid_model::time::serialize_option")]
    ended_at: Option<Timestamp>,
    last_status: Option<u32>,
    last_error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<Vec<Attempt<'a>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Attempt<'a> {
    #[serde(serialize_with = "ibid_model::time::serialize_option")]
    at: Option<Timestamp>,
    took_ms: u32,
    status: Option<u32>,
    error: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    deliveries: Vec<Delivery<'a>>,
    next_cursor: Option<DeliveryId>,
}

/// The parameters of the query, as they came.
type Query = web::Query<Vec<(String, String)>>;

impl<'a> Webhook<'a> {
    fn of(record: &'a WebhookRecord) -> Self {
        let disabled = record.disabled;
        Self {
            webhook_id: record.id,
            url: &record.url,
            events: &record.events,
            name: &record.name,
            status: if disabled.is_some() { "disabled" } else { "enabled" },
            disabled_for: disabled.map(|(_, reason)| reason.name()),
            disabled_at: disabled.and_then(|(at, _)| time(at)),
            failing_since: record.failing_since.and_then(time),
            previous_secret_until: record
                .before_until
                .and_then(time)
                .filter(|until| *until > Timestamp::now()),
            created_at: time(record.created_at),
            secret: None,
        }
    }

    fn with_secret(new: &'a NewSubscription) -> Self {
        Self {
            secret: Some(new.secret.reveal()),
            ..Self::of(&new.webhook)
        }
    }
}

impl<'a> Delivery<'a> {
    fn of(record: &'a DeliveryRecord) -> Self {
        Self {
            delivery_id: record.id,
            event: &record.event,
            status: record.state.name(),
            attempts: record.attempts,
            created_at: time(record.created_at),
            next_attempt_at: record.next_attempt.and_then(time),
            ended_at: record.ended_at.and_then(time),
            last_status: record.last_status,
            last_error: record.last_error.as_deref(),
            message: None,
            log: None,
        }
    }
}

/// Makes a subscription. Its secret is in this answer and in no other.
async fn add(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ApiCaller, JsonObject>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let new = service.hooks.add(caller.id(), &body).await?;
    Ok(HttpResponse::Created()
        .insert_header(NO_STORE)
        .insert_header((LOCATION, format!("/api/v2/webhooks/{}", new.webhook.id)))
        .json(Webhook::with_secret(&new)))
}

async fn list(caller: ApiCaller, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let records = service.hooks.all(caller.id()).await?;
    let webhooks = records.iter().map(Webhook::of).collect();
    Ok(HttpResponse::Ok().insert_header(NO_STORE).json(List { webhooks }))
}

async fn read(
    caller: ApiCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let record = service.hooks.get(caller.id(), webhook_id(&id)?).await?;
    Ok(HttpResponse::Ok()
        .insert_header(NO_STORE)
        .json(Webhook::of(&record)))
}

async fn edit(
    AuthenticatedThen(caller, JsonObject(body)): AuthenticatedThen<ApiCaller, JsonObject>,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let record = service.hooks.edit(caller.id(), webhook_id(&id)?, &body).await?;
    Ok(HttpResponse::Ok()
        .insert_header(NO_STORE)
        .json(Webhook::of(&record)))
}

async fn delete(
    caller: ApiCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id = webhook_id(&id)?;
    let record = service.hooks.get(caller.id(), id).await?;
    service.hooks.delete(caller.id(), id).await?;
    Ok(HttpResponse::Ok()
        .insert_header(NO_STORE)
        .json(Webhook::of(&record)))
}

async fn rotate(
    caller: ApiCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let new = service.hooks.rotate(caller.id(), webhook_id(&id)?).await?;
    Ok(HttpResponse::Ok()
        .insert_header(NO_STORE)
        .json(Webhook::with_secret(&new)))
}

async fn test(
    caller: ApiCaller,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let record = service.hooks.test(caller.id(), webhook_id(&id)?).await?;
    Ok(HttpResponse::Accepted()
        .insert_header(NO_STORE)
        .json(Delivery::of(&record)))
}

async fn deliveries(
    caller: ApiCaller,
    id: web::Path<String>,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (cursor, most) = page_of(&query)?;
    let records = service
        .hooks
        .deliveries(caller.id(), webhook_id(&id)?, cursor, most)
        .await?;
    let full = records.len() >= most as usize;
    let page = Page {
        deliveries: records.iter().map(Delivery::of).collect(),
        next_cursor: records.last().filter(|_| full).map(|last| last.id),
    };
    Ok(HttpResponse::Ok().insert_header(NO_STORE).json(page))
}

/// Shows a delivery with its message and every attempt.
async fn delivery(
    caller: ApiCaller,
    ids: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (id, delivery) = (webhook_id(&ids.0)?, delivery_id(&ids.1)?);
    let (record, attempts) = service.hooks.delivery(caller.id(), id, delivery).await?;
    let shown = Delivery {
        message: serde_json::from_slice(&record.payload).ok(),
        log: Some(attempts.iter().map(attempt).collect()),
        ..Delivery::of(&record)
    };
    Ok(HttpResponse::Ok().insert_header(NO_STORE).json(shown))
}

async fn redeliver(
    caller: ApiCaller,
    ids: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (id, delivery) = (webhook_id(&ids.0)?, delivery_id(&ids.1)?);
    let record = service.hooks.redeliver(caller.id(), id, delivery).await?;
    Ok(HttpResponse::Accepted()
        .insert_header(NO_STORE)
        .json(Delivery::of(&record)))
}

fn attempt(attempt: &DeliveryAttempt) -> Attempt<'_> {
    Attempt {
        at: time(attempt.at),
        took_ms: attempt.took,
        status: attempt.status,
        error: attempt.error.as_deref(),
    }
}

/// Parses the id of a webhook. A malformed id is answered like an unknown one.
fn webhook_id(text: &str) -> Result<WebhookId, ApiError> {
    text.parse().map_err(|_| Error::WebhookNotFound.into())
}

fn delivery_id(text: &str) -> Result<DeliveryId, ApiError> {
    text.parse().map_err(|_| Error::WebhookNotFound.into())
}

fn page_of(query: &[(String, String)]) -> Result<(Option<DeliveryId>, u32), ApiError> {
    let mut faults = Faults::default();
    let first = |name: &str| {
        let found = query.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    };
    let cursor = first("cursor").and_then(|text| {
        let cursor = text.parse().ok();
        if cursor.is_none() {
            faults.push("cursor", FaultCode::Invalid, "cursor is not one of a page before");
        }
        cursor
    });
    let (least, most) = PAGE_LIMIT.bounds();
    let limit = first(PAGE_LIMIT.name).map_or(Some(PAGE_LIMIT.default_count()), |text| {
        text.parse().ok().filter(|limit| (least..=most).contains(limit))
    });
    if limit.is_none() {
        let message = format!("limit must be between {least} and {most}");
        faults.push("limit", FaultCode::OutOfRange, message);
    }
    match limit {
        Some(limit) if faults.is_empty() => Ok((cursor, limit.into())),
        Some(_) | None => Err(Error::Invalid(faults).into()),
    }
}

fn time(millis: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(millis).ok()
}
