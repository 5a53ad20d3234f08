//! How much of the price list a deployment sells.

use super::skill::Skill;

/// How much of the price list a deployment sells. Whatever lists skills or prices shows these and no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offering {
    /// Nothing: nobody is there to be paid, or to check payments.
    Nothing,
    /// What asks no model: there is no key to ask them with.
    Audits,
    /// The whole list.
    Everything,
}

impl Offering {
    /// Whether a skill can be had.
    #[must_use]
    pub const fn has(self, skill: Skill) -> bool {
        match self {
            Self::Nothing => false,
            Self::Audits => matches!(skill, Skill::Audit | Skill::MyReceipts),
            Self::Everything => true,
        }
    }

    /// What a price list shows: what can be had, or, where nothing can, all that there would be.
    #[must_use]
    pub const fn listed(self) -> Self {
        match self {
            Self::Nothing => Self::Everything,
            Self::Audits | Self::Everything => self,
        }
    }

    /// The skills that can be had, in the order of the price list.
    pub fn skills(self) -> impl Iterator<Item = Skill> {
        Skill::ALL.into_iter().filter(move |skill| self.has(*skill))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_key_no_model_is_asked() {
        let skills = |offering: Offering| offering.skills().map(Skill::as_str).collect::<Vec<_>>();
        assert_eq!(skills(Offering::Nothing), [""; 0]);
        assert_eq!(skills(Offering::Audits), ["audit", "my-receipts"]);
        assert_eq!(skills(Offering::Everything).len(), Skill::ALL.len());
        assert_eq!(Offering::Nothing.listed(), Offering::Everything);
        assert_eq!(Offering::Audits.listed(), Offering::Audits);
    }
}
