//! The part of the price list that a deployment sells.

use crate::contract::Skill;

/// The part of the price list that a deployment sells. Lists of skills and prices show these and no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offering {
    /// Nothing: no receiving wallet or no facilitator is configured.
    Nothing,
    /// Skills that ask no model: no provider key is configured.
    Audits,
    /// The whole list.
    Everything,
}

impl Offering {
    /// Whether a skill can be had.
    #[must_use]
    pub fn has(self, skill: Skill) -> bool {
        match self {
            Self::Nothing => false,
            Self::Audits => skill.row().form.is_none(),
            Self::Everything => true,
        }
    }

    /// The part that a price list shows: the skills that are sold, or all of them where none is.
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
