//! `/api/a2a/v1`: the agent-to-agent protocol 1.0 over HTTP and JSON, on the tasks of `/api/a2a/jsonrpc`.
//!
//! Errors are `google.rpc.Status` objects with the status of the response.

use super::call::{Answer, message, version};
use crate::extract::{ClientAddress, JsonBytes};
use crate::problem::ApiError;
use crate::respond::{posting, reading, resource};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_a2a::{Call, CallError, RpcId, Wire};
use ibid_model::contract::Route;
use ibid_model::contract::routes::{
    ADD_PUSH_CONFIG, CANCEL_TASK, LIST_TASKS, READ_PUSH_CONFIG, READ_TASK, SEND_MESSAGE, STREAM_MESSAGE,
    SUBSCRIBE_TO_TASK,
};
use ibid_service::{Caller, Tasks};

/// A body, which may contain a page to audit.
type Body = Result<JsonBytes<{ ibid_a2a::limits::MAX_BODY }>, ApiError>;

/// Mounts the routes, with and without a slash at the end.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    let base = SEND_MESSAGE.folder();
    for slash in ["", "/"] {
        let path = |route: &Route| format!("{}{slash}", route.path);
        // The tables of the protocol list POST, its definition lists GET.
        let subscription = resource(&path(&SUBSCRIBE_TO_TASK), "POST", posting().to(subscribe));
        app.service(resource(&path(&SEND_MESSAGE), "POST", posting().to(send)))
            .service(resource(&path(&STREAM_MESSAGE), "POST", posting().to(stream)))
            .service(resource(&path(&LIST_TASKS), "GET, HEAD", reading().to(list)))
            .service(resource(&path(&CANCEL_TASK), "POST", posting().to(cancel)))
            .service(subscription.route(reading().to(subscribe)))
            .service(resource(&path(&READ_TASK), "GET, HEAD", reading().to(read)))
            .service(
                resource(&path(&ADD_PUSH_CONFIG), "POST, GET, HEAD", posting().to(add_push))
                    .route(reading().to(list_push)),
            )
            .service(
                resource(
                    &path(&READ_PUSH_CONFIG),
                    "GET, HEAD, DELETE",
                    reading().to(read_push),
                )
                .route(web::delete().to(delete_push)),
            )
            .service(web::resource(format!("{base}extendedAgentCard{slash}")).to(refuse_card));
    }
}

async fn send(
    request: HttpRequest,
    from: ClientAddress,
    body: Body,
    tasks: web::Data<Tasks>,
) -> HttpResponse {
    let answer = Answer::over_http(&request);
    match incoming(&request, "SendMessage", body) {
        Ok(Call::Send(incoming)) => match message(Wire::Http10, *incoming, Caller::at(from.0), &request) {
            Ok(call) => answer.sent(tasks.send(call).await),
            Err(error) => answer.error(&error),
        },
        Ok(_) => answer.error(&CallError::Internal),
        Err(refusal) => refusal.response(answer),
    }
}

async fn stream(
    request: HttpRequest,
    from: ClientAddress,
    body: Body,
    tasks: web::Data<Tasks>,
) -> HttpResponse {
    let answer = Answer::over_http(&request);
    match incoming(&request, "SendStreamingMessage", body) {
        Ok(Call::Stream(incoming)) => match message(Wire::Http10, *incoming, Caller::at(from.0), &request) {
            Ok(call) => answer.stream(tasks.stream(call)).await,
            Err(error) => answer.error(&error),
        },
        Ok(_) => answer.error(&CallError::Internal),
        Err(refusal) => refusal.response(answer),
    }
}

async fn read(request: HttpRequest, id: web::Path<String>, tasks: web::Data<Tasks>) -> HttpResponse {
    let answer = Answer::over_http(&request);
    match query(&request, "GetTask", &[("id", &id)]) {
        Ok(Call::Get { task, history }) => answer.task(tasks.get(task, history).await),
        Ok(_) => answer.error(&CallError::Internal),
        Err(error) => answer.error(&error),
    }
}

async fn list(request: HttpRequest) -> HttpResponse {
    let answer = Answer::over_http(&request);
    match query(&request, "ListTasks", &[]) {
        Ok(Call::List(page)) => answer.document(Wire::Http10.no_tasks(page)),
        Ok(_) => answer.error(&CallError::Internal),
        Err(error) => answer.error(&error),
    }
}

async fn cancel(request: HttpRequest, id: web::Path<String>, tasks: web::Data<Tasks>) -> HttpResponse {
    let answer = Answer::over_http(&request);
    match query(&request, "CancelTask", &[("id", &id)]) {
        Ok(Call::Cancel(task)) => answer.task(tasks.cancel(task).await),
        Ok(_) => answer.error(&CallError::Internal),
        Err(error) => answer.error(&error),
    }
}

async fn subscribe(
    request: HttpRequest,
    from: ClientAddress,
    id: web::Path<String>,
    tasks: web::Data<Tasks>,
) -> HttpResponse {
    let answer = Answer::over_http(&request);
    match query(&request, "SubscribeToTask", &[("id", &id)]) {
        Ok(Call::Resubscribe { task, open }) => {
            let events = tasks.resubscribe(Wire::Http10, task, open, Caller::at(from.0));
            answer.stream(events).await
        }
        Ok(_) => answer.error(&CallError::Internal),
        Err(error) => answer.error(&error),
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
    match read_body(&request, body, read) {
        Ok(call) => push(&request, &from, Ok(call), &tasks).await,
        Err(refusal) => refusal.response(Answer::over_http(&request)),
    }
}

async fn list_push(
    request: HttpRequest,
    from: ClientAddress,
    id: web::Path<String>,
    tasks: web::Data<Tasks>,
) -> HttpResponse {
    let call = query(&request, "ListTaskPushNotificationConfigs", &[("taskId", &id)]);
    push(&request, &from, call, &tasks).await
}

async fn read_push(
    request: HttpRequest,
    from: ClientAddress,
    path: web::Path<(String, String)>,
    tasks: web::Data<Tasks>,
) -> HttpResponse {
    let call = query(
        &request,
        "GetTaskPushNotificationConfig",
        &[("taskId", &path.0), ("id", &path.1)],
    );
    push(&request, &from, call, &tasks).await
}

async fn delete_push(
    request: HttpRequest,
    from: ClientAddress,
    path: web::Path<(String, String)>,
    tasks: web::Data<Tasks>,
) -> HttpResponse {
    let call = query(
        &request,
        "DeleteTaskPushNotificationConfig",
        &[("taskId", &path.0), ("id", &path.1)],
    );
    push(&request, &from, call, &tasks).await
}

async fn push(
    request: &HttpRequest,
    from: &ClientAddress,
    call: Result<Call, CallError>,
    tasks: &Tasks,
) -> HttpResponse {
    let answer = Answer::over_http(request);
    match call {
        Ok(Call::Push(call)) => match tasks.push(Wire::Http10, call, Caller::at(from.0)).await {
            Ok(body) => answer.document(body),
            Err(error) => answer.error(&error),
        },
        Ok(_) => answer.error(&CallError::Internal),
        Err(error) => answer.error(&error),
    }
}

async fn refuse_card(request: HttpRequest) -> HttpResponse {
    let spoken = Wire::of_http(version(&request).as_deref());
    Answer::over_http(&request).error(&spoken.err().unwrap_or(CallError::NoExtendedCard))
}

/// A request that is not carried out.
enum Refusal {
    Call(CallError),
    /// The body is declared as another type than JSON.
    MediaType,
    /// The body cannot be read.
    Body(ApiError),
}

impl Refusal {
    fn response(self, answer: Answer<'_>) -> HttpResponse {
        match self {
            Self::Call(error) => answer.error(&error),
            Self::MediaType => {
                let mut response = answer.error(&CallError::ContentType);
                *response.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
                response
            }
            Self::Body(error) => actix_web::ResponseError::error_response(&error),
        }
    }
}

fn incoming(request: &HttpRequest, method: &str, body: Body) -> Result<Call, Refusal> {
    read_body(request, body, |bytes| Call::of_body(method, bytes))
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
