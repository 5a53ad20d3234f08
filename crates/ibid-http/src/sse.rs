//! Server-Sent Events: from events to bytes on a connection that stays open.

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use actix_web::web::Bytes;
use futures_util::{Stream, StreamExt};
use std::convert::Infallible;
use std::time::Duration;

/// How long a connection may be silent before a comment is sent, so that no proxy thinks it dead.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// One event. JSON has no line breaks outside of texts, and inside they are escaped.
pub(crate) fn event(name: &str, json: &str) -> String {
    format!("event: {name}\ndata: {json}\n\n")
}

/// Answers with a stream of [`event`]s. Dropping the answer drops the stream.
pub(crate) fn answer(events: impl Stream<Item = String> + 'static) -> HttpResponse {
    let frames = futures_util::stream::unfold(Box::pin(events), |mut events| async move {
        let frame = match tokio::time::timeout(KEEP_ALIVE, events.next()).await {
            Ok(event) => event?,
            Err(_) => ":\n\n".to_owned(),
        };
        Some((Ok::<_, Infallible>(Bytes::from(frame)), events))
    });
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/event-stream"))
        .insert_header((CACHE_CONTROL, "private, no-store"))
        // Proxies that buffer would hold the progress back.
        .insert_header((HeaderName::from_static("x-accel-buffering"), "no"))
        .streaming(frames)
}
