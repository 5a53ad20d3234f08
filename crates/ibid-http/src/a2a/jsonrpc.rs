//! `POST /api/a2a/jsonrpc`: the agent-to-agent protocol over JSON-RPC.
//!
//! Every answer to a JSON-RPC call has status 200, errors included: clients look at the status before they look at
//! the body. Statuses are for what is no such call: wrong method, wrong type, too many bytes.

use super::stream::events;
use crate::extract::{ClientAddress, JsonBytes};
use crate::headers::insert_settlement;
use crate::respond::json;
use actix_web::http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use futures_util::Stream;
use ibid_a2a::{
    Body, Call, CallError, ExtensionHeader, Form, Incoming, PAYMENT_EXTENSION, RpcId, RpcRequest, activated,
};
use ibid_service::{Caller, MessageCall, Shown, Tasks};
use ibid_x402::{PAYMENT_SIGNATURE, Payment, X_PAYMENT};

/// Largest body; a page to audit may be in it.
const MOST: usize = ibid_a2a::limits::MAX_BODY;

/// The headers that a payment may stand in. As names, for a text is read anew with every look.
const PAYMENTS: [HeaderName; 2] = [
    HeaderName::from_static(X_PAYMENT),
    HeaderName::from_static(PAYMENT_SIGNATURE),
];

/// The headers that a client may activate extensions with.
const EXTENSIONS: [(ExtensionHeader, HeaderName); 2] =
    [named(ExtensionHeader::ALL[0]), named(ExtensionHeader::ALL[1])];

const fn named(header: ExtensionHeader) -> (ExtensionHeader, HeaderName) {
    (header, HeaderName::from_static(header.name()))
}

pub(crate) async fn call(
    request: HttpRequest,
    from: ClientAddress,
    body: JsonBytes<MOST>,
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

/// A message with what came in headers.
fn message(incoming: Incoming, caller: Caller, request: &HttpRequest) -> Result<MessageCall, CallError> {
    let [v1, v2] = PAYMENTS.map(|name| request.headers().get_all(name).map(|value| value.as_bytes()));
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

/// An answer in the making.
struct Answer<'a> {
    request: &'a HttpRequest,
    id: RpcId,
}

impl Answer<'_> {
    fn shown(self, shown: Result<Shown, CallError>) -> HttpResponse {
        match shown {
            Ok(shown) => {
                let mut response = self.head();
                // Only who pays in a header looks for the settlement there.
                let paid = || {
                    PAYMENTS
                        .iter()
                        .any(|name| self.request.headers().contains_key(name))
                };
                if let Some(settlement) = shown.settlement().filter(|_| paid()) {
                    insert_settlement(&mut response, &settlement);
                }
                document(response, shown.answer(&self.id))
            }
            Err(error) => self.error(Form::Json, &error),
        }
    }

    fn error(self, form: Form, error: &CallError) -> HttpResponse {
        let body = Body::error(error);
        match form {
            Form::Json => document(self.head(), body.document(&self.id)),
            Form::Stream => self.stream(futures_util::stream::iter([body])),
        }
    }

    fn stream(self, bodies: impl Stream<Item = Body> + 'static) -> HttpResponse {
        self.head()
            .insert_header((CACHE_CONTROL, "no-cache, no-store"))
            // Proxies that buffer would hold the events back.
            .insert_header((HeaderName::from_static("x-accel-buffering"), "no"))
            .content_type("text/event-stream")
            .streaming(events(self.id, bodies))
    }

    /// Status 200, and the extension that the client has activated.
    fn head(&self) -> HttpResponseBuilder {
        let mut response = HttpResponse::Ok();
        let named = EXTENSIONS.into_iter().flat_map(|(header, name)| {
            let values = self.request.headers().get_all(name);
            values.filter_map(move |value| value.to_str().ok().map(|text| (header, text)))
        });
        if let Some(header) = activated(named, PAYMENT_EXTENSION) {
            response.insert_header((
                HeaderName::from_static(header.name()),
                HeaderValue::from_static(PAYMENT_EXTENSION),
            ));
        }
        response
    }
}

fn document(mut response: HttpResponseBuilder, body: Vec<u8>) -> HttpResponse {
    response.content_type(json()).body(body)
}
