//! The server side of a fake router.

use super::State;
use super::log::{Attempt, End};
use super::script::{Body, Reply};
use actix_web::body::{BodySize, MessageBody};
use actix_web::dev::Extensions;
use actix_web::http::StatusCode;
use actix_web::rt::net::TcpStream;
use actix_web::web::{self, Bytes};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use serde_json::Value;
use std::any::Any;
use std::os::fd::AsFd as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::time::{Interval, sleep};

/// Serves until stopped. Tells its port and its handle once it listens.
pub(super) fn serve(state: Arc<State>, started: &Sender<(u16, actix_web::dev::ServerHandle)>) {
    actix_web::rt::System::new().block_on(async move {
        let of_connections = Arc::clone(&state);
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("a bound socket").port();
        let app_state = web::Data::from(state);
        let server = HttpServer::new(move || {
            App::new()
                .app_data(app_state.clone())
                .app_data(web::PayloadConfig::new(1024 * 1024))
                .route("/v1/models", web::get().to(list))
                .default_service(web::post().to(answer))
        })
        .workers(1)
        .keep_alive(Duration::from_secs(75))
        .backlog(4_096)
        // A client that goes away is noticed while its request is still being worked on.
        .h1_allow_half_closed(false)
        .on_connect(move |connection, extensions| {
            of_connections.connections.fetch_add(1, Ordering::Relaxed);
            keep_socket(connection, extensions);
        })
        .disable_signals()
        .shutdown_timeout(0)
        .listen(listener)
        .expect("a server on a bound socket")
        .run();
        started.send((port, server.handle())).expect("a test that waits");
        server.await.expect("a server that stops when asked");
    });
}

/// A second handle on the socket of a connection, to reset it with.
struct Socket(std::net::TcpStream);

fn keep_socket(connection: &dyn Any, extensions: &mut Extensions) {
    if let Some(stream) = connection.downcast_ref::<TcpStream>() {
        let copy = stream.as_fd().try_clone_to_owned().expect("a second handle");
        extensions.insert(Socket(std::net::TcpStream::from(copy)));
    }
}

async fn list(request: HttpRequest, state: web::Data<State>) -> HttpResponse {
    let attempt = attempt(&request, &Bytes::new());
    let models = state.with(|world| {
        world.log.lists.push(attempt);
        world.models.clone()
    });
    respond(&models).body(whole(&models))
}

async fn answer(request: HttpRequest, body: Bytes, state: web::Data<State>) -> HttpResponse {
    let attempt = attempt(&request, &body);
    let model = attempt.model.clone();
    let (index, reply) = state.with(|world| world.take(attempt));
    let mut flight = Flight {
        state: state.into_inner(),
        index,
        end: End::Aborted,
    };
    if !reply.delay.is_zero() {
        sleep(reply.delay).await;
    }
    let mut response = respond(&reply);
    let outgoing = match &reply.body {
        Body::Hang => std::future::pending().await,
        Body::Whole(bytes) => {
            flight.end = End::Answered(reply.status);
            return response.body(named(bytes, &model));
        }
        Body::Huge(size) => Outgoing::bytes(flight, vec![b' '; *size], End::Answered(reply.status)),
        Body::Drip(bytes, every) => Outgoing {
            chunk: 1,
            every: Some(tokio::time::interval(*every)),
            ..Outgoing::bytes(flight, bytes.clone(), End::Answered(reply.status))
        },
        Body::Truncated(bytes) => Outgoing {
            breaks: true,
            ..Outgoing::bytes(flight, bytes.clone(), End::Broken)
        },
        Body::Reset(bytes) => {
            if let Some(socket) = request.conn_data::<Socket>() {
                let copy = socket.0.try_clone().expect("another handle");
                let stream = TcpStream::from_std(copy).expect("a socket of this runtime");
                stream.set_zero_linger().expect("a socket that can be reset");
            }
            Outgoing {
                breaks: true,
                ..Outgoing::bytes(flight, bytes.clone(), End::Broken)
            }
        }
    };
    response.body(outgoing)
}

fn respond(reply: &Reply) -> actix_web::HttpResponseBuilder {
    let mut response = HttpResponse::build(StatusCode::from_u16(reply.status).expect("a status"));
    response.content_type(reply.content_type);
    for (name, value) in &reply.headers {
        response.insert_header((name.as_str(), value.as_str()));
    }
    response
}

fn whole(reply: &Reply) -> Vec<u8> {
    match &reply.body {
        Body::Whole(bytes) => bytes.clone(),
        Body::Truncated(_) | Body::Reset(_) | Body::Drip(..) | Body::Hang | Body::Huge(_) => Vec::new(),
    }
}

/// The bytes with the model that was asked, where an answer names none.
fn named(bytes: &[u8], model: &str) -> Vec<u8> {
    match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(mut answer)) if answer.contains_key("choices") && !answer.contains_key("model") => {
            answer.insert("model".to_owned(), format!("resolved/{model}").into());
            Value::Object(answer).to_string().into_bytes()
        }
        _ => bytes.to_vec(),
    }
}

fn attempt(request: &HttpRequest, body: &Bytes) -> Attempt {
    let headers: Vec<(String, String)> = request
        .headers()
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        })
        .collect();
    // Bearer keys, and the headers of Anthropic and Gemini.
    let key = headers.iter().find_map(|(name, value)| match name.as_str() {
        "authorization" => value.strip_prefix("Bearer "),
        "x-api-key" | "x-goog-api-key" => Some(value.as_str()),
        _ => None,
    });
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    // Gemini names the model in the path.
    let last = request
        .path()
        .rsplit('/')
        .next()
        .and_then(|part| part.strip_suffix(":generateContent"));
    Attempt {
        at: Instant::now(),
        model: json["model"].as_str().or(last).unwrap_or_default().to_owned(),
        key: key.map(str::to_owned),
        body: String::from_utf8_lossy(body).into_owned(),
        target: request.uri().to_string(),
        headers,
        end: None,
    }
}

/// A request in flight. Counts as aborted unless it is marked as ended before it is dropped.
struct Flight {
    state: Arc<State>,
    index: usize,
    end: End,
}

impl Drop for Flight {
    fn drop(&mut self) {
        let (index, end) = (self.index, self.end);
        self.state.with(|world| world.log.end(index, end));
    }
}

/// A body that goes out in pieces, and perhaps breaks.
struct Outgoing {
    flight: Flight,
    bytes: Bytes,
    chunk: usize,
    every: Option<Interval>,
    breaks: bool,
    end: End,
}

impl Outgoing {
    fn bytes(flight: Flight, bytes: Vec<u8>, end: End) -> Self {
        Self {
            flight,
            bytes: Bytes::from(bytes),
            chunk: 64 * 1024,
            every: None,
            breaks: false,
            end,
        }
    }
}

/// The end of a broken body.
#[derive(Debug)]
struct Snap;

impl std::fmt::Display for Snap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the script breaks the connection here")
    }
}

impl std::error::Error for Snap {}

impl MessageBody for Outgoing {
    type Error = Snap;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Snap>>> {
        let this = self.get_mut();
        if let Some(every) = &mut this.every
            && every.poll_tick(context).is_pending()
        {
            return Poll::Pending;
        }
        if this.bytes.is_empty() {
            this.flight.end = this.end;
            return Poll::Ready(this.breaks.then_some(Err(Snap)));
        }
        let next = this.bytes.split_to(this.chunk.min(this.bytes.len()));
        Poll::Ready(Some(Ok(next)))
    }
}
