//! Parts that both transports of the agent-to-agent protocol share.
//! They are the version, the payment headers, and the head of an answer.

use crate::extract::ClientAddress;
use crate::respond::json;
use crate::sse;
use actix_web::http::StatusCode;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use actix_web_lab::sse::Data;
use futures_util::{Stream, StreamExt};
use ibid_a2a::{
    AnswerBody, Call, CallError, ExtensionHeader, Form, Incoming, PAYMENT_EXTENSIONS, RpcId, Wire, activated,
};
use ibid_service::{Caller, MessageCall, Shown, Tasks};
use ibid_x402::{PAYMENT_SIGNATURE, Payment, X_PAYMENT};

/// The headers that may contain a payment.
const PAYMENT_HEADERS: [&str; 2] = [X_PAYMENT, PAYMENT_SIGNATURE];
/// Names the version, in a header or in the query.
const VERSION: &str = "A2A-Version";

/// Returns the version that a client names: in the header, else in the query.
pub(super) fn version(request: &HttpRequest) -> Option<String> {
    let header = request
        .headers()
        .get(VERSION)
        .and_then(|value| value.to_str().ok());
    let query = || {
        let query = url::form_urlencoded::parse(request.query_string().as_bytes());
        let mut named = query.filter(|(name, _)| name.eq_ignore_ascii_case(VERSION));
        named.next().map(|(_, value)| value.into_owned())
    };
    header.map(str::to_owned).or_else(query)
}

/// Adds the payment that a client sent in headers to its message.
fn message(
    wire: Wire,
    incoming: Incoming,
    caller: Caller,
    request: &HttpRequest,
) -> Result<MessageCall, CallError> {
    let [v1, v2] = PAYMENT_HEADERS.map(|name| request.headers().get_all(name).map(|value| value.as_bytes()));
    let header = Payment::from_headers(v1, v2);
    let header = header
        .map_err(|error| CallError::misfit("malformed_payment", format!("{error}; nothing was spent")))?;
    let incoming = match header {
        Some(_) => incoming.with_payment_header()?,
        None => incoming,
    };
    Ok(MessageCall {
        wire,
        incoming,
        header,
        caller,
    })
}

/// An answer under construction.
pub(super) struct Answer<'a> {
    pub(super) request: &'a HttpRequest,
    pub(super) wire: Wire,
    /// Id of a JSON-RPC request; null over plain HTTP.
    pub(super) id: RpcId,
}

impl Answer<'_> {
    /// Carries out a call and answers it. A call that asks for a stream gets its error in one, by `form`.
    pub(super) async fn to(
        self,
        call: Result<Call, CallError>,
        form: Form,
        from: ClientAddress,
        tasks: &Tasks,
    ) -> HttpResponse {
        let (wire, request) = (self.wire, self.request);
        let caller = || Caller::at(from.0);
        let error = match call {
            Ok(Call::Send(incoming)) => match message(wire, *incoming, caller(), request) {
                Ok(call) => return self.sent(tasks.send(call).await),
                Err(error) => error,
            },
            Ok(Call::Stream(incoming)) => match message(wire, *incoming, caller(), request) {
                Ok(call) => return self.stream(tasks.stream(call)).await,
                Err(error) => error,
            },
            Ok(Call::Get { task, history }) => return self.task(tasks.get(task, history).await),
            Ok(Call::Cancel(task)) => return self.task(tasks.cancel(task).await),
            Ok(Call::Resubscribe { task, open }) => {
                return self.stream(tasks.resubscribe(wire, task, open, caller())).await;
            }
            Ok(Call::Push(call)) => match tasks.push(wire, call, caller()).await {
                Ok(body) => return self.document(body),
                Err(error) => error,
            },
            Ok(Call::List(page)) => return self.document(wire.no_tasks(page)),
            Err(error) => error,
        };
        match form {
            Form::Json => self.error(&error),
            Form::Stream => {
                let body = wire.error(&error);
                self.stream(futures_util::stream::iter([body])).await
            }
        }
    }

    /// The answer to a message. Contains the settlement if the client paid in a header.
    pub(super) fn sent(self, shown: Result<Shown, CallError>) -> HttpResponse {
        match shown {
            Ok(shown) => {
                let mut response = self.head();
                let headers = self.request.headers();
                let paid = PAYMENT_HEADERS.iter().any(|name| headers.contains_key(*name));
                if let Some(settlement) = shown.settlement().filter(|_| paid) {
                    crate::headers::insert_settlement(&mut response, &settlement);
                }
                let body = shown.sent(self.wire);
                self.document_below(response, body)
            }
            Err(error) => self.error(&error),
        }
    }

    /// A task by itself.
    pub(super) fn task(self, shown: Result<Shown, CallError>) -> HttpResponse {
        match shown {
            Ok(shown) => {
                let body = shown.task(self.wire);
                self.document(body)
            }
            Err(error) => self.error(&error),
        }
    }

    pub(super) fn error(self, error: &CallError) -> HttpResponse {
        let body = self.wire.error(error);
        self.document(body)
    }

    pub(super) fn document(self, body: AnswerBody) -> HttpResponse {
        let head = self.head();
        self.document_below(head, body)
    }

    fn document_below(self, mut response: HttpResponseBuilder, body: AnswerBody) -> HttpResponse {
        let status = StatusCode::from_u16(body.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.status(status).content_type(json());
        response.body(write(self.wire, body, &self.id))
    }

    /// A stream of events. In 1.0 an error before the first event is a document.
    pub(super) async fn stream(self, bodies: impl Stream<Item = AnswerBody> + 'static) -> HttpResponse {
        let mut bodies = Box::pin(bodies);
        let mut first = None;
        if self.wire.is_v1() {
            match bodies.next().await {
                Some(body) if body.is_error() => return self.document(body),
                other => first = other,
            }
        }
        let mut head = self.head();
        head.insert_header((CACHE_CONTROL, "no-cache, no-store"));
        let events = futures_util::stream::iter(first).chain(bodies).map(move |body| {
            let document = write(self.wire, body, &self.id);
            // Stored documents may contain line breaks. In JSON they are white space.
            Data::new(String::from_utf8_lossy(&document).replace(['\n', '\r'], " "))
        });
        sse::stream(head, events)
    }

    /// Status 200, and the header of the extensions that the client has activated.
    fn head(&self) -> HttpResponseBuilder {
        let mut response = HttpResponse::Ok();
        let named = ExtensionHeader::ALL.into_iter().flat_map(|header| {
            let values = self.request.headers().get_all(header.name());
            values.filter_map(move |value| value.to_str().ok().map(|text| (header, text)))
        });
        if let Some((header, uris)) = activated(named, &PAYMENT_EXTENSIONS) {
            response.insert_header((header.name(), uris.join(", ")));
        }
        response
    }
}

/// Writes an answer: in an envelope, or alone.
fn write(wire: Wire, body: AnswerBody, id: &RpcId) -> Vec<u8> {
    match wire {
        Wire::Rpc03 | Wire::Rpc10 => body.document(id),
        Wire::Http10 => body.into_bytes(),
    }
}
