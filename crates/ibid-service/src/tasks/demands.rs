//! The payment demands of all skills.

use ibid_a2a::Required;
use ibid_model::Skill;
use std::sync::OnceLock;

/// The demand of each skill. Prices and terms do not change while the service runs, so each is written once.
#[derive(Default)]
pub(super) struct Demands {
    scan: OnceLock<Required>,
    radius: OnceLock<Required>,
    audit: OnceLock<Required>,
    full: OnceLock<Required>,
    my_receipts: OnceLock<Required>,
}

impl Demands {
    pub(super) const fn of(&self, skill: Skill) -> &OnceLock<Required> {
        match skill {
            Skill::Scan => &self.scan,
            Skill::Radius => &self.radius,
            Skill::Audit => &self.audit,
            Skill::Full => &self.full,
            Skill::MyReceipts => &self.my_receipts,
        }
    }
}
