//! Every check in one row: its subject, weight, evidence, reason and advice.
//!
//! One file contains the rows of a category.

mod access;
mod authorship;
mod delivery;
mod discovery;
mod quotability;
mod structure;
mod structured_data;

use super::finding::Finding;
use crate::facts::Facts;
use ibid_model::result::{CategoryId, EvidenceKind};

/// One check.
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) category: CategoryId,
    pub(crate) title: &'static str,
    /// Share of the category, relative to its other checks; 0 is information without points.
    pub(crate) weight: u8,
    pub(crate) evidence: &'static [EvidenceKind],
    /// Whether a controlled test or a large measurement found no effect.
    pub(crate) contested: bool,
    pub(crate) why: &'static str,
    pub(crate) advice: &'static str,
    pub(crate) check: fn(&Facts<'_>) -> Finding,
}

use CategoryId::{Access, Authorship, Delivery, Discovery, Quotability, Structure, StructuredData};

/// The categories with their names and their shares of the total.
pub(crate) const CATEGORIES: [(CategoryId, &str, u8); 7] = [
    (Access, "Access", 29),
    (Discovery, "Discovery", 10),
    (Delivery, "Delivery", 21),
    (Structure, "Structure", 12),
    (StructuredData, "Structured data", 8),
    (Authorship, "Authorship and dates", 12),
    (Quotability, "Quotability", 8),
];

/// The rows of the categories, in the order of the report.
const TABLES: [&[Rule]; 7] = [
    access::ROWS,
    discovery::ROWS,
    delivery::ROWS,
    structure::ROWS,
    structured_data::ROWS,
    authorship::ROWS,
    quotability::ROWS,
];

/// The 44 checks, in the order of the report.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLES.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_44_checks_in_order_and_every_category_has_some() {
        let ids: Vec<_> = rules().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), 44);
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(ids, sorted);
        for (category, _, share) in CATEGORIES {
            let weights: u32 = rules()
                .filter(|rule| rule.category == category)
                .map(|rule| u32::from(rule.weight))
                .sum();
            assert!(weights > 0 && share > 0, "{category:?}");
        }
        assert_eq!(
            CATEGORIES
                .iter()
                .map(|(_, _, share)| u32::from(*share))
                .sum::<u32>(),
            100
        );
    }

    #[test]
    fn no_text_promises_an_effect() {
        for rule in rules() {
            assert!(
                !rule.why.contains('%') && !rule.advice.contains('%'),
                "{}",
                rule.id
            );
            assert!(
                rule.why.ends_with('.') && rule.advice.ends_with('.'),
                "{}",
                rule.id
            );
            assert!(!rule.evidence.is_empty(), "{}", rule.id);
        }
    }
}
