//! Answers as server-sent events, kept alive.

use actix_web::web::Bytes;
use futures_util::{Stream, StreamExt};
use ibid_a2a::limits::KEEP_ALIVE_SECONDS;
use ibid_a2a::{Body, KEEP_ALIVE, RpcId};
use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;

struct Events {
    id: RpcId,
    bodies: Pin<Box<dyn Stream<Item = Body>>>,
}

/// The events of a stream, with comments in between so that no proxy thinks the connection dead. Dropped with the
/// connection; what it shows goes on.
pub(super) fn events(
    id: RpcId,
    bodies: impl Stream<Item = Body> + 'static,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let events = Events {
        id,
        bodies: Box::pin(bodies),
    };
    futures_util::stream::unfold(events, |mut events| async move {
        let silence = Duration::from_secs(KEEP_ALIVE_SECONDS);
        let event = match tokio::time::timeout(silence, events.bodies.next()).await {
            Ok(body) => body?.event(&events.id).into(),
            Err(_) => Bytes::from_static(KEEP_ALIVE),
        };
        Some((Ok(event), events))
    })
}
