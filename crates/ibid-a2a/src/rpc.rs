//! The JSON-RPC envelope, both ways.
//!
//! The envelope is our own: ids of `jsonrpsee-types` hold neither -1 nor 1.5 nor an absent id.
//! A2A clients send all of them.
//!
//! Checks come in an order that satisfies the public conformance kits: size, JSON, object, id, `jsonrpc` and
//! `method`, name of the method, parameters. Rules about tasks come last.

use crate::call::Call;
use crate::error::{BadRequest, CallError};
use crate::limits::{MAX_BODY, MAX_ID};
use crate::params::object;
use crate::wire::Wire;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A request as it was read: the call, the id of the answer, and its form.
#[derive(Debug)]
pub struct RpcRequest {
    /// The id that every answer carries.
    pub id: RpcId,
    /// The call, or the error that keeps it from being one.
    pub call: Result<Call, CallError>,
    /// How the client speaks the protocol.
    pub wire: Wire,
    form: Form,
}

/// How an answer is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One JSON document.
    Json,
    /// A stream of events.
    Stream,
}

/// An id as the client wrote it, for example `"a"`, `1.5` or `null`.
///
/// A request without an id is answered as one with `null`.
/// JSON-RPC would call it a notification, but every A2A method expects an answer.
#[derive(Clone, Debug)]
pub struct RpcId(Option<Box<RawValue>>);

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

impl RpcRequest {
    /// Reads a body of a client that sends no header `A2A-Version`.
    ///
    /// ```
    /// use ibid_a2a::RpcRequest;
    ///
    /// let request = RpcRequest::parse(br#"{"jsonrpc": "2.0", "id": 7, "method": "tasks/get", "params": {"id": "x"}}"#);
    /// assert_eq!(request.id.as_json(), "7");
    /// assert!(RpcRequest::parse(b"no JSON").call.is_err());
    /// ```
    #[must_use]
    pub fn parse(body: &[u8]) -> Self {
        Self::parse_version(body, None)
    }

    /// Reads a body.
    /// `version` is the header `A2A-Version`.
    /// Never fails: a fault is in `call`.
    ///
    /// Faults are checked in the order of the module's documentation.
    /// The version is checked before the method, whose name depends on it.
    #[must_use]
    pub fn parse_version(body: &[u8], version: Option<&str>) -> Self {
        match Wire::of_rpc(version) {
            Ok(wire) => Self::parse_as(body, wire, None),
            Err(unspoken) => Self::parse_as(body, Wire::Rpc10, Some(unspoken)),
        }
    }

    fn parse_as(body: &[u8], wire: Wire, unspoken: Option<CallError>) -> Self {
        let envelope = match envelope(body) {
            Ok(envelope) => envelope,
            Err(error) => return Self::refused(RpcId::NULL, wire, error),
        };
        let id = match RpcId::read(envelope.id) {
            Ok(id) => id,
            Err(bad) => return Self::refused(RpcId::NULL, wire, bad.into()),
        };
        if string(envelope.jsonrpc).as_deref() != Some("2.0") {
            return Self::refused(id, wire, BadRequest::Version.into());
        }
        let Some(method) = string(envelope.method) else {
            return Self::refused(id, wire, BadRequest::Method.into());
        };
        if let Some(unspoken) = unspoken {
            return Self::refused(id, wire, unspoken);
        }
        let params = || object(envelope.params);
        let (call, streams) = match wire {
            Wire::Rpc03 => (
                Call::parse(&method, params),
                matches!(&*method, "message/stream" | "tasks/resubscribe"),
            ),
            // Clients of 1.0 read an error from either form.
            Wire::Rpc10 | Wire::Http10 => (Call::parse_v1(&method, params), false),
        };
        let form = match &call {
            // With good parameters the client expects events.
            // Old clients drop the code of an error in a document.
            // With bad parameters the kits expect a document.
            Ok(_) | Err(CallError::TaskNotFound) if streams => Form::Stream,
            Ok(_) | Err(_) => Form::Json,
        };
        Self { id, call, wire, form }
    }

    /// Returns how the answer is sent, be it a result or an error.
    pub const fn form(&self) -> Form {
        self.form
    }

    const fn refused(id: RpcId, wire: Wire, error: CallError) -> Self {
        Self {
            id,
            call: Err(error),
            wire,
            form: Form::Json,
        }
    }
}

impl RpcId {
    /// `null`.
    pub const NULL: Self = Self(None);

    fn read(raw: Option<&RawValue>) -> Result<Self, BadRequest> {
        let Some(raw) = raw else {
            return Ok(Self::NULL);
        };
        let scalar = matches!(raw.get().as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'));
        match scalar && raw.get().len() <= MAX_ID {
            true => Ok(Self(Some(raw.to_owned()))),
            false => Err(BadRequest::Id),
        }
    }

    /// The id as JSON.
    pub fn as_json(&self) -> &str {
        self.0.as_ref().map_or("null", |raw| raw.get())
    }
}

impl Serialize for RpcId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

fn envelope(body: &[u8]) -> Result<Envelope<'_>, CallError> {
    if body.len() > MAX_BODY {
        return Err(BadRequest::TooLarge.into());
    }
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if first == Some(&b'{') {
        return serde_json::from_slice(body).map_err(|error| match error.classify() {
            Category::Data => BadRequest::Repeated.into(),
            Category::Syntax | Category::Eof | Category::Io => CallError::NotJson,
        });
    }
    match serde_json::from_slice::<&RawValue>(body) {
        Ok(_) if first == Some(&b'[') => Err(BadRequest::Batch.into()),
        Ok(_) => Err(BadRequest::NotAnObject.into()),
        Err(_) => Err(CallError::NotJson),
    }
}

/// Returns the text of a JSON string, or `None` for other values.
fn string(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    serde_json::from_str::<Text<'_>>(raw?.get())
        .ok()
        .map(|text| text.0)
}

#[cfg(test)]
mod tests;
