//! Messages in HTTP requests (streamable HTTP), without sessions.
//!
//! A client of the older revision gets a session id, with which its cancellations find their calls.
//! Refusals of the transport are JSON-RPC errors, because clients show their messages.
//! `rmcp` refuses with a plain sentence.

use crate::caller::McpCaller;
use crate::calls::{CallName, SESSION};
use crate::handler::McpServer;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt, Full};
use ibid_model::json_lines::is_sparse;
use ibid_model::strict_json;
use rmcp::ErrorData;
use rmcp::model::{CancelledNotification, JsonRpcError};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::json;
use std::borrow::Cow;
use std::sync::Arc;
use uuid::Uuid;

/// Answers messages that arrive in HTTP requests. Cheap to clone.
#[derive(Clone)]
pub struct McpEndpoint {
    service: StreamableHttpService<McpServer, NeverSessionManager>,
    server: McpServer,
}

pub struct EndpointRequest {
    pub path: String,
    /// The headers, without those that hold keys.
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Bytes,
    pub caller: McpCaller,
}

/// The answer to a request.
pub struct EndpointAnswer<S> {
    pub status: u16,
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, in parts as they come.
    pub body: S,
}

impl McpEndpoint {
    /// Creates an endpoint. `hosts` lists the accepted names in the `Host` header; `None` accepts every name.
    /// `origins` lists the sites whose scripts may call it.
    pub fn new(server: McpServer, hosts: Option<Vec<String>>, origins: Vec<String>) -> Self {
        let mut config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_origins(origins)
            .enforce_origin_validation();
        config = match hosts {
            Some(hosts) => config.with_allowed_hosts(hosts),
            None => config.disable_allowed_hosts(),
        };
        let sessions = Arc::new(NeverSessionManager::default());
        let of_service = server.clone();
        Self {
            service: StreamableHttpService::new(move || Ok(of_service.clone()), sessions, config),
            server,
        }
    }

    /// Answers a POST request.
    ///
    /// # Errors
    /// The request cannot be represented: a header is malformed.
    pub async fn answer(
        &self,
        request: EndpointRequest,
    ) -> Result<EndpointAnswer<impl Stream<Item = Bytes> + Send + 'static>, http::Error> {
        let EndpointRequest {
            path,
            headers,
            body,
            caller,
        } = request;
        let refused = |status: StatusCode, error| {
            let error = json!(JsonRpcError::new(None, error)).to_string();
            EndpointAnswer {
                status: status.as_u16(),
                headers: vec![(CONTENT_TYPE.to_string(), b"application/json".to_vec())],
                body: futures_util::stream::iter([Bytes::from(error)]).left_stream(),
            }
        };
        let fault = if !is_sparse(&body) {
            Some("the message has too many values for its length")
        } else if strict_json::parse(&body).is_err_and(|error| error.is_data()) {
            // Parsers disagree about which of two equal members counts, and the library takes the last one.
            Some("an object of the message has the same member twice")
        } else {
            None
        };
        if let Some(fault) = fault {
            return Ok(refused(
                StatusCode::BAD_REQUEST,
                ErrorData::invalid_request(fault, None),
            ));
        }
        let mut message = http::Request::post(path);
        for (name, value) in headers {
            message = message.header(name, value);
        }
        let mut message = message.body(Full::new(body.clone()))?;
        message.extensions_mut().insert(caller.clone());
        let sent = message.headers().clone();
        let (mut head, answer) = self.service.handle(message).await.into_parts();
        if !head.status.is_success() && !head.headers.contains_key(CONTENT_TYPE) {
            let Ok(sentence) = answer.collect().await;
            let (status, error) = refusal(head.status, &sentence.to_bytes(), &body);
            return Ok(refused(status, error));
        }
        match head.status {
            StatusCode::OK if method(&body).is_ok_and(|method| method == "initialize") => {
                let id = Uuid::new_v4().to_string().try_into()?;
                head.headers.insert(SESSION, id);
            }
            StatusCode::ACCEPTED => self.cancel(&caller, &sent, &body),
            _ => {}
        }
        let headers = head.headers.iter();
        let headers = headers.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()));
        let body = answer
            .into_data_stream()
            .filter_map(|part| std::future::ready(part.ok()));
        Ok(EndpointAnswer {
            status: head.status.as_u16(),
            headers: headers.collect(),
            body: body.right_stream(),
        })
    }

    /// Cancels the call that an accepted message names, if it is a cancellation.
    fn cancel(&self, caller: &McpCaller, headers: &HeaderMap, body: &[u8]) {
        let Ok(cancelled) = serde_json::from_slice::<CancelledNotification>(body) else {
            return;
        };
        let call = cancelled.params.request_id;
        if let Some(name) = call.and_then(|call| CallName::of(caller, headers, call)) {
            self.server.calls.cancel(&name);
        }
    }
}

/// Reads which method a message calls.
///
/// # Errors
/// The body is not JSON, or no message.
fn method(body: &[u8]) -> Result<Cow<'_, str>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        method: Cow<'a, str>,
    }
    serde_json::from_slice::<Envelope<'_>>(body).map(|message| message.method)
}

/// Returns the status and the error for a refusal, from the sentence that `rmcp` wrote.
/// `rmcp` refuses unreadable bodies as an unsupported media type.
fn refusal(status: StatusCode, sentence: &[u8], body: &[u8]) -> (StatusCode, ErrorData) {
    let invalid = || ErrorData::invalid_request(String::from_utf8_lossy(sentence).into_owned(), None);
    match status {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            let error = match method(body) {
                Err(error) if error.is_syntax() || error.is_eof() => {
                    ErrorData::parse_error(format!("the body is not JSON: {error}"), None)
                }
                Ok(_) | Err(_) => invalid(),
            };
            (StatusCode::BAD_REQUEST, error)
        }
        status => (status, invalid()),
    }
}
