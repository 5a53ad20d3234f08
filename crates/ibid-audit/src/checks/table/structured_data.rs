//! Rows of category E: does the page describe itself to machines.

use super::Rule;
use crate::checks::structured_data;
use ibid_model::result::CategoryId;
use ibid_model::result::EvidenceKind::{Convention, Correlation};

pub(super) const ROWS: &[Rule] = &[
    Rule {
        id: "E1",
        category: CategoryId::StructuredData,
        title: "Structured data is there",
        weight: 2,
        evidence: &[Correlation],
        contested: true,
        why: "Cited pages often have it, but a matched test of 1,885 pages that added it found no gain.",
        advice: "Describe the page with JSON-LD of a schema.org type, if you maintain it.",
        check: structured_data::is_present,
    },
    Rule {
        id: "E2",
        category: CategoryId::StructuredData,
        title: "JSON-LD is valid",
        weight: 3,
        evidence: &[Convention],
        contested: false,
        why: "A block that does not parse is dropped as a whole.",
        advice: "Repair the JSON at the line named above, with a schema.org @context and an @type.",
        check: structured_data::is_valid,
    },
    Rule {
        id: "E3",
        category: CategoryId::StructuredData,
        title: "Expected fields",
        weight: 2,
        evidence: &[Convention],
        contested: false,
        why: "Consumers ask for these fields before they use a type.",
        advice: "Add the fields named above, with the values the page shows.",
        check: structured_data::has_fields,
    },
    Rule {
        id: "E4",
        category: CategoryId::StructuredData,
        title: "Who stands behind it",
        weight: 1,
        evidence: &[Correlation],
        contested: false,
        why: "A name with an address ties the page to an entity that others know.",
        advice: "Name the organisation or the person with url or sameAs.",
        check: structured_data::has_entity,
    },
];
