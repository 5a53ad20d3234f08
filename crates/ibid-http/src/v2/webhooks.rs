//! `/api/v2/webhooks`: subscriptions to events and their deliveries.

use super::filter::Values;
use crate::extract::{ApiCaller, Asked, AuthenticatedThen, JsonObject, Query, Sent};
use crate::problem::ApiError;
use crate::respond::{Answer, At, SamePath, created, handle, private};
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::contract::routes::{
    ADD_WEBHOOK, DELETE_WEBHOOK, EDIT_WEBHOOK, LIST_DELIVERIES, LIST_WEBHOOKS, READ_DELIVERY, READ_WEBHOOK,
    REDELIVER, ROTATE_WEBHOOK, TEST_WEBHOOK,
};
use ibid_model::{DeliveryId, WebhookId};
use ibid_service::{DeliveryAttempt, DeliveryRecord, Error, NewSubscription, Service, WebhookRecord};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::str::FromStr;

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

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Webhook<'a> {
    webhook_id: WebhookId,
    #[schemars(extend("format" = "uri"))]
    url: &'a str,
    /// The events that are sent; empty for all.
    events: &'a [String],
    name: &'a str,
    #[schemars(extend("enum" = ["enabled", "disabled"]))]
    status: &'static str,
    /// Why nothing is sent: switched off by its owner, failing for five days, or gone by its own answer (410).
    #[schemars(extend("enum" = ["owner", "failing", "gone", null]))]
    disabled_for: Option<&'static str>,
    /// Since when nothing is sent.
    disabled_at: Option<At>,
    /// The first failure since a message was taken.
    failing_since: Option<At>,
    /// The end of the old secret after a rotation.
    previous_secret_until: Option<At>,
    /// The time of its creation.
    created_at: At,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct WebhookWithSecret<'a> {
    #[serde(flatten)]
    webhook: Webhook<'a>,
    /// The secret, shown this once: `whsec_` and base64.
    secret: String,
}

#[derive(Serialize)]
struct List<'a> {
    webhooks: Vec<Webhook<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookDelivery<'a> {
    /// The `webhook-id` of its message.
    delivery_id: DeliveryId,
    event: &'a str,
    #[schemars(extend("enum" = ["waiting", "delivered", "failed"]))]
    status: &'static str,
    attempts: u32,
    /// The time of the event.
    created_at: At,
    /// The time of the next attempt.
    next_attempt_at: Option<At>,
    /// The time of its last attempt.
    ended_at: Option<At>,
    /// The HTTP status of the last answer.
    last_status: Option<u32>,
    /// `status`, `redirect`, `timeout`, `connect`, `dns`, `address_refused` or `broken`.
    last_error: Option<&'a str>,
    /// The message; only where one delivery is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Map<String, Value>")]
    message: Option<Value>,
    /// Every attempt, the oldest first; only where one delivery is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Attempt<'_>>")]
    log: Option<Vec<Attempt<'a>>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Attempt<'a> {
    at: At,
    took_ms: u32,
    status: Option<u32>,
    error: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookDeliveryPage<'a> {
    deliveries: Vec<WebhookDelivery<'a>>,
    /// Names the next page; `null` on the last one.
    next_cursor: Option<DeliveryId>,
}

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
            disabled_at: disabled.map(|(at, _)| At::of(at)),
            failing_since: record.failing_since.map(At::of),
            previous_secret_until: record
                .before_until
                .filter(|until| *until > Timestamp::now().as_millisecond())
                .map(At::of),
            created_at: At::of(record.created_at),
        }
    }

    fn with_secret(new: &'a NewSubscription) -> WebhookWithSecret<'a> {
        WebhookWithSecret {
            webhook: Self::of(&new.webhook),
            secret: new.secret.reveal(),
        }
    }
}

impl<'a> WebhookDelivery<'a> {
    fn of(record: &'a DeliveryRecord) -> Self {
        Self {
            delivery_id: record.id,
            event: &record.event,
            status: record.state.name(),
            attempts: record.attempts,
            created_at: At::of(record.created_at),
            next_attempt_at: record.next_attempt.map(At::of),
            ended_at: record.ended_at.map(At::of),
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
    let path = format!("/api/v2/webhooks/{}", new.webhook.id);
    Ok(created(path, &Webhook::with_secret(&new)))
}

async fn list(caller: ApiCaller, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let records = service.hooks.all(caller.id()).await?;
    let webhooks = records.iter().map(Webhook::of).collect();
    Ok(private(StatusCode::OK, &List { webhooks }))
}

async fn read(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let record = service.hooks.get(caller.id(), parse(&id)?).await?;
    Ok(private(StatusCode::OK, &Webhook::of(&record)))
}

async fn edit(Sent(caller, JsonObject(body), id, service): Sent<ApiCaller, JsonObject, String>) -> Answer {
    let record = service.hooks.edit(caller.id(), parse(&id)?, &body).await?;
    Ok(private(StatusCode::OK, &Webhook::of(&record)))
}

async fn delete(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let id = parse(&id)?;
    let record = service.hooks.get(caller.id(), id).await?;
    service.hooks.delete(caller.id(), id).await?;
    Ok(private(StatusCode::OK, &Webhook::of(&record)))
}

async fn rotate(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let new = service.hooks.rotate(caller.id(), parse(&id)?).await?;
    Ok(private(StatusCode::OK, &Webhook::with_secret(&new)))
}

async fn test(Asked(caller, id, service): Asked<ApiCaller>) -> Answer {
    let record = service.hooks.test(caller.id(), parse(&id)?).await?;
    Ok(private(StatusCode::ACCEPTED, &WebhookDelivery::of(&record)))
}

async fn deliveries(Asked(caller, id, service): Asked<ApiCaller>, Query(query): Query) -> Answer {
    let mut values = Values::of(&query);
    let (cursor, most) = (values.id("cursor"), values.limit());
    values.finish(()).map_err(Error::Invalid)?;
    let records = service
        .hooks
        .deliveries(caller.id(), parse(&id)?, cursor, most)
        .await?;
    let full = records.len() >= most as usize;
    let page = WebhookDeliveryPage {
        deliveries: records.iter().map(WebhookDelivery::of).collect(),
        next_cursor: records.last().filter(|_| full).map(|last| last.id),
    };
    Ok(private(StatusCode::OK, &page))
}

/// Shows a delivery with its message and every attempt.
async fn delivery(Asked(caller, ids, service): Asked<ApiCaller, (String, String)>) -> Answer {
    let (id, delivery) = (parse(&ids.0)?, parse(&ids.1)?);
    let (record, attempts) = service.hooks.delivery(caller.id(), id, delivery).await?;
    let shown = WebhookDelivery {
        message: serde_json::from_slice(&record.payload).ok(),
        log: Some(attempts.iter().map(attempt).collect()),
        ..WebhookDelivery::of(&record)
    };
    Ok(private(StatusCode::OK, &shown))
}

async fn redeliver(Asked(caller, ids, service): Asked<ApiCaller, (String, String)>) -> Answer {
    let (id, delivery) = (parse(&ids.0)?, parse(&ids.1)?);
    let record = service.hooks.redeliver(caller.id(), id, delivery).await?;
    Ok(private(StatusCode::ACCEPTED, &WebhookDelivery::of(&record)))
}

fn attempt(attempt: &DeliveryAttempt) -> Attempt<'_> {
    Attempt {
        at: At::of(attempt.at),
        took_ms: attempt.took,
        status: attempt.status,
        error: attempt.error.as_deref(),
    }
}

/// Parses the id of a webhook or a delivery. A malformed id is answered like an unknown one.
fn parse<T: FromStr>(text: &str) -> Result<T, ApiError> {
    text.parse().map_err(|_| Error::WebhookNotFound.into())
}
