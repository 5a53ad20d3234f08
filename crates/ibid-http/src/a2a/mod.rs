//! The paid surface for agents: the same work, bought by the call.

pub(crate) mod catalogue;
pub(crate) mod paid;
pub(crate) mod receipts;
pub(crate) mod watch;
