//! What the agent surface holds to work with tasks.

use super::keeper::TaskKeeper;
use super::limits::Caller;
use crate::handle::service::Service;
use ibid_a2a::{Incoming, Wire};
use ibid_model::Skill;
use ibid_model::contract::SkillRow;
use ibid_x402::{Listing, Payment};
use std::sync::Arc;

/// Sends, shows and streams tasks for agents. Cheap to clone.
#[derive(Clone)]
pub struct Tasks {
    pub(super) keeper: Arc<TaskKeeper>,
    pub(super) service: Service,
    pub(super) listings: Arc<Listings>,
}

/// Address and description for each skill, as offers state them.
#[derive(Clone, Debug)]
pub struct Listings([Arc<Listing>; Skill::ALL.len()]);

impl Listings {
    /// Makes the listing of every skill.
    pub fn of(listing: impl Fn(&SkillRow) -> Listing) -> Self {
        Self(Skill::ALL.map(|skill| Arc::new(listing(skill.row()))))
    }

    pub const fn get(&self, skill: Skill) -> &Arc<Listing> {
        &self.0[skill as usize]
    }
}

/// A message with its payment header and its caller.
#[derive(Debug)]
pub struct MessageCall {
    pub wire: Wire,
    pub incoming: Incoming,
    /// A payment that came in a header, if the message says that there is one.
    pub header: Option<Payment>,
    pub caller: Caller,
}

impl Service {
    pub fn tasks(&self, listings: Arc<Listings>) -> Tasks {
        Tasks {
            keeper: Arc::clone(&self.tasks),
            service: self.clone(),
            listings,
        }
    }
}
