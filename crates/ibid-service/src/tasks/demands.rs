//! The payment demands of all skills.

use ibid_a2a::Required;
use ibid_model::Skill;
use std::sync::OnceLock;

/// The demand of each skill. Prices and terms do not change while the service runs, so each is written once.
#[derive(Default)]
pub(super) struct Demands([OnceLock<Required>; Skill::ALL.len()]);

impl Demands {
    pub(super) const fn of(&self, skill: Skill) -> &OnceLock<Required> {
        &self.0[skill as usize]
    }
}
