//! Rows of category F: authorship and dates.

use super::Rule;
use crate::checks::authorship;
use ibid_model::result::CategoryId;
use ibid_model::result::EvidenceKind::{Convention, Correlation};

pub(super) const ROWS: &[Rule] = &[
    Rule {
        id: "F1",
        category: CategoryId::Authorship,
        title: "A named author",
        weight: 3,
        evidence: &[Correlation],
        contested: false,
        why: "Cited pages more often name who wrote them.",
        advice: "Name a person in a byline, and as author in JSON-LD.",
        check: authorship::author,
    },
    Rule {
        id: "F2",
        category: CategoryId::Authorship,
        title: "A date machines can read",
        weight: 2,
        evidence: &[Correlation],
        contested: false,
        why: "Without a date an agent cannot tell news from history.",
        advice: "Add datePublished and dateModified, or a <time datetime>.",
        check: authorship::machine_date,
    },
    Rule {
        id: "F3",
        category: CategoryId::Authorship,
        title: "Fresh enough",
        weight: 3,
        evidence: &[Correlation],
        contested: false,
        why: "Cited pages are younger than the average.",
        advice: "Update what has changed, not only the date.",
        check: authorship::freshness,
    },
    Rule {
        id: "F4",
        category: CategoryId::Authorship,
        title: "Dates agree",
        weight: 1,
        evidence: &[Convention],
        contested: false,
        why: "Search engines and models distrust dates that contradict each other.",
        advice: "Show the date that the page declares, and never modify before publishing.",
        check: authorship::date_order,
    },
    Rule {
        id: "F5",
        category: CategoryId::Authorship,
        title: "Declared language",
        weight: 1,
        evidence: &[Convention],
        contested: false,
        why: "The declared language decides which readers the page is offered to.",
        advice: "Set <html lang> to the language of the text.",
        check: authorship::html_lang,
    },
];
