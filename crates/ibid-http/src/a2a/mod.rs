//! The paid surface for agents: the same work, bought by the call.

mod call;
pub(crate) mod card;
pub(crate) mod http;
pub(crate) mod jsonrpc;
pub(crate) mod listings;
pub(crate) mod paid;
pub(crate) mod receipts;
pub(crate) mod resources;
pub(crate) mod watch;
