//! Answers as bytes.
//! Every JSON-RPC answer has HTTP status 200, errors included.

use crate::error::CallError;
use crate::rpc::RpcId;
use jsonrpsee_types::ErrorObjectOwned;
use serde::Serialize;

/// The `result` or `error` of an answer, written.
/// Without an id, because one event goes to many watchers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerBody {
    member: &'static str,
    json: Vec<u8>,
    status: u16,
}

impl AnswerBody {
    /// A result: a [`crate::TaskView`] or an [`crate::Update`].
    #[must_use]
    pub fn result<T: Serialize>(result: &T) -> Self {
        match serde_json::to_vec(result) {
            Ok(json) => Self {
                member: "result",
                json,
                status: 200,
            },
            Err(_) => Self::error(&CallError::Internal),
        }
    }

    /// An error.
    #[must_use]
    pub fn error(error: &CallError) -> Self {
        Self::failure(&ErrorObjectOwned::from(error), 200)
    }

    /// An error in another form, with the HTTP status of an answer without an envelope.
    pub(crate) fn failure<T: Serialize>(error: &T, status: u16) -> Self {
        let json = serde_json::to_vec(error);
        // An error object has only a number and texts, which can always be written.
        Self {
            member: "error",
            json: json.unwrap_or_else(|_| br#"{"code":-32603,"message":"Internal error"}"#.to_vec()),
            status,
        }
    }

    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.member == "error"
    }

    /// Returns the HTTP status of an answer without an envelope.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// The answer without an envelope.
    pub fn into_bytes(self) -> Vec<u8> {
        self.json
    }

    /// The answer to one request.
    pub fn document(&self, id: &RpcId) -> Vec<u8> {
        let head = format!(r#"{{"jsonrpc":"2.0","id":{},"{}":"#, id.as_json(), self.member);
        [head.as_bytes(), &self.json, b"}"].concat()
    }
}
