//! Extractors: from parts of a request to checked values.

mod api_caller;
mod authenticated;
mod body;
mod byok;
mod client_address;
mod form;
mod idempotency;
mod payment;
mod project_caller;
mod same_origin;
mod session;
mod then;
mod upload;

pub(crate) use api_caller::ApiCaller;
pub(crate) use body::{FileBytes, JsonBytes, JsonObject, OptionalObject, OrderObject};
pub(crate) use byok::Byok;
pub(crate) use client_address::ClientAddress;
pub(crate) use form::{Form, Pairs, Query};
pub(crate) use idempotency::IdempotencyKey;
pub(crate) use payment::PaymentHeader;
pub(crate) use project_caller::{ProjectCaller, is_project_key};
pub(crate) use same_origin::SameOrigin;
pub(crate) use session::{
    SessionCookie, SignedInCaller, code_pass_of, device_of, flow_of, join_of, member_of, pass_of, token_of,
};
pub(crate) use then::{Asked, AuthenticatedThen, Posted, Proof, Sent};
pub(crate) use upload::Upload;
