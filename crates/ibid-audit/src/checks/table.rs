//! Every check in one row: its subject, weight, evidence, kinds of page, reason, advice and effort.

use super::finding::Finding;
use super::{access, authorship, delivery, discovery, quotability, structure, structured_data};
use crate::assistants::Concern;
use crate::facts::Facts;
use CategoryId::{Access, Authorship, Delivery, Discovery, Quotability, Structure, StructuredData};
use EvidenceKind::{Convention, Correlation, Measured, Study, Vendor};
use PageKind::{Article, Contact, Help, Home, Other, Product, Service};
use ibid_model::result::{CategoryId, EvidenceKind, PageKind};

/// One check.
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) category: CategoryId,
    /// Points of a hundred where every check applies; 0 is information without points.
    ///
    /// What gates punish, and what nearly every page passes, has one or two.
    pub(crate) weight: u8,
    pub(crate) evidence: &'static [EvidenceKind],
    /// Whether its points are taken off where it fails, and are no part of the hundred where it passes.
    pub(crate) penalty: bool,
    /// Whether a controlled test or a large measurement found no effect.
    pub(crate) contested: bool,
    /// Which kinds of page are asked; empty for all.
    pub(crate) kinds: &'static [PageKind],
    pub(crate) concerns: Concern,
    pub(crate) check: fn(&Facts<'_>) -> Finding,
}

const fn row(
    id: &'static str,
    weight: u8,
    evidence: &'static [EvidenceKind],
    check: fn(&Facts<'_>) -> Finding,
) -> Rule {
    let category = match id.as_bytes()[0] {
        b'A' => Access,
        b'B' => Discovery,
        b'C' => Delivery,
        b'D' => Structure,
        b'E' => StructuredData,
        b'F' => Authorship,
        _ => Quotability,
    };
    Rule {
        id,
        category,
        weight,
        evidence,
        penalty: id.as_bytes()[0] == b'H',
        contested: false,
        kinds: &[],
        concerns: Concern::All,
        check,
    }
}

impl Rule {
    /// Whether its points stay the same on every page where it counts.
    pub(crate) fn is_fixed(&self) -> bool {
        self.contested || self.penalty
    }

    const fn contested(self) -> Self {
        Self {
            contested: true,
            ..self
        }
    }

    const fn of(self, kinds: &'static [PageKind]) -> Self {
        Self { kinds, ..self }
    }

    const fn concerns(self, concerns: Concern) -> Self {
        Self { concerns, ..self }
    }

    /// Finds the check's words: the paragraph in `texts.txt` that begins with its id.
    pub(crate) fn texts(&self) -> Texts {
        let mut lines = TEXTS.lines().skip_while(|line| *line != self.id).skip(1);
        let mut next = || lines.next().unwrap_or_default();
        Texts {
            title: next(),
            why: next(),
            advice: next(),
            effort: next(),
        }
    }
}

/// What a check says.
pub(crate) struct Texts {
    pub(crate) title: &'static str,
    pub(crate) why: &'static str,
    pub(crate) advice: &'static str,
    /// How much work a pass takes a person who knows the site.
    pub(crate) effort: &'static str,
}

const TEXTS: &str = include_str!("texts.txt");

/// The assistants whose indexes document a rule of search engines.
const ENGINES: &[&str] = &["Copilot", "Google AI"];
const DATA_READERS: Concern = Concern::Only(
    ENGINES,
    "Google and Bing publish that they read structured data; the other operators do not say so.",
);

/// The categories with their names.
pub(crate) const CATEGORIES: [(CategoryId, &str); 7] = [
    (Access, "Access"),
    (Discovery, "Discovery"),
    (Delivery, "Delivery"),
    (Structure, "Structure"),
    (StructuredData, "Structured data"),
    (Authorship, "Authorship and dates"),
    (Quotability, "Quotability"),
];

/// The 41 checks, in the order of the report.
pub(crate) const RULES: &[Rule] = &[
    row("A1", 1, &[Vendor], access::robots_answer),
    row("A2", 2, &[Vendor], access::search_agents).concerns(Concern::SearchAgents),
    row("A3", 1, &[Vendor], access::user_agents).concerns(Concern::UserAgents),
    row("A4", 0, &[Vendor], access::training_agents)
        .concerns(Concern::Only(&[], "Training agents fill no index of answers.")),
    row("A5", 1, &[Vendor], access::no_noindex).concerns(Concern::Indexes),
    row("A6", 1, &[Vendor], access::snippets).concerns(Concern::Only(
        ENGINES,
        "Google and Bing publish that they follow it in answers, too.",
    )),
    row("A7", 1, &[Vendor], access::bing_cache).concerns(Concern::Only(
        &["Copilot"],
        "Bing publishes that Copilot follows it.",
    )),
    row("A8", 1, &[Convention], access::reservations).concerns(Concern::Only(
        &[],
        "No operator of the five publishes that its answers follow it.",
    )),
    row("A9", 1, &[Vendor, Correlation], access::paywall),
    row("B1", 2, &[Vendor], discovery::canonical).concerns(Concern::Only(
        ENGINES,
        "Google and Bing document it for their indexes.",
    )),
    row("B2", 1, &[Convention], discovery::sitemap).concerns(Concern::Only(
        ENGINES,
        "Google and Bing document it for their indexes.",
    )),
    row("B3", 1, &[Vendor], discovery::hreflang).concerns(Concern::Only(
        &["Google AI"],
        "Google documents it; Bing goes by other signs.",
    )),
    row("B4", 6, &[Correlation], discovery::title),
    row("B5", 1, &[Convention], discovery::llms_txt)
        .contested()
        .concerns(Concern::Only(
            &[],
            "No operator of the five publishes that it reads the file.",
        )),
    row("B6", 1, &[Vendor], discovery::internal_links),
    row("C1", 1, &[Vendor], delivery::is_a_page),
    row("C2", 4, &[Measured], delivery::words),
    row("C3", 1, &[Measured], delivery::is_no_shell).concerns(Concern::WithoutScripts),
    row("C4", 1, &[Convention], delivery::redirects),
    row("C5", 1, &[Convention], delivery::https).concerns(Concern::Only(
        ENGINES,
        "Google and Bing index the https address of a page first.",
    )),
    row("C6", 1, &[Convention], delivery::size),
    row("C7", 1, &[Convention], delivery::charset),
    row("D1", 5, &[Correlation], structure::h1),
    row("D3", 5, &[Correlation], structure::main_element),
    row("D4", 4, &[Correlation], structure::lists).of(&[Article, Help]),
    row("D5", 9, &[Correlation], structure::lead).of(&[Home, Service, Product, Article, Help, Other]),
    row("D7", 2, &[Convention], structure::alt_texts),
    row("E1", 2, &[Correlation], structured_data::is_present)
        .contested()
        .concerns(DATA_READERS),
    row("E2", 4, &[Convention], structured_data::is_valid).concerns(DATA_READERS),
    row("E3", 5, &[Convention], structured_data::has_fields).concerns(DATA_READERS),
    row("E4", 5, &[Correlation], structured_data::has_entity).concerns(DATA_READERS),
    row("F1", 9, &[Correlation], authorship::author).of(&[Article]),
    row("F2", 7, &[Correlation], authorship::machine_date).of(&[Article, Help]),
    row("F3", 5, &[Correlation], authorship::freshness).of(&[Article, Help]),
    row("F4", 2, &[Convention], authorship::date_order).of(&[Article, Help]),
    row("F5", 2, &[Convention], authorship::html_lang).concerns(Concern::Only(
        &["Copilot"],
        "Bing reads the attribute; Google goes by the text.",
    )),
    row("G2", 3, &[Study], quotability::sources)
        .contested()
        .of(&[Article]),
    row("H1", 23, &[Convention], quotability::filler),
    row("H2", 23, &[Vendor], quotability::stuffing),
    row("H3", 23, &[Convention], quotability::gaps),
    row("H4", 23, &[Convention], quotability::placeholders).of(&[Home, Service, Product, Contact, Other]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_41_checks_in_order_and_every_category_has_some() {
        let ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), 41);
        assert!(ids.is_sorted_by(|one, next| one < next));
        let sum = |penalty: bool| {
            let rules = RULES.iter().filter(|rule| rule.penalty == penalty);
            rules.map(|rule| u32::from(rule.weight)).sum::<u32>()
        };
        // What every penalty takes off, and the contested checks, leave points for the others.
        assert!(sum(false) == 100 && sum(true) <= 92);
        for (category, _) in CATEGORIES {
            assert!(
                RULES
                    .iter()
                    .any(|rule| rule.category == category && rule.weight > 0),
                "{category:?}"
            );
        }
    }

    #[test]
    fn no_text_promises_an_effect() {
        for rule in RULES {
            let Texts {
                title,
                why,
                advice,
                effort,
            } = rule.texts();
            let texts = [why, advice];
            assert!(
                texts
                    .iter()
                    .all(|text| !text.contains('%') && text.ends_with('.')),
                "{}",
                rule.id
            );
            assert!(
                !rule.evidence.is_empty() && !title.is_empty() && !effort.is_empty(),
                "{}",
                rule.id
            );
        }
    }
}
