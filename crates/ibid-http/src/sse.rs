//! Server-Sent Events on a connection that stays open.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use actix_web::{HttpResponse, HttpResponseBuilder};
use actix_web_lab::sse::{Data, Event, Sse};
use futures_util::{Stream, StreamExt};
use ibid_service::StreamEvent;
use std::time::Duration;

/// Silence after which a comment is sent, so that proxies keep the connection open.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Answers with the events of a run. Dropping the answer drops the stream.
pub(crate) fn answer(events: impl Stream<Item = StreamEvent> + 'static) -> HttpResponse {
    let mut head = HttpResponse::Ok();
    head.insert_header((CACHE_CONTROL, "private, no-store"));
    stream(head, events.map(|event| Data::new(event.data).event(event.name)))
}

/// Answers with a stream of events, below a head that has everything but the type.
pub(crate) fn stream(
    mut head: HttpResponseBuilder,
    events: impl Stream<Item = Data> + 'static,
) -> HttpResponse {
    // The keep-alive of `Sse` also sends a comment at once and between events; this one waits for silence.
    let events = futures_util::stream::unfold(Box::pin(events), |mut events| async move {
        let event = match tokio::time::timeout(KEEP_ALIVE, events.next()).await {
            Ok(event) => Event::Data(event?),
            Err(_) => Event::Comment("".into()),
        };
        Some((event, events))
    });
    head.insert_header((CONTENT_TYPE, "text/event-stream"))
        // Proxies that buffer would delay the events.
        .insert_header((HeaderName::from_static("x-accel-buffering"), "no"))
        .body(Sse::from_infallible_stream(events))
        .map_into_boxed_body()
}
