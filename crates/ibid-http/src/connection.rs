//! Connections of clients that do not read their answers: they take little memory, and end after a while.
//!
//! actix-http's dispatcher decodes all requests in its buffer of 128 KiB at 6 KiB each.
//! It writes an item of a body into its buffer as a whole, and waits for the client without a time limit.
//! A [`Connection`] therefore passes it one request at a time, and no request while answers wait to be sent.
//! [`Pieces`] splits bodies, and a write that waits too long fails.

use crate::shutdown::Shutdown;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::Payload;
use actix_web::web::Bytes;
use futures_util::{StreamExt, stream};
use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::sleep;

/// Bytes of later requests that are held while a request is answered.
/// They are read to detect a client that hangs up.
const AHEAD: usize = 4 * 1_024;
/// Bytes of a body that the dispatcher takes at once.
pub(crate) const PIECE: usize = 16 * 1_024;
/// Bytes that wait in the system for a client, besides those on their way.
#[cfg(any(target_os = "linux", target_os = "android"))]
const UNSENT: u32 = 128 * 1_024;
/// The longest wait for a client that does not read, once the server stops.
pub(crate) const AT_STOP: Duration = Duration::from_secs(1);

/// A connection that bounds what waits for its client.
pub(crate) struct Connection {
    stream: TcpStream,
    turn: Turn,
    /// Bytes that the dispatcher has not received yet.
    held: Vec<u8>,
    /// Whether the dispatcher must first process the bytes that it has.
    paused: bool,
    /// The longest time for which the client may read no bytes.
    patience: Duration,
    shutdown: Shutdown,
    /// Ends the connection, set while the client reads no bytes.
    end: Option<Pin<Box<dyn Future<Output = ()>>>>,
    /// Whether the dispatcher tried to read in the meantime.
    wants_more: bool,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, patience: Duration, shutdown: Shutdown) -> Self {
        // Bodies go out in pieces; without this, the last one waits 40 ms for an acknowledgement that clients delay.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "http.nodelay.unset");
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if let Err(error) = socket2::SockRef::from(&stream).set_tcp_notsent_lowat(UNSENT) {
            tracing::debug!(%error, "http.unsent.unbounded");
        }
        Self {
            stream,
            turn: Turn::default(),
            held: Vec::new(),
            paused: false,
            patience,
            shutdown,
            end: None,
            wants_more: false,
        }
    }

    /// The request that is answered on this connection.
    pub(crate) fn turn(&self) -> Turn {
        self.turn.clone()
    }

    /// Waits for the client to read, and ends the connection after the time limit.
    fn poll_unread(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let end = self
            .end
            .get_or_insert_with(|| Box::pin(patience_ends(self.patience, self.shutdown.clone())));
        ready!(end.as_mut().poll(cx));
        tracing::debug!("http.unread.closed");
        // The system drops what it holds for the client.
        let fault = self.stream.set_zero_linger().err();
        Poll::Ready(fault.unwrap_or_else(|| io::ErrorKind::TimedOut.into()))
    }
}

async fn patience_ends(patience: Duration, shutdown: Shutdown) {
    let stopped = async {
        shutdown.stopped().await;
        sleep(AT_STOP).await;
    };
    tokio::select! {
        () = sleep(patience) => {}
        () = stopped => {}
    }
}

impl Connection {
    /// Holds the bytes that arrive while a request is answered. Ready once the client has hung up.
    fn poll_hang_up(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut space = [0; AHEAD];
        while self.held.len() < AHEAD {
            let mut part = ReadBuf::new(&mut space[self.held.len()..]);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut part))?;
            if part.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.held.extend_from_slice(part.filled());
        }
        Poll::Pending
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.end.is_some() {
            this.wants_more = true;
            return Poll::Pending;
        }
        let phase = this.turn.phase();
        if phase == Phase::Answer {
            this.turn.wait(cx);
            return this.poll_hang_up(cx);
        }
        if std::mem::take(&mut this.paused) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let most = buffer.remaining().min(phase.most());
        let mut part = ReadBuf::new(buffer.initialize_unfilled_to(most));
        if this.held.is_empty() {
            ready!(Pin::new(&mut this.stream).poll_read(cx, &mut part))?;
        } else {
            let bytes = this.held.len().min(most);
            part.put_slice(&this.held[..bytes]);
            this.held.drain(..bytes);
        }
        let bytes = part.filled();
        let given = this.turn.take(bytes);
        this.held.splice(..0, bytes[given..].iter().copied());
        // A body of known length may go on at once.
        this.paused = given > 0 && matches!(this.turn.phase(), Phase::Head | Phase::Body(None));
        buffer.advance(given);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, bytes);
        if written.is_pending() {
            return this.poll_unread(cx).map(Err);
        }
        this.end = None;
        if std::mem::take(&mut this.wants_more) {
            cx.waker().wake_by_ref();
        }
        written
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// The request that is answered on a connection. Cheap to clone; clones share it.
#[derive(Clone, Default)]
pub(crate) struct Turn(Rc<TurnState>);

#[derive(Default)]
struct TurnState {
    phase: Cell<Phase>,
    reader: Cell<Option<Waker>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Waits for a head.
    #[default]
    Head,
    /// Waits for a body, with the number of missing bytes if its length is known.
    Body(Option<usize>),
    /// The request is complete and is being answered.
    Answer,
}

impl Phase {
    /// Returns the phase while this many bytes are missing.
    fn body(left: usize) -> Self {
        match left {
            0 => Self::Answer,
            _ => Self::Body(Some(left)),
        }
    }

    /// The most bytes to read at once. Only a body of known length cannot hide further requests.
    fn most(self) -> usize {
        match self {
            Self::Body(Some(left)) => left,
            Self::Head | Self::Body(None) | Self::Answer => AHEAD,
        }
    }
}

impl Turn {
    /// Begins to answer a request: what follows its body waits. Returns the body, and the guard of the answer.
    pub(crate) fn begin(&self, body: Payload, length: Option<usize>) -> (Payload, Answering) {
        let answering = Answering(self.clone());
        if matches!(body, Payload::None) {
            self.0.phase.set(Phase::Answer);
            return (body, answering);
        }
        // Otherwise the head declared its length, and a part of it came with the head.
        if self.phase() == Phase::Head {
            self.0.phase.set(Phase::Body(length.filter(|length| *length > 0)));
        }
        let turn = self.clone();
        let end = stream::poll_fn(move |_| {
            turn.0.phase.set(Phase::Answer);
            Poll::Ready(None)
        });
        let payload = Box::pin(body.chain(end));
        (Payload::Stream { payload }, answering)
    }

    fn phase(&self) -> Phase {
        self.0.phase.get()
    }

    /// Returns how many bytes belong to the awaited part of the request.
    fn take(&self, bytes: &[u8]) -> usize {
        match self.phase() {
            Phase::Head => {
                let Some(end) = end_of_head(bytes) else {
                    return bytes.len();
                };
                // A short body arrives together with its head.
                let length = declared_length(&bytes[..end]).unwrap_or_default();
                let given = length.min(bytes.len() - end);
                if length > 0 {
                    self.0.phase.set(Phase::body(length - given));
                }
                end + given
            }
            Phase::Body(None) => bytes.len(),
            Phase::Body(Some(left)) => {
                let given = bytes.len().min(left);
                self.0.phase.set(Phase::body(left - given));
                given
            }
            Phase::Answer => 0,
        }
    }

    /// Wakes a reader once the request is answered.
    fn wait(&self, cx: &Context<'_>) {
        self.0.reader.set(Some(cx.waker().clone()));
    }

    fn wake(&self) {
        if let Some(reader) = self.0.reader.take() {
            reader.wake();
        }
    }
}

/// Returns where a head ends that ends in these bytes. Its lines may end without a carriage return.
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    (0..bytes.len()).find_map(|at| match &bytes[at..] {
        [b'\n', b'\n', ..] => Some(at + 2),
        [b'\n', b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

/// Returns the length of the body that a head declares.
/// The dispatcher parses the head again and decides about the length.
fn declared_length(head: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"\ncontent-length:";
    let mut parts = head.windows(NAME.len());
    let at = parts.position(|part| part.eq_ignore_ascii_case(NAME))?;
    let line = head[at + NAME.len()..].split(|byte| *byte == b'\n').next()?;
    std::str::from_utf8(line).ok()?.trim().parse().ok()
}

/// A request that is answered until this is dropped.
pub(crate) struct Answering(Turn);

impl Answering {
    /// Wraps the answer's body. It is complete when the dispatcher drops it.
    pub(crate) fn with(self, body: BoxBody) -> BoxBody {
        self.0.0.phase.set(Phase::Answer);
        BoxBody::new(Pieces {
            body,
            rest: Bytes::new(),
            _until: self,
        })
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.0.phase.set(Phase::Head);
        self.0.wake();
    }
}

/// A body in pieces, so that little of it waits in the dispatcher's buffer.
struct Pieces {
    body: BoxBody,
    rest: Bytes,
    _until: Answering,
}

impl MessageBody for Pieces {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        if this.rest.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_next(cx)) {
                Some(Ok(item)) => this.rest = item,
                end => return Poll::Ready(end),
            }
        }
        let piece = this.rest.split_to(this.rest.len().min(PIECE));
        Poll::Ready(Some(Ok(piece)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_http::BoxedPayloadStream;

    #[tokio::test]
    async fn the_last_piece_of_a_body_waits_for_no_acknowledgement() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let (_client, (stream, _)) = tokio::try_join!(client, listener.accept()).unwrap();
        let connection = Connection::new(stream, AT_STOP, Shutdown::default());
        assert!(connection.stream.nodelay().unwrap());
    }

    #[test]
    fn a_head_ends_with_an_empty_line() {
        for (bytes, end) in [
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET", Some(27)),
            ("GET / HTTP/1.1\n\nGET", Some(16)),
            ("GET / HTTP/1.1\n\r\nGET", Some(17)),
            ("GET / HTTP/1.1\r\nHost", None),
            ("\r\n\r\n", Some(4)),
            ("", None),
        ] {
            assert_eq!(end_of_head(bytes.as_bytes()), end, "{bytes:?}");
        }
    }

    #[test]
    fn a_head_declares_the_length_of_its_body() {
        for (head, length) in [
            ("POST / HTTP/1.1\r\nContent-Length: 12\r\n\r\n", Some(12)),
            ("POST / HTTP/1.1\ncontent-length:7\n\n", Some(7)),
            ("POST / HTTP/1.1\r\nX-Content-Length: 12\r\n\r\n", None),
            ("POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n", None),
            ("GET / HTTP/1.1\r\n\r\n", None),
        ] {
            assert_eq!(declared_length(head.as_bytes()), length, "{head:?}");
        }
    }

    #[test]
    fn one_request_is_given_after_the_other() {
        let turn = Turn::default();
        let requests = b"GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n";
        assert_eq!(turn.take(requests), 19);
        let (_, first) = turn.begin(Payload::None, None);
        assert_eq!(turn.take(requests), 0);
        drop(first);
        assert_eq!(turn.take(&requests[19..]), 19);
        let post = b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n";
        let with = |body: &str| [post, body.as_bytes()].concat();
        assert_eq!(turn.take(&with("abcdeGET")), post.len() + 5);
        assert_eq!(turn.phase(), Phase::Answer);
        turn.0.phase.set(Phase::Head);
        assert_eq!(turn.take(&with("abc")), post.len() + 3);
        assert_eq!(
            (turn.take(b"d"), turn.take(b"eGET"), turn.take(b"GET")),
            (1, 1, 0)
        );
        turn.0.phase.set(Phase::Head);
        let payload: BoxedPayloadStream = Box::pin(stream::empty());
        let (_, last) = turn.begin(Payload::Stream { payload }, None);
        assert_eq!(turn.take(b"abc\r\n\r\nd"), 8);
        drop(last);
        assert_eq!(turn.phase(), Phase::Head);
    }
}
