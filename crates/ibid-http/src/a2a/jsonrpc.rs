//! `POST /api/a2a/jsonrpc`: the agent-to-agent protocol over JSON-RPC.
//!
//! Every answer to a JSON-RPC call has status 200, errors included: clients look at the status before they look at
//! the body. Other statuses are for requests that are not a JSON-RPC call: wrong method, wrong type, too many bytes.

use crate::extract::{ClientAddress, JsonBytes};
use crate::headers::insert_settlement;
use crate::respond::{handle, json};
use crate::sse;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use actix_web_lab::sse::Data;
use futures_util::{Stream, StreamExt};
use ibid_a2a::{
    AnswerBody, Call, CallError, ExtensionHeader, Form, Incoming, PAYMENT_EXTENSION, RpcId, RpcRequest,
    activated,
};
use ibid_model::contract::routes::CALL_AGENT;
use ibid_service::{Caller, MessageCall, Shown, Tasks};
use ibid_x402::{PAYMENT_SIGNATURE, Payment, X_PAYMENT};

/// Largest body in bytes; it may contain a page to audit.
const MAX_BODY: usize = ibid_a2a::limits::MAX_BODY;

/// The headers that may contain a payment.
const PAYMENT_HEADERS: [&str; 2] = [X_PAYMENT, PAYMENT_SIGNATURE];

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&CALL_AGENT, call));
}

async fn call(
    request: HttpRequest,
    from: ClientAddress,
    body: JsonBytes<MAX_BODY>,
    tasks: web::Data<Tasks>,
) -> HttpResponse {
    let rpc = RpcRequest::parse(&body.0);
    drop(body);
    let (form, id) = (rpc.form(), rpc.id);
    let caller = || Caller::at(from.0);
    let answer = Answer {
        request: &request,
        id,
    };
    match rpc.call {
        Ok(Call::Send(incoming)) => match message(*incoming, caller(), &request) {
            Ok(call) => answer.shown(tasks.send(call).await),
            Err(error) => answer.error(form, &error),
        },
        Ok(Call::Stream(incoming)) => match message(*incoming, caller(), &request) {
            Ok(call) => answer.stream(tasks.stream(call)),
            Err(error) => answer.error(form, &error),
        },
        Ok(Call::Get { task, history }) => answer.shown(tasks.get(task, history).await),
        Ok(Call::Cancel(task)) => answer.shown(tasks.cancel(task).await),
        Ok(Call::Resubscribe(task)) => answer.stream(tasks.resubscribe(task, caller())),
        Err(error) => answer.error(form, &error),
    }
}

/// Adds the payment that a client sent in headers to its message.
fn message(incoming: Incoming, caller: Caller, request: &HttpRequest) -> Result<MessageCall, CallError> {
    let [v1, v2] = PAYMENT_HEADERS.map(|name| request.headers().get_all(name).map(|value| value.as_bytes()));
    let header = Payment::from_headers(v1, v2);
    let header = header
        .map_err(|error| CallError::misfit("malformed_payment", format!("{error}; nothing was spent")))?;
    let incoming = match header {
        Some(_) => incoming.with_payment_header()?,
        None => incoming,
    };
    Ok(MessageCall {
        incoming,
        header,
        caller,
    })
}

/// An answer under construction.
struct Answer<'a> {
    request: &'a HttpRequest,
    id: RpcId,
}

impl Answer<'_> {
    fn shown(self, shown: Result<Shown, CallError>) -> HttpResponse {
        match shown {
            Ok(shown) => {
                let mut response = self.head();
                // Only a client that pays in a header reads the settlement there.
                let headers = self.request.headers();
                let paid = PAYMENT_HEADERS.iter().any(|name| headers.contains_key(*name));
                if let Some(settlement) = shown.settlement().filter(|_| paid) {
                    insert_settlement(&mut response, &settlement);
                }
                document(response, shown.answer(&self.id))
            }
            Err(error) => self.error(Form::Json, &error),
        }
    }

    fn error(self, form: Form, error: &CallError) -> HttpResponse {
        let body = AnswerBody::error(error);
        match form {
            Form::Json => document(self.head(), body.document(&self.id)),
            Form::Stream => self.stream(futures_util::stream::iter([body])),
        }
    }

    fn stream(self, bodies: impl Stream<Item = AnswerBody> + 'static) -> HttpResponse {
        let mut head = self.head();
        head.insert_header((CACHE_CONTROL, "no-cache, no-store"));
        let events = bodies.map(move |body| {
            let document = body.document(&self.id);
            // Stored documents may contain line breaks. In JSON they are white space.
            Data::new(String::from_utf8_lossy(&document).replace(['\n', '\r'], " "))
        });
        sse::stream(head, events)
    }

    /// Status 200, and the header of the extension if the client has activated it.
    fn head(&self) -> HttpResponseBuilder {
        let mut response = HttpResponse::Ok();
        let named = ExtensionHeader::ALL.into_iter().flat_map(|header| {
            let values = self.request.headers().get_all(header.name());
            values.filter_map(move |value| value.to_str().ok().map(|text| (header, text)))
        });
        if let Some(header) = activated(named, PAYMENT_EXTENSION) {
            response.insert_header((header.name(), PAYMENT_EXTENSION));
        }
        response
    }
}

fn document(mut response: HttpResponseBuilder, body: Vec<u8>) -> HttpResponse {
    response.content_type(json()).body(body)
}
