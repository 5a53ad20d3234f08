//! Answers as bytes: documents and events.
//!
//! Every JSON-RPC answer, errors included, goes out with HTTP 200. An event is `data:` lines and nothing else: an
//! `id:` line next to keep-alive comments breaks the Python clients before 0.3.23.

use crate::error::CallError;
use crate::rpc::RpcId;
use jsonrpsee_types::ErrorObjectOwned;
use serde::Serialize;

/// A comment that keeps an open stream alive. Send it after [`crate::limits::KEEP_ALIVE_SECONDS`] of silence.
pub const KEEP_ALIVE: &[u8] = b": ping\n\n";

/// The size of most answers, allocated at once.
const USUAL_SIZE: usize = 2_048;

/// The `result` or `error` of an answer, written. Without an id: one event goes to many watchers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerBody {
    member: &'static str,
    json: Vec<u8>,
}

/// A result as the answer to one request.
#[must_use]
pub fn result_document<T: Serialize>(id: &RpcId, result: &T) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(USUAL_SIZE);
    begin(id, "result", &mut bytes);
    match serde_json::to_writer(&mut bytes, result) {
        Ok(()) => {
            bytes.push(b'}');
            bytes
        }
        Err(_) => AnswerBody::error(&CallError::Internal).document(id),
    }
}

impl AnswerBody {
    /// A result: a [`crate::TaskView`] or an [`crate::Update`].
    #[must_use]
    pub fn result<T: Serialize>(result: &T) -> Self {
        let mut json = Vec::with_capacity(USUAL_SIZE);
        match serde_json::to_writer(&mut json, result) {
            Ok(()) => Self {
                member: "result",
                json,
            },
            Err(_) => Self::error(&CallError::Internal),
        }
    }

    /// An error.
    #[must_use]
    pub fn error(error: &CallError) -> Self {
        let json = serde_json::to_vec(&ErrorObjectOwned::from(error));
        // An error object is a number and texts, which can always be written.
        Self {
            member: "error",
            json: json.unwrap_or_else(|_| br#"{"code":-32603,"message":"Internal error"}"#.to_vec()),
        }
    }

    /// Its size in memory, in bytes.
    #[must_use]
    pub const fn weight(&self) -> usize {
        self.json.len()
    }

    /// The answer to one request, as a document.
    #[must_use]
    pub fn document(&self, id: &RpcId) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.json.len() + id.as_json().len() + 40);
        self.write(id, &mut bytes);
        bytes
    }

    /// The answer to one request, as an event of a stream.
    #[must_use]
    pub fn event(&self, id: &RpcId) -> Vec<u8> {
        const DATA: &[u8] = b"data: ";
        let mut bytes = Vec::with_capacity(self.json.len() + id.as_json().len() + 48);
        bytes.extend_from_slice(DATA);
        self.write(id, &mut bytes);
        // Stored documents may have line breaks. In JSON they are white space.
        for byte in bytes.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
        bytes.extend_from_slice(b"\n\n");
        bytes
    }

    fn write(&self, id: &RpcId, bytes: &mut Vec<u8>) {
        begin(id, self.member, bytes);
        bytes.extend_from_slice(&self.json);
        bytes.push(b'}');
    }
}

/// Writes the envelope up to the result or error.
fn begin(id: &RpcId, member: &str, bytes: &mut Vec<u8>) {
    for piece in [
        r#"{"jsonrpc":"2.0","id":"#,
        id.as_json(),
        r#",""#,
        member,
        r#"":"#,
    ] {
        bytes.extend_from_slice(piece.as_bytes());
    }
}
