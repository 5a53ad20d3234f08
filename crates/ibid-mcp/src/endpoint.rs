//! Messages in HTTP requests (streamable HTTP), without sessions.

use crate::caller::McpCaller;
use crate::handler::McpServer;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http_body_util::{BodyExt, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;

/// Answers messages that arrive in HTTP requests. Cheap to clone.
#[derive(Clone)]
pub struct McpEndpoint {
    service: StreamableHttpService<McpServer, NeverSessionManager>,
}

/// A request.
pub struct EndpointRequest {
    /// The path.
    pub path: String,
    /// The headers, without those that hold keys.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Bytes,
    /// The sender.
    pub caller: McpCaller,
}

/// The answer to a request.
pub struct EndpointAnswer<S> {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, in parts as they come.
    pub body: S,
}

impl McpEndpoint {
    /// An endpoint. `hosts` are the names under which it is reached, without loopback ones; with none it answers under every name.
    /// `origins` are the sites whose scripts may call it.
    #[must_use]
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
        Self {
            service: StreamableHttpService::new(move || Ok(server.clone()), sessions, config),
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
        let mut message = http::Request::post(request.path);
        for (name, value) in request.headers {
            message = message.header(name, value);
        }
        let mut message = message.body(Full::new(request.body))?;
        message.extensions_mut().insert(request.caller);
        let (head, body) = self.service.handle(message).await.into_parts();
        let headers = head.headers.iter();
        let headers = headers.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()));
        Ok(EndpointAnswer {
            status: head.status.as_u16(),
            headers: headers.collect(),
            body: body
                .into_data_stream()
                .filter_map(|part| std::future::ready(part.ok())),
        })
    }
}

impl std::fmt::Debug for McpEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("McpEndpoint(..)")
    }
}
