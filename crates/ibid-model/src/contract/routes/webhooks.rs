//! Webhooks: the routes of subscriptions to events.

use super::{FAILED, NOT_JSON, OVER_64_KIB, UNAUTHORIZED, WAIT};
use crate::contract::route::{Access, Method, Parameter, Response, Route, Schema};
use Response as R;
use Schema::{Json, Named};

const WEBHOOK_ID: Parameter = Parameter::path("id", "The id of the webhook.");
const DELIVERY_ID: Parameter = Parameter::path(
    "delivery",
    "The id of the delivery, which is also the `webhook-id` of its message.",
);
const FAULTY: Response = R::problem(
    400,
    "Parameters missing or invalid, or an address that is refused; every fault is listed",
);
const NO_WEBHOOK: Response = R::problem(404, "No such webhook or delivery of this caller");
pub(super) const DISABLED: Response = R::problem(409, "The webhook is disabled");
pub(super) const TRIED: Response = R::problem(
    429,
    "60 messages in an hour, or five at once, were sent to try webhooks",
)
.headers(&[WAIT]);
pub(super) const NONE_SENT: Response = R::problem(503, "This server sends no webhooks");

/// Makes a webhook.
pub static ADD_WEBHOOK: Route = Route::post("/api/v2/webhooks", "addWebhook")
    .access(Access::Bearer)
    .purpose("Make a webhook, get its secret")
    .summary("Make a webhook")
    .description(
        "Messages follow the convention Standard Webhooks: they are signed with the secret of this answer, which is never shown \
         again. A caller has at most 20 webhooks.",
    )
    .body(Named("WebhookRequest"))
    .answers("The webhook and its secret", Named("WebhookWithSecret"))
    .status(201)
    .headers(&[("Location", "The path of the webhook.")])
    .errors(&[FAULTY, UNAUTHORIZED, OVER_64_KIB, NOT_JSON, FAILED, NONE_SENT]);

/// Lists the webhooks of the caller.
pub static LIST_WEBHOOKS: Route = Route::get("/api/v2/webhooks", "listWebhooks")
    .access(Access::Bearer)
    .purpose("List your webhooks")
    .summary("List your webhooks, the oldest first")
    .answers("The webhooks", Named("WebhookList"))
    .errors(&[UNAUTHORIZED, FAILED, NONE_SENT]);

/// Reads a webhook.
pub static READ_WEBHOOK: Route = Route::of_webhook(Method::Get, "/api/v2/webhooks/{id}", "readWebhook")
    .summary("Read a webhook")
    .description(
        "A webhook that has failed for five days, or whose server answered 410, is `disabled` and says why.",
    )
    .answers("The webhook", Named("Webhook"));

/// Changes a webhook.
pub static EDIT_WEBHOOK: Route = Route::of_webhook(Method::Patch, "/api/v2/webhooks/{id}", "editWebhook")
    .purpose("Change a webhook, or switch it on or off")
    .summary("Change a webhook")
    .description("Members that are absent stay as they are.")
    .body(Named("WebhookEdit"))
    .answers("The webhook as it is now", Named("Webhook"))
    .errors(&[
        FAULTY,
        UNAUTHORIZED,
        NO_WEBHOOK,
        OVER_64_KIB,
        NOT_JSON,
        FAILED,
        NONE_SENT,
    ]);

/// Deletes a webhook.
pub static DELETE_WEBHOOK: Route =
    Route::of_webhook(Method::Delete, "/api/v2/webhooks/{id}", "deleteWebhook")
        .summary("Delete a webhook with its deliveries")
        .answers("The webhook as it was", Named("Webhook"));

/// Gives a webhook a new secret.
pub static ROTATE_WEBHOOK: Route = Route::of_webhook(
    Method::Post,
    "/api/v2/webhooks/{id}/rotate",
    "rotateWebhook",
)
.purpose("Give a webhook a new secret; the old one is valid for a day more")
.summary("Give a webhook a new secret")
.description(
    "For 24 hours messages have two signatures, one of each secret. After that the old secret signs nothing.",
)
.answers("The webhook and its new secret", Named("WebhookWithSecret"));

/// Sends a message to try a webhook.
pub static TEST_WEBHOOK: Route = Route::of_webhook(Method::Post, "/api/v2/webhooks/{id}/test", "testWebhook")
    .purpose("Send a message to try a webhook")
    .summary("Try a webhook")
    .description("Sends an event `webhook.test`, whichever events the webhook lists.")
    .answers("The delivery, which is on its way", Named("WebhookDelivery"))
    .status(202)
    .errors(&[UNAUTHORIZED, NO_WEBHOOK, DISABLED, TRIED, FAILED, NONE_SENT]);

/// Lists the deliveries of a webhook.
pub static LIST_DELIVERIES: Route =
    Route::of_webhook(Method::Get, "/api/v2/webhooks/{id}/deliveries", "listDeliveries")
        .purpose("List what was sent to a webhook")
        .summary("List the deliveries of a webhook, the newest first")
        .description("Deliveries are kept for 30 days after their end.")
        .parameters(&[
            WEBHOOK_ID,
            Parameter::query(
                "cursor",
                Json(r#"{"type": "string", "format": "uuid"}"#),
                "`nextCursor` of the page before.",
            ),
            Parameter::query(
                "limit",
                Json(r#"{"type": "integer", "minimum": 1, "maximum": 100}"#),
                "Most deliveries of a page. Default: 50.",
            ),
        ])
        .answers("A page of deliveries", Named("WebhookDeliveryPage"))
        .errors(&[
            R::problem(400, "A parameter is invalid; every fault is listed"),
            UNAUTHORIZED,
            NO_WEBHOOK,
            FAILED,
            NONE_SENT,
        ]);

/// Reads a delivery.
pub static READ_DELIVERY: Route = Route::of_webhook(
    Method::Get,
    "/api/v2/webhooks/{id}/deliveries/{delivery}",
    "readDelivery",
)
.summary("Read a delivery: its message and every attempt")
.parameters(&[WEBHOOK_ID, DELIVERY_ID])
.answers("The delivery", Named("WebhookDelivery"));

/// Sends a delivery again.
pub static REDELIVER: Route = Route::of_webhook(
    Method::Post,
    "/api/v2/webhooks/{id}/deliveries/{delivery}/redeliver",
    "redeliver",
)
.purpose("Send a delivery again, under the same id")
.summary("Send a delivery again")
.parameters(&[WEBHOOK_ID, DELIVERY_ID])
.answers("The delivery, which is on its way", Named("WebhookDelivery"))
.status(202)
.errors(&[UNAUTHORIZED, NO_WEBHOOK, DISABLED, FAILED, NONE_SENT]);

impl Route {
    /// A route about one webhook of its caller.
    const fn of_webhook(method: Method, path: &'static str, id: &'static str) -> Self {
        Self {
            method,
            ..Self::get(path, id)
                .access(Access::Bearer)
                .parameters(&[WEBHOOK_ID])
                .errors(&[UNAUTHORIZED, NO_WEBHOOK, FAILED, NONE_SENT])
        }
    }
}
