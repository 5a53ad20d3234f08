//! What a deployment sells.

use crate::{AtomicUsdc, PriceList, Skill};

/// The skills that a server sells, and their prices.
/// Every price list takes them from here, so an agent never reads a price of a skill that is not sold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offering {
    part: Part,
    prices: PriceList,
    /// Whether skills that take a page are among them.
    pages: bool,
}

/// A part of the price list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Nothing,
    Audits,
    Everything,
}

impl Offering {
    /// Nothing: no receiving wallet or no facilitator is configured.
    pub const NOTHING: Self = Self::standard(Part::Nothing);
    /// Skills that ask no model: no provider key is configured.
    pub const AUDITS: Self = Self::standard(Part::Audits);
    /// The whole list.
    pub const EVERYTHING: Self = Self::standard(Part::Everything);

    const fn standard(part: Part) -> Self {
        Self {
            part,
            prices: PriceList::STANDARD,
            pages: true,
        }
    }

    /// The same at other prices.
    #[must_use]
    pub const fn priced(self, prices: PriceList) -> Self {
        Self { prices, ..self }
    }

    /// The same without the skills that take a page: audits are switched off.
    #[must_use]
    pub const fn without_pages(self) -> Self {
        Self { pages: false, ..self }
    }

    /// What a skill costs here.
    pub fn price(self, skill: Skill) -> AtomicUsdc {
        self.prices.of(skill)
    }

    /// Whether a skill can be had.
    pub fn has(self, skill: Skill) -> bool {
        let row = skill.row();
        let in_part = match self.part {
            Part::Nothing => false,
            Part::Audits => row.form.is_none(),
            Part::Everything => true,
        };
        in_part && (self.pages || !row.takes_page())
    }

    /// Whether no skill is sold.
    pub const fn is_nothing(self) -> bool {
        match self.part {
            Part::Nothing => true,
            Part::Audits => !self.pages,
            Part::Everything => false,
        }
    }

    /// Whether only skills that ask no model are sold.
    pub const fn is_audits(self) -> bool {
        matches!(self.part, Part::Audits) && self.pages
    }

    /// Returns the part for a price list: the sold skills, or all skills if no skill is sold.
    #[must_use]
    pub const fn listed(self) -> Self {
        match self.is_nothing() {
            true => Self {
                part: Part::Everything,
                pages: true,
                ..self
            },
            false => self,
        }
    }

    /// Returns the skills that are sold, in the order of the price list.
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
        assert_eq!(skills(Offering::NOTHING), [""; 0]);
        assert_eq!(skills(Offering::AUDITS), ["audit", "my-receipts"]);
        assert_eq!(skills(Offering::EVERYTHING).len(), Skill::ALL.len());
        assert_eq!(Offering::NOTHING.listed(), Offering::EVERYTHING);
        assert_eq!(Offering::AUDITS.listed(), Offering::AUDITS);
    }

    #[test]
    fn without_audits_no_skill_takes_a_page() {
        let skills = |offering: Offering| offering.skills().map(Skill::as_str).collect::<Vec<_>>();
        assert_eq!(
            skills(Offering::EVERYTHING.without_pages()),
            ["scan", "radius", "my-receipts"]
        );
        let nothing = Offering::AUDITS.without_pages();
        assert!(nothing.is_nothing() && !nothing.is_audits());
        assert_eq!(nothing.listed(), Offering::EVERYTHING);
    }
}
