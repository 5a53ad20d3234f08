//! From request parts to proofs and values.

mod api_caller;
mod body;
mod byok;
mod client_address;
mod form;
mod payment;

pub(crate) use api_caller::ApiCaller;
pub(crate) use body::{JsonBytes, JsonObject, OptionalObject};
pub(crate) use byok::Byok;
pub(crate) use client_address::ClientAddress;
pub(crate) use form::FormFields;
pub(crate) use payment::Paying;
