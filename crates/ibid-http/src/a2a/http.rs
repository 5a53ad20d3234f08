//! `/api/a2a/v1`: the agent-to-agent protocol 1.0 over HTTP and JSON, on the tasks of `/api/a2a/jsonrpc`.
//!
//! Errors are `google.rpc.Status` objects with the status of the response.

use super::call::{Answer, version};
use crate::extract::{ClientAddress, JsonBytes};
use crate::problem::ApiError;
use crate::respond::{posting, reading, resource};
use actix_web::http::StatusCode;
use actix_web::{Handler, HttpRequest, HttpResponse, web};
use ibid_a2a::{Call, CallError, Form, RpcId, Wire};
use ibid_model::contract::Route;
use ibid_model::contract::routes::{
    ADD_PUSH_CONFIG, CANCEL_TASK, LIST_TASKS, READ_PUSH_CONFIG, READ_TASK, SEND_MESSAGE, STREAM_MESSAGE,
    SUBSCRIBE_TO_TASK,
};
use ibid_service::Tasks;

/// A body, which may contain a page to audit.
type Body = Result<JsonBytes<{ ibid_a2a::limits::MAX_BODY }>, ApiError>;

/// Mounts the routes, with and without a slash at the end.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    let base = SEND_MESSAGE.folder();
    for slash in ["", "/"] {
        let path = |route: &Route| format!("{}{slash}", route.path);
        let (read, delete) = (
            of_query("GetTaskPushNotificationConfig", &["taskId", "id"]),
            of_query("DeleteTaskPushNotificationConfig", &["taskId", "id"]),
        );
        let listed = of_query("ListTaskPushNotificationConfigs", &["taskId"]);
        let configs = resource(&path(&ADD_PUSH_CONFIG), "POST, GET, HEAD", posting().to(add_push));
        let config = resource(&path(&READ_PUSH_CONFIG), "GET, HEAD, DELETE", reading().to(read));
        // The protocol's tables list POST, its definition lists GET.
        let subscribe = || of_query("SubscribeToTask", &["id"]);
        let subscription = resource(&path(&SUBSCRIBE_TO_TASK), "POST", posting().to(subscribe()));
        let post = |route, handler| resource(&path(route), "POST", posting().to(handler));
        app.service(post(&SEND_MESSAGE, of_body("SendMessage")))
            .service(post(&STREAM_MESSAGE, of_body("SendStreamingMessage")))
            .service(resource(
                &path(&LIST_TASKS),
                "GET, HEAD",
                reading().to(of_query("ListTasks", &[])),
            ))
            .service(resource(
                &path(&CANCEL_TASK),
                "POST",
                posting().to(of_query("CancelTask", &["id"])),
            ))
            .service(subscription.route(reading().to(subscribe())))
            .service(resource(
                &path(&READ_TASK),
                "GET, HEAD",
                reading().to(of_query("GetTask", &["id"])),
            ))
            .service(configs.route(reading().to(listed)))
            .service(config.route(web::delete().to(delete)))
            .service(web::resource(format!("{base}extendedAgentCard{slash}")).to(refuse_card));
    }
}

/// Carries out the call of a body.
fn of_body(
    method: &'static str,
) -> impl Handler<(HttpRequest, ClientAddress, Body, web::Data<Tasks>), Output = HttpResponse> {
    move |request: HttpRequest, from: ClientAddress, body: Body, tasks: web::Data<Tasks>| async move {
        let call = read_body(&request, body, |bytes| Call::of_body(method, bytes));
        answer(&request, from, call, &tasks).await
    }
}

/// Carries out a call whose members are the parts of the path, by `names`, and the query.
fn of_query(
    method: &'static str,
    names: &'static [&'static str],
) -> impl Handler<
    (
        HttpRequest,
        ClientAddress,
        web::Path<Vec<String>>,
        web::Data<Tasks>,
    ),
    Output = HttpResponse,
> {
    move |request: HttpRequest, from: ClientAddress, path: web::Path<Vec<String>>, tasks: web::Data<Tasks>| async move {
        let path: Vec<(&str, &str)> = names
            .iter()
            .copied()
            .zip(path.iter().map(String::as_str))
            .collect();
        let call = query(&request, method, &path).map_err(Refusal::Call);
        answer(&request, from, call, &tasks).await
    }
}

async fn add_push(
    request: HttpRequest,
    from: ClientAddress,
    id: web::Path<String>,
    body: Body,
    tasks: web::Data<Tasks>,
) -> HttpResponse {
    let read = |bytes: &[u8]| Call::of_task_body("CreateTaskPushNotificationConfig", &id, bytes);
    let call = read_body(&request, body, read);
    answer(&request, from, call, &tasks).await
}

async fn refuse_card(request: HttpRequest) -> HttpResponse {
    let spoken = Wire::of_http(version(&request).as_deref());
    Answer::over_http(&request).error(&spoken.err().unwrap_or(CallError::NoExtendedCard))
}

async fn answer(
    request: &HttpRequest,
    from: ClientAddress,
    call: Result<Call, Refusal>,
    tasks: &Tasks,
) -> HttpResponse {
    let answer = Answer::over_http(request);
    match call {
        Ok(call) => answer.to(Ok(call), Form::Json, from, tasks).await,
        Err(Refusal::Call(error)) => answer.error(&error),
        Err(Refusal::MediaType) => {
            let mut response = answer.error(&CallError::ContentType);
            *response.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            response
        }
        Err(Refusal::Body(error)) => actix_web::ResponseError::error_response(&error),
    }
}

/// A request that is not carried out.
enum Refusal {
    Call(CallError),
    /// The body is declared as another type than JSON.
    MediaType,
    /// The body cannot be read.
    Body(ApiError),
}

fn read_body(
    request: &HttpRequest,
    body: Body,
    read: impl FnOnce(&[u8]) -> Result<Call, CallError>,
) -> Result<Call, Refusal> {
    Wire::of_http(version(request).as_deref()).map_err(Refusal::Call)?;
    match body {
        Ok(bytes) => read(&bytes.0).map_err(Refusal::Call),
        Err(ApiError::ContentType(_)) => Err(Refusal::MediaType),
        Err(other) => Err(Refusal::Body(other)),
    }
}

fn query(request: &HttpRequest, method: &str, path: &[(&str, &str)]) -> Result<Call, CallError> {
    Wire::of_http(version(request).as_deref())?;
    let members = url::form_urlencoded::parse(request.query_string().as_bytes());
    let members = members.map(|(name, value)| (name.into_owned(), value.into_owned()));
    Call::of_query(method, path, members)
}

impl<'a> Answer<'a> {
    fn over_http(request: &'a HttpRequest) -> Self {
        Self {
            request,
            wire: Wire::Http10,
            id: RpcId::NULL,
        }
    }
}
