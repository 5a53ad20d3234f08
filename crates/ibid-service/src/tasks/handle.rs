//! The handle of the agent surface.

use super::demands::Demands;
use super::keeper::TaskKeeper;
use super::limits::Caller;
use crate::handle::service::Service;
use ibid_a2a::Incoming;
use ibid_model::Skill;
use ibid_x402::{Listing, Payment};
use std::sync::Arc;

/// The tasks of agents. Cheap to clone.
#[derive(Clone)]
pub struct Tasks {
    pub(super) keeper: Arc<TaskKeeper>,
    pub(super) service: Service,
    pub(super) demands: Arc<Demands>,
    listings: Arc<Listings>,
}

/// The skills sold to agents, in words.
#[derive(Clone, Debug)]
pub struct Listings {
    /// A scan.
    pub scan: Arc<Listing>,
    /// A radius analysis.
    pub radius: Arc<Listing>,
    /// A page audit.
    pub audit: Arc<Listing>,
    /// A full bundle.
    pub full: Arc<Listing>,
    /// The caller's own purchases.
    pub my_receipts: Arc<Listing>,
}

/// A message with its payment header and its caller.
#[derive(Debug)]
pub struct MessageCall {
    /// The message.
    pub incoming: Incoming,
    /// The payment of a header, if the message says that there is one.
    pub header: Option<Payment>,
    /// The caller.
    pub caller: Caller,
}

impl Service {
    /// The tasks of agents, with the listings of the skills.
    #[must_use]
    pub fn tasks(&self, listings: Arc<Listings>) -> Tasks {
        Tasks {
            keeper: Arc::clone(&self.tasks),
            service: self.clone(),
            demands: Arc::default(),
            listings,
        }
    }
}

impl Tasks {
    /// The listing of a skill.
    pub(super) fn listing(&self, skill: Skill) -> &Arc<Listing> {
        match skill {
            Skill::Scan => &self.listings.scan,
            Skill::Radius => &self.listings.radius,
            Skill::Audit => &self.listings.audit,
            Skill::Full => &self.listings.full,
            Skill::MyReceipts => &self.listings.my_receipts,
        }
    }
}

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tasks(..)")
    }
}
