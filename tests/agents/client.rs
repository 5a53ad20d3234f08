//! An agent that calls over JSON-RPC, and checks the form of every answer.

use crate::schema::check;
use futures_util::StreamExt;
use ibid_model::{Product, X402Version};
use ibid_tests::{Buyer, Method, Reply, TestServer};
use ibid_x402::sandbox::SignedDraft;
use reqwest::RequestBuilder;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) const PATH: &str = "/api/a2a/jsonrpc";

#[derive(Clone)]
pub(crate) struct Agent {
    pub(crate) buyer: Buyer,
}

/// The answer to a call: a result, or the code of an error.
pub(crate) trait Outcome {
    fn result(self) -> Value;
    fn code(&self) -> i64;
    /// The code of an error, and our word for it.
    fn refusal(&self) -> (i64, &str);
}

impl Outcome for Value {
    #[track_caller]
    fn result(self) -> Value {
        assert!(self.get("error").is_none(), "{self:#}");
        self["result"].clone()
    }

    #[track_caller]
    fn code(&self) -> i64 {
        self["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("no error: {self:#}"))
    }

    #[track_caller]
    fn refusal(&self) -> (i64, &str) {
        (
            self.code(),
            self["error"]["data"]["code"].as_str().unwrap_or_default(),
        )
    }
}

/// A request for the smallest scan.
pub(crate) fn small_scan() -> Value {
    let mut scan = ibid_tests::buyer::small_purchase();
    scan["skill"] = json!("scan");
    scan
}

fn next() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("m-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A message of one part.
pub(crate) fn message(part: Value) -> Value {
    json!({"kind": "message", "role": "user", "messageId": next(), "parts": [part]})
}

pub(crate) fn words(text: &str) -> Value {
    message(json!({"kind": "text", "text": text}))
}

pub(crate) fn asks(request: Value) -> Value {
    message(json!({"kind": "data", "data": request}))
}

/// The same message with another member.
pub(crate) fn with(mut message: Value, member: &str, value: impl Into<Value>) -> Value {
    message[member] = value.into();
    message
}

/// The metadata that carries a payment.
pub(crate) fn submission(payment: &SignedDraft) -> Value {
    json!({"x402.payment.status": "payment-submitted", "x402.payment.payload": payment.payload()})
}

pub(crate) fn id(task: &Value) -> String {
    task["id"].as_str().unwrap().to_owned()
}

pub(crate) fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap()
}

/// The metadata of the agent's message.
pub(crate) fn told(task: &Value) -> &Map<String, Value> {
    static NONE: std::sync::OnceLock<Map<String, Value>> = std::sync::OnceLock::new();
    let metadata = task["status"]["message"]["metadata"].as_object();
    metadata.unwrap_or_else(|| NONE.get_or_init(Map::new))
}

pub(crate) fn payment_status(task: &Value) -> &str {
    told(task)
        .get("x402.payment.status")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

impl Agent {
    pub(crate) fn of(server: &TestServer) -> Self {
        Self {
            buyer: Buyer::of(server),
        }
    }

    /// A call before it is sent.
    pub(crate) fn request(&self, method: &str, params: &Value) -> RequestBuilder {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.buyer.bare(Method::POST, PATH).json(&body)
    }

    /// Sends a body as it is.
    pub(crate) async fn post(&self, body: impl Into<String>) -> Value {
        let request = self
            .buyer
            .bare(Method::POST, PATH)
            .header("Content-Type", "application/json");
        let answer = document(request.body(body.into())).await;
        let definition = if answer.get("error").is_some() {
            "JSONRPCErrorResponse"
        } else {
            "SendMessageResponse"
        };
        check(definition, &answer);
        answer
    }

    pub(crate) async fn call(&self, method: &str, params: Value) -> Value {
        let answer = document(self.request(method, &params)).await;
        assert_eq!(answer["id"], 1);
        match method {
            "tasks/get" => check("GetTaskResponse", &answer),
            "tasks/cancel" => check("CancelTaskResponse", &answer),
            _ => check("SendMessageResponse", &answer),
        }
        answer
    }

    pub(crate) async fn send(&self, message: Value) -> Value {
        self.call("message/send", json!({"message": message})).await
    }

    /// Sends without waiting for the end.
    pub(crate) async fn post_message(&self, message: Value) -> Value {
        let params = json!({"message": message, "configuration": {"blocking": false}});
        self.call("message/send", params).await
    }

    pub(crate) async fn get(&self, task: &str) -> Value {
        self.call("tasks/get", json!({"id": task})).await
    }

    pub(crate) async fn cancel(&self, task: &str) -> Value {
        self.call("tasks/cancel", json!({"id": task})).await
    }

    /// A task that waits for the payment of a scan.
    pub(crate) async fn asked(&self) -> Value {
        let task = self.send(asks(small_scan())).await.result();
        assert_eq!(
            (state(&task), payment_status(&task)),
            ("input-required", "payment-required")
        );
        task
    }

    pub(crate) fn payment(&self, product: Product) -> SignedDraft {
        self.buyer.pay(product, X402Version::V1)
    }

    /// The message that pays for a task.
    pub(crate) fn pays(&self, task: &str, payment: &SignedDraft) -> Value {
        with(
            with(words("payment"), "taskId", task),
            "metadata",
            submission(payment),
        )
    }

    /// Pays for a task and waits for what comes of it.
    pub(crate) async fn pay(&self, task: &Value, payment: &SignedDraft) -> Value {
        self.send(self.pays(&id(task), payment)).await.result()
    }

    /// Pays for a task without waiting.
    pub(crate) async fn start(&self, task: &Value, payment: &SignedDraft) -> Value {
        self.post_message(self.pays(&id(task), payment)).await.result()
    }

    /// Sends a request with its payment, and waits for what comes of it.
    pub(crate) async fn pay_directly(&self, request: Value, payment: &SignedDraft) -> Value {
        let message = with(asks(request), "metadata", submission(payment));
        self.send(message).await.result()
    }

    /// The stream of a task that is there.
    pub(crate) async fn watch(&self, task: &Value) -> Events {
        self.open_stream("tasks/resubscribe", json!({"id": task["id"]}))
            .await
    }

    /// A stream, as far as it is open.
    pub(crate) async fn open_stream(&self, method: &str, params: Value) -> Events {
        let response = self.request(method, &params).send().await.unwrap();
        let header = |name: &str| {
            response
                .headers()
                .get(name)
                .map_or("", |value| value.to_str().unwrap())
                .to_owned()
        };
        assert_eq!(
            (response.status().as_u16(), header("content-type").as_str()),
            (200, "text/event-stream")
        );
        assert_eq!(
            (
                header("x-accel-buffering").as_str(),
                header("cache-control").contains("no-cache")
            ),
            ("no", true)
        );
        let chunks = response.bytes_stream().map(|chunk| chunk.unwrap().to_vec());
        Events {
            body: chunks.boxed(),
            text: String::new(),
        }
    }

    /// All events of a stream.
    pub(crate) async fn stream(&self, method: &str, params: Value) -> Vec<Value> {
        self.open_stream(method, params).await.rest().await
    }
}

/// The answer to a call. It has status 200 for results and errors.
async fn document(request: RequestBuilder) -> Value {
    let reply = Reply::of(request).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("content-type")),
        (200, "application/json"),
        "{}",
        reply.text
    );
    reply.json()
}

/// The events of a stream.
pub(crate) struct Events {
    body: futures_util::stream::BoxStream<'static, Vec<u8>>,
    text: String,
}

impl Events {
    /// The next answer; nothing once the server has closed the stream.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                if event.starts_with(':') {
                    continue;
                }
                // One `data:` line and nothing else: no `id:`, no `event:`, no `retry:`.
                let data = event.strip_prefix("data: ").unwrap_or_else(|| panic!("{event}"));
                assert!(!data.contains('\n'), "{event}");
                let answer: Value = serde_json::from_str(data).unwrap();
                check("SendStreamingMessageResponse", &answer);
                return Some(answer);
            }
            match self.body.next().await {
                Some(chunk) => self.text.push_str(std::str::from_utf8(&chunk).unwrap()),
                None => {
                    assert_eq!(self.text, "");
                    return None;
                }
            }
        }
    }

    pub(crate) async fn rest(mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

/// `task`, `status-update working`, `artifact-update`, `status-update completed final`, ..
pub(crate) fn kinds(events: &[Value]) -> Vec<String> {
    let kind = |event: &Value| {
        let result = &event["result"];
        let mut kind = result["kind"].as_str().unwrap_or("error").to_owned();
        if let Some(state) = result["status"]["state"].as_str() {
            kind.push_str(&format!(" {state}"));
        }
        if result["final"] == true {
            kind.push_str(" final");
        }
        kind
    };
    events.iter().map(kind).collect()
}
