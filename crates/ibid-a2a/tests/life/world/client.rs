//! Clients, who write their messages down as over the wire.

use super::{Sent, World};
use crate::oracle::SECRET;
use ibid_a2a::{Call, RpcRequest};
use ibid_model::TaskId;
use serde_json::{Value, json};

/// A message of a client. Requests and payments are numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Message {
    Words,
    Ask { request: u8 },
    Pay { nonce: u8, request: Option<u8> },
    Decline,
}

pub(super) fn domain(request: u8) -> String {
    format!("site{request}.example")
}

impl World {
    pub(super) fn client(&mut self, task: Option<TaskId>, message: Message) -> Sent {
        self.made += 1;
        let (names, nonce) = match message {
            Message::Words | Message::Decline => (None, None),
            Message::Ask { request } => (Some(request), None),
            Message::Pay { nonce, request } => (request, Some(nonce)),
        };
        let part = match names {
            Some(request) => {
                json!({"kind": "data", "data": {"skill": "scan", "domain": domain(request), "keyword": "k"}})
            }
            None => json!({"kind": "text", "text": "hello"}),
        };
        let payload = json!({"nonce": nonce, "payload": {"signature": SECRET}});
        let metadata = match message {
            Message::Words | Message::Ask { request: _ } => Value::Null,
            Message::Pay { nonce: _, request: _ } => {
                json!({"x402.payment.status": "payment-submitted", "x402.payment.payload": payload})
            }
            Message::Decline => json!({"x402.payment.status": "payment-rejected"}),
        };
        // Careless clients use a name again.
        let id = format!("m-{}", self.made % 5);
        let message = json!({"kind": "message", "role": "user", "messageId": id, "parts": [part],
            "metadata": metadata, "taskId": task});
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}});
        match RpcRequest::parse(body.to_string().as_bytes()).call {
            Ok(Call::Send(incoming)) => Sent {
                incoming: *incoming,
                nonce,
                names,
            },
            other => panic!("{other:?}"),
        }
    }
}
