//! The caller's provider key: preferred in a header, still accepted in the body.

use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use ibid_model::{FaultCode, Faults};
use ibid_provider::{BadKey, ProviderKey};
use serde_json::{Map, Value};
use std::future::{Ready, ready};

/// The header as sent: absent, a key, or a value that cannot be a key.
pub(crate) struct Byok(Option<Result<ProviderKey, Faults>>);

const HEADER: &str = "X-Router-Key";
const FIELD: &str = "routerApiKey";

impl FromRequest for Byok {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let mut values = request.headers().get_all(HEADER);
        let key = values.next().map(|value| match value.to_str() {
            Ok(text) => parse(HEADER, text),
            Err(_) => Err(bad(HEADER, "contains characters other than visible ASCII")),
        });
        ready(Ok(Self(if values.next().is_some() {
            Some(Err(bad(HEADER, "appears more than once")))
        } else {
            key
        })))
    }
}

impl Byok {
    /// Returns the key of the header, if there is one.
    pub(crate) fn of_header(self) -> Result<Option<ProviderKey>, Faults> {
        self.0.transpose()
    }

    /// Returns the header's key, else the body's.
    /// The body field is removed in either case, and logged as deprecated.
    pub(crate) fn or_body(self, body: &mut Map<String, Value>) -> Result<ProviderKey, Faults> {
        let legacy = body.remove(FIELD).filter(|value| !value.is_null());
        if legacy.is_some() {
            tracing::warn!("byok.deprecated_body_key");
        }
        match (self.0, legacy) {
            (Some(header), _) => header,
            (None, Some(Value::String(text))) => parse(FIELD, &text),
            (None, Some(_)) => Err(Faults::one(
                format!("/{FIELD}"),
                FaultCode::WrongType,
                "routerApiKey must be a string",
            )),
            (None, None) => {
                let message = "a provider key is required; send it in the header X-Router-Key";
                Err(Faults::one(HEADER, FaultCode::ProviderKeyRequired, message))
            }
        }
    }
}

fn parse(place: &str, text: &str) -> Result<ProviderKey, Faults> {
    text.parse().map_err(|error: BadKey| {
        let field = if place == FIELD {
            format!("/{FIELD}")
        } else {
            place.to_owned()
        };
        let code = match error {
            BadKey::Empty => FaultCode::ProviderKeyRequired,
            BadKey::TooLong | BadKey::BadCharacter => FaultCode::ProviderKeyInvalid,
        };
        Faults::one(field, code, error.to_string())
    })
}

fn bad(place: &str, why: &str) -> Faults {
    Faults::one(place, FaultCode::ProviderKeyInvalid, format!("{place} {why}"))
}
