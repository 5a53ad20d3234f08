//! Rows of category G: is there something worth quoting.

use super::Rule;
use crate::checks::{quotability, stuffing};
use ibid_model::result::CategoryId;
use ibid_model::result::EvidenceKind::{Correlation, Study};

pub(super) const ROWS: &[Rule] = &[
    Rule {
        id: "G1",
        category: CategoryId::Quotability,
        title: "Figures",
        weight: 0,
        evidence: &[Study, Correlation],
        contested: true,
        why: "One controlled study found that figures help a page's share of an answer; its peer-reviewed repetition found little.",
        advice: "Give measured figures with their source. Never invent one.",
        check: quotability::figures,
    },
    Rule {
        id: "G2",
        category: CategoryId::Quotability,
        title: "Sources",
        weight: 4,
        evidence: &[Study],
        contested: true,
        why: "One controlled study found that named sources may help; its peer-reviewed repetition found little.",
        advice: "Link the sources of what you claim: two other sites or more.",
        check: quotability::sources,
    },
    Rule {
        id: "G3",
        category: CategoryId::Quotability,
        title: "Quotations",
        weight: 2,
        evidence: &[Study],
        contested: true,
        why: "One controlled study found that quoted voices may help; its peer-reviewed repetition found little.",
        advice: "Quote people who know, and mark it with <blockquote>. Only real quotations.",
        check: quotability::quotations,
    },
    Rule {
        id: "G4",
        category: CategoryId::Quotability,
        title: "Passages that stand alone",
        weight: 0,
        evidence: &[Correlation],
        contested: false,
        why: "A passage is cited without what stands before it.",
        advice: "Name the subject in each paragraph instead of “this” or “it”, and state something checkable.",
        check: quotability::passages,
    },
    Rule {
        id: "G5",
        category: CategoryId::Quotability,
        title: "A definition near the top",
        weight: 1,
        evidence: &[Correlation],
        contested: false,
        why: "Pages that shape answers more often say what their subject is.",
        advice: "Say in one sentence what the subject is.",
        check: quotability::definition,
    },
    Rule {
        id: "G6",
        category: CategoryId::Quotability,
        title: "No stuffed words",
        weight: 1,
        evidence: &[Study],
        contested: false,
        why: "In the same study, repeating keywords lowered a page's share of an answer.",
        advice: "Write for readers: use the word where it is needed.",
        check: stuffing::stuffing,
    },
];
