//! `POST /mcp`: the Model Context Protocol over streamable HTTP.
//!
//! A message's headers identify its sender.
//! A bearer key for v1 names the caller, and `X-Router-Key` is the key that pays the models.
//! A message without a bearer key is anonymous, and may pay in `_meta`. The protocol itself is in `ibid-mcp`.

use crate::a2a::listings::listings;
use crate::config::HttpConfig;
use crate::extract::{
    ApiCaller, AuthenticatedThen, Byok, ClientAddress, JsonBytes, ProjectCaller, is_project_key,
};
use crate::problem::ApiError;
use crate::respond::{handle, posting, resource};
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT, AUTHORIZATION, CACHE_CONTROL, COOKIE, HeaderName};
use actix_web::{FromRequest, HttpRequest, HttpResponse, web};
use futures_util::StreamExt;
use ibid_a2a::limits::MAX_BODY;
use ibid_mcp::{Buyer, EndpointRequest, McpCaller, McpEndpoint, McpServer};
use ibid_model::contract::routes::CALL_MCP;
use ibid_model::json_lines::is_sparse;
use ibid_model::strict_json;
use ibid_service::{Caller, Error, Service};
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// Headers that hold keys. They end here.
const SECRET: [HeaderName; 3] = [AUTHORIZATION, COOKIE, HeaderName::from_static("x-router-key")];

/// Makes the endpoint. A server with a loopback address accepts only loopback names.
/// Otherwise a page could resolve its own name to this machine and use the server (DNS rebinding).
/// On other servers, proxies choose the name.
pub(crate) fn endpoint(service: &Service, config: &HttpConfig) -> McpEndpoint {
    let loopback = match config.base_url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => true,
    };
    let hosts = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    let mut origins = config.cors_origins.listed();
    origins.push(config.base_url.origin().ascii_serialization());
    if loopback {
        // Tools on this machine, such as the protocol's inspector, serve pages on ports of their own.
        origins.extend(["http://localhost:*", "http://127.0.0.1:*"].map(str::to_owned));
    }
    let listings = Arc::new(listings(&config.base_url, CALL_MCP.path));
    McpEndpoint::new(
        McpServer::new(service.clone()).selling(listings),
        loopback.then_some(hosts),
        origins,
    )
}

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    // Some clients take the address for a folder.
    let folder = format!("{}/", CALL_MCP.path);
    app.service(handle(&CALL_MCP, call)).service(resource(
        &folder,
        CALL_MCP.method.allow(),
        posting().to(call),
    ));
}

/// A message and its sender. A wrong key is refused before the body is read; a missing key is allowed.
struct Message {
    sender: McpCaller,
    body: Vec<u8>,
}

impl FromRequest for Message {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            if !request.headers().contains_key(AUTHORIZATION) {
                let address = ClientAddress::from_request(&request, &mut Payload::None).await?;
                let JsonBytes(body) = JsonBytes::<MAX_BODY>::from_request(&request, &mut payload).await?;
                let (body, payment) = take_payment(body);
                let caller = Caller::at(address.0);
                let sender = McpCaller::Anonymous(Some(Buyer { caller, payment }));
                return Ok(Self { sender, body });
            }
            if is_project_key(&request) {
                type Keyed = AuthenticatedThen<ProjectCaller, JsonBytes<MAX_BODY>>;
                let AuthenticatedThen(caller, JsonBytes(body)) =
                    Keyed::from_request(&request, &mut payload).await?;
                let (body, _) = take_payment(body);
                let sender = McpCaller::Project(caller.0);
                return Ok(Self { sender, body });
            }
            type Keyed = AuthenticatedThen<ApiCaller, JsonBytes<MAX_BODY>>;
            let AuthenticatedThen(caller, JsonBytes(body)) =
                Keyed::from_request(&request, &mut payload).await?;
            // A caller with a key is not charged, so a payment in the message is dropped.
            let (body, _) = take_payment(body);
            let key = Byok::from_request(&request, &mut Payload::None).await?;
            let sender = McpCaller::Holder {
                id: caller.id().clone(),
                key: key.of_header().map_err(Error::Invalid)?,
            };
            Ok(Self { sender, body })
        })
    }
}

/// Takes a signed payment out of a message, so that no library logs it.
fn take_payment(body: Vec<u8>) -> (Vec<u8>, Option<String>) {
    // The slash may be written with a backslash before it.
    // The endpoint refuses what has too many values, or a member twice.
    if !is_sparse(&body) || !body.windows(8).any(|part| part == b"/payment") {
        return (body, None);
    }
    let Ok(mut message) = strict_json::parse(&body) else {
        return (body, None);
    };
    let payment = message
        .pointer_mut("/params/_meta")
        .and_then(|meta| meta.as_object_mut()?.remove("x402/payment"));
    match payment {
        Some(payment) => (message.to_string().into_bytes(), Some(payment.to_string())),
        None => (body, None),
    }
}

async fn call(
    request: HttpRequest,
    message: Message,
    endpoint: web::Data<McpEndpoint>,
) -> Result<HttpResponse, ApiError> {
    let headers = request
        .headers()
        .iter()
        .filter(|(name, _)| !SECRET.contains(name));
    let headers = headers.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()));
    let mut headers: Vec<_> = headers.collect();
    // The protocol wants two types named. Who takes every type, or names none (RFC 9110 section 12.5.1), takes both.
    let named = request
        .headers()
        .get_all(ACCEPT)
        .filter_map(|value| value.to_str().ok());
    let mut types = named.flat_map(|value| value.split(',')).peekable();
    if types.peek().is_none() || types.any(|kind| kind.trim() == "*/*") {
        headers.retain(|(name, _)| name != ACCEPT.as_str());
        headers.push((
            ACCEPT.to_string(),
            b"application/json, text/event-stream".to_vec(),
        ));
    }
    let answer = endpoint.answer(EndpointRequest {
        path: request.path().to_owned(),
        headers,
        body: message.body.into(),
        caller: message.sender,
    });
    let answer = answer
        .await
        .map_err(|_| ApiError::Malformed("A header is malformed."))?;
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status);
    for (name, value) in answer.headers {
        response.append_header((name, value));
    }
    response.insert_header((CACHE_CONTROL, "no-store"));
    Ok(response.streaming(answer.body.map(Ok::<_, Infallible>)))
}
