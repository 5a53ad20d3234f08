//! A caller of the second API, and a provider that answers when it is told to.

use futures_util::future::BoxFuture;
use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderKey, Sandbox};
use ibid_service::ServiceKey;
use ibid_tests::{API_KEY, ApiClient, PROVIDER_KEY, Reply, Setup, TestServer};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The path of the caller's scans.
pub(crate) const SCANS: &str = "/api/v2/scans";

/// The sandbox behind a gate: each permit lets one answer through.
pub(crate) struct Gate {
    sandbox: Sandbox,
    open: Arc<Semaphore>,
}

/// A server whose models answer one question for each permit.
pub(crate) fn gated() -> (TestServer, Arc<Semaphore>) {
    let open = Arc::new(Semaphore::new(0));
    let gate = Gate {
        sandbox: Sandbox::new(7),
        open: Arc::clone(&open),
    };
    (Setup::default().provider(Arc::new(gate)).spawn(), open)
}

impl Provider for Gate {
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> BoxFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move {
            self.open.acquire().await.unwrap().forget();
            self.sandbox.ask(key, prompt).await
        })
    }

    fn is_sandbox(&self) -> bool {
        true
    }
}

/// A caller with a bearer key.
pub(crate) struct Caller {
    client: ApiClient,
    bearer: String,
}

impl Caller {
    /// The holder of the key of the configuration.
    pub(crate) fn of(server: &TestServer) -> Self {
        Self {
            client: ApiClient::of(server),
            bearer: API_KEY.to_owned(),
        }
    }

    /// The holder of a service key with this name.
    pub(crate) fn named(server: &TestServer, name: &str) -> Self {
        let key = ServiceKey::random().unwrap();
        server
            .store
            .add_service_key(&name.parse().unwrap(), &key.hash(), 1)
            .unwrap();
        Self {
            client: ApiClient::of(server),
            bearer: key.reveal().to_owned(),
        }
    }

    /// A request with the bearer key.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.bare(method, path).bearer_auth(&self.bearer)
    }

    /// A request that queues something.
    pub(crate) fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.request(Method::POST, path)
            .header("X-Router-Key", PROVIDER_KEY)
            .json(body)
    }

    /// Queues a scan.
    pub(crate) async fn queue(&self, order: &Value) -> Reply {
        Reply::of(self.post(SCANS, order)).await
    }

    /// Queues a scan that is accepted, and returns its path.
    pub(crate) async fn accepted(&self, order: &Value) -> String {
        let reply = self.queue(order).await;
        assert_eq!(reply.status, 202, "{}", reply.text);
        reply.header("location").to_owned()
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        Reply::of(self.request(Method::GET, path)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        Reply::of(self.request(Method::DELETE, path)).await
    }

    /// Follows a scan.
    pub(crate) async fn follow(&self, path: &str, last: Option<&str>) -> Events {
        let mut request = self.request(Method::GET, &format!("{path}/events"));
        if let Some(last) = last {
            request = request.header("Last-Event-ID", last);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        Events {
            response,
            text: String::new(),
        }
    }

    /// Waits for the end of a scan, and returns its document.
    pub(crate) async fn ended(&self, path: &str) -> Value {
        let mut events = self.follow(path, None).await;
        while events.next().await.unwrap().name != "scan_ended" {}
        self.get(path).await.json()
    }
}

/// A stream of events under way.
pub(crate) struct Events {
    pub(crate) response: Response,
    text: String,
}

/// One event.
#[derive(Debug, PartialEq)]
pub(crate) struct ScanEvent {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) data: Value,
}

impl Events {
    /// The next event; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<ScanEvent> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let event = read(block);
                self.text = rest.to_owned();
                if event.is_some() {
                    return event;
                }
                continue;
            }
            let chunk = self.response.chunk().await.unwrap()?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

/// Reads a block of lines; `None` for a comment.
fn read(block: &str) -> Option<ScanEvent> {
    let field = |name: &str| {
        let lines = block.lines().filter_map(|line| line.strip_prefix(name));
        lines.map(str::trim_start).next().map(str::to_owned)
    };
    Some(ScanEvent {
        id: field("id:")?,
        name: field("event:")?,
        data: serde_json::from_str(&field("data:")?).unwrap(),
    })
}
