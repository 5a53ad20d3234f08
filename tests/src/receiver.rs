//! A server on loopback that takes webhooks and notifications.

use actix_web::dev::ServerHandle;
use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The longest wait for a message.
const PATIENCE: Duration = Duration::from_secs(30);

/// A message that came in.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its path.
    pub path: String,
    /// Its headers, with lower-case names.
    pub headers: BTreeMap<String, String>,
    /// Its body, byte for byte.
    pub body: Vec<u8>,
}

impl Message {
    /// A header; empty if it is not there.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

/// The answers that a receiver gives, in order: a status and a `Location` or `Retry-After`.
type Answers = Arc<Mutex<VecDeque<(u16, Option<(&'static str, String)>)>>>;

struct State {
    answers: Answers,
    messages: UnboundedSender<Message>,
}

/// A receiver. It answers 204 unless told otherwise, and stops on drop.
pub struct Receiver {
    /// `127.0.0.1:port`.
    pub host: String,
    answers: Answers,
    messages: UnboundedReceiver<Message>,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl Receiver {
    /// Starts a receiver on a free port.
    #[must_use]
    pub fn spawn() -> Self {
        let (sender, messages) = unbounded_channel();
        let answers = Answers::default();
        let state = web::Data::new(State {
            answers: Arc::clone(&answers),
            messages: sender,
        });
        let (started_in, started) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let server = HttpServer::new(move || {
                    App::new().app_data(state.clone()).default_service(web::to(take))
                })
                .workers(1)
                .disable_signals()
                .shutdown_timeout(0)
                .bind(("127.0.0.1", 0))
                .expect("a free port");
                let address = server.addrs()[0];
                let server = server.run();
                started_in
                    .send((address, server.handle()))
                    .expect("the test waits");
                server.await.expect("the receiver ends well");
            });
        });
        let (address, handle) = started.recv().expect("the receiver starts");
        Self {
            host: address.to_string(),
            answers,
            messages,
            handle,
            thread: Some(thread),
        }
    }

    /// The address of a path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    /// Answers the next message with a status.
    pub fn answer(&self, status: u16) {
        self.push(status, None);
    }

    /// Answers the next message with a status and a header.
    pub fn answer_with(&self, status: u16, name: &'static str, value: &str) {
        self.push(status, Some((name, value.to_owned())));
    }

    fn push(&self, status: u16, header: Option<(&'static str, String)>) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.push_back((status, header));
    }

    /// The next message.
    pub async fn next(&mut self) -> Message {
        let next = tokio::time::timeout(PATIENCE, self.messages.recv()).await;
        next.expect("a message in time").expect("a running receiver")
    }

    /// The next message, if it is there already.
    pub fn waiting(&mut self) -> Option<Message> {
        self.messages.try_recv().ok()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the receiver panicked");
        }
    }
}

async fn take(request: HttpRequest, body: Bytes, state: web::Data<State>) -> HttpResponse {
    let headers = request.headers().iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.as_str().to_owned(), value)
    });
    let message = Message {
        path: request.path().to_owned(),
        headers: headers.collect(),
        body: body.to_vec(),
    };
    let answer = state
        .answers
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .pop_front();
    // The test may have ended.
    let _ = state.messages.send(message);
    let (status, header) = answer.unwrap_or((204, None));
    let mut response = HttpResponse::build(StatusCode::from_u16(status).expect("a status"));
    if let Some(header) = header {
        response.insert_header(header);
    }
    response.finish()
}
