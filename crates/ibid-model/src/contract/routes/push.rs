//! Push notifications of A2A 1.0 over HTTP.

use super::{A2A_VERSION, BAD_CALL, NO_TASK, TASK_ID, TOO_LARGE};
use crate::contract::route::Schema::Json;
use crate::contract::route::{Method, OBJECT, Parameter, Route, Schema};

const CONFIG_ID: Parameter = Parameter::path("config", "The id of the configuration within its task.");
const CONFIG: Schema = Json(
    r#"{"type": "object", "required": ["taskId", "id", "url"], "properties": {"taskId": {"type": "string"}, "id": {"type": "string"},
        "url": {"type": "string", "format": "uri"}}}"#,
);
const NEW_CONFIG: Schema = Json(
    r#"{"type": "object", "required": ["url"], "properties": {"id": {"type": "string", "maxLength": 256}, "url": {"type": "string",
        "format": "uri", "maxLength": 2048}, "token": {"type": "string", "maxLength": 4096}, "authentication": {"type": "object",
        "required": ["scheme"], "properties": {"scheme": {"type": "string"}, "credentials": {"type": "string", "maxLength": 4096}}}}}"#,
);

/// Stores a configuration of a task.
pub static ADD_PUSH_CONFIG: Route = Route::over_http(
    Method::Post,
    "/api/a2a/v1/tasks/{id}/pushNotificationConfigs",
    "createPushConfig",
)
.summary("A2A 1.0: have changes of a task sent to an address")
.description("A configuration with the same id is replaced. No answer shows the token or the credentials.")
.parameters(&[A2A_VERSION, TASK_ID])
.body(NEW_CONFIG)
.answers_a2a("The configuration without its secrets", CONFIG)
.errors(&[BAD_CALL, NO_TASK, TOO_LARGE]);

/// Lists the configurations of a task.
pub static LIST_PUSH_CONFIGS: Route = Route::over_http(
    Method::Get,
    "/api/a2a/v1/tasks/{id}/pushNotificationConfigs",
    "listPushConfigs",
)
.summary("A2A 1.0: the addresses that changes of a task are sent to")
.parameters(&[A2A_VERSION, TASK_ID])
.answers_a2a(
    "All configurations, without their secrets",
    Json(
        r#"{"type": "object", "required": ["configs"], "properties": {"configs": {"type": "array", "items": {"type": "object",
            "required": ["taskId", "id", "url"]}}, "nextPageToken": {"type": "string"}}}"#,
    ),
)
.errors(&[BAD_CALL, NO_TASK]);

/// Reads a configuration.
pub static READ_PUSH_CONFIG: Route = Route::over_http(
    Method::Get,
    "/api/a2a/v1/tasks/{id}/pushNotificationConfigs/{config}",
    "getPushConfig",
)
.summary("A2A 1.0: an address that changes of a task are sent to")
.parameters(&[A2A_VERSION, TASK_ID, CONFIG_ID])
.answers_a2a("The configuration without its secrets", CONFIG)
.errors(&[BAD_CALL, NO_TASK]);

/// Deletes a configuration.
pub static DELETE_PUSH_CONFIG: Route = Route::over_http(
    Method::Delete,
    "/api/a2a/v1/tasks/{id}/pushNotificationConfigs/{config}",
    "deletePushConfig",
)
.summary("A2A 1.0: send changes of a task to an address no more")
.parameters(&[A2A_VERSION, TASK_ID, CONFIG_ID])
.answers_a2a(
    "An empty object, also where there was no such configuration",
    OBJECT,
)
.errors(&[BAD_CALL, NO_TASK]);
