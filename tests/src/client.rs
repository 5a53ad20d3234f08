//! Callers: one client type per kind.

use crate::server::{API_KEY, PROVIDER_KEY, TestServer};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

/// An answer, read to its end.
#[derive(Debug)]
pub struct Reply {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: reqwest::header::HeaderMap,
    /// Its body.
    pub text: String,
}

impl Reply {
    /// Sends a request and reads the whole answer.
    pub async fn of(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status(), response.headers().clone());
        Self {
            status,
            headers,
            text: response.text().await.expect("a body"),
        }
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error} in {}", self.text))
    }

    /// A header as text; empty if it is not there.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap_or_default())
    }

    /// The stable code of a problem document.
    #[must_use]
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// `field: code` of every fault, in order.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let errors = self.json()["errors"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        errors
            .iter()
            .map(|error| format!("{}: {}", text(&error["field"]), text(&error["code"])))
            .collect()
    }
}

/// An integrator with the bearer key and a provider key.
pub struct ApiClient {
    http: reqwest::Client,
    url: String,
}

impl ApiClient {
    /// A client of this server.
    #[must_use]
    pub fn of(server: &TestServer) -> Self {
        Self::at(&server.url)
    }

    /// A client of the server at this address.
    #[must_use]
    pub fn at(url: &str) -> Self {
        crate::install_tls();
        let http = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client");
        Self {
            http,
            url: url.to_owned(),
        }
    }

    /// Any request, without credentials.
    pub fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    /// A scan request with credentials; the caller may change it before sending.
    pub fn scan_request(&self, body: &Value) -> RequestBuilder {
        self.bare(Method::POST, "/api/v1/scan")
            .bearer_auth(API_KEY)
            .header("X-Router-Key", PROVIDER_KEY)
            .json(body)
    }

    /// Runs a scan.
    pub async fn scan(&self, body: &Value) -> Reply {
        Reply::of(self.scan_request(body)).await
    }

    /// Reads a path with the bearer key.
    pub async fn get(&self, path: &str) -> Reply {
        Reply::of(self.bare(Method::GET, path).bearer_auth(API_KEY)).await
    }
}

/// The smallest valid order.
#[must_use]
pub fn small_order() -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "models": ["model-1-latest"], "questionsPerModel": 1})
}
