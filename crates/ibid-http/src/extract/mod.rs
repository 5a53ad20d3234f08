//! From request parts to proofs and values.

mod api_caller;
mod body;
mod byok;

pub(crate) use api_caller::ApiCaller;
pub(crate) use body::JsonObject;
pub(crate) use byok::Byok;
