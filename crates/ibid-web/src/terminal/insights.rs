//! The moves, the cited sites and pages, and the results by intent.

use super::text::{clean, cut, or_dash, percent, percent_interval, table, titled};
use crate::plain_text::plain;
use ibid_model::ScanResult;
use ibid_model::result::{Move, MoveEvidence};
use std::fmt::Write;

/// Maximum number of sites in the table.
const MOST_SITES: usize = 10;
/// Maximum number of own pages in the table.
const MOST_PAGES: usize = 5;
/// Maximum number of facts below a move.
const MOST_FACTS: usize = 3;

pub(crate) fn moves(result: &ScanResult) -> String {
    if result.moves.is_empty() {
        return String::new();
    }
    let mut text = String::from("What to do next\n");
    for (number, found) in (1..).zip(&result.moves) {
        one_move(&mut text, number, found);
    }
    text
}

fn one_move(text: &mut String, number: usize, found: &Move) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, " {number}. {}", clean(&found.title));
    let _ = writeln!(text, "    {}", clean(&found.why));
    for fact in found.evidence.iter().take(MOST_FACTS) {
        let _ = writeln!(text, "    - {}", cut(&clean(&sentence(fact)), 140));
    }
}

/// A fact behind a move in one line: its subject, then the competitors there.
pub(crate) fn sentence(fact: &MoveEvidence) -> String {
    let town = fact.town.as_ref().map(|town| {
        let distance = fact.distance_km.map(|km| format!(", {km:.0} km"));
        format!("{town}{}", distance.unwrap_or_default())
    });
    let question = fact.question.as_ref().map(|question| format!("“{question}”"));
    let quote = fact.quote.as_ref().map(|quote| format!("“{}”", plain(quote)));
    let page = fact.url.clone();
    let parts = [question, town, page, quote];
    let mut sentence = parts.into_iter().flatten().collect::<Vec<_>>().join(": ");
    if !fact.competitors.is_empty() {
        let _ = write!(sentence, " (there: {})", fact.competitors.join(", "));
    }
    sentence
}

pub(crate) fn sources(result: &ScanResult) -> String {
    if result.sources.is_empty() {
        return String::new();
    }
    let mut rows = table(
        &[
            "site",
            "kind",
            "answers",
            "share",
            "with you",
            "competitors there",
        ],
        &[2, 3, 4],
    );
    for site in result.sources.iter().take(MOST_SITES) {
        let fed: Vec<&str> = site
            .competitors
            .iter()
            .take(3)
            .map(|fed| fed.name.as_str())
            .collect();
        rows.add_row([
            cut(&site.domain.to_unicode(), 28),
            site.kind.as_str().to_owned(),
            site.answers.to_string(),
            percent(site.share),
            site.target_answers.to_string(),
            cut(&clean(&fed.join(", ")), 40),
        ]);
    }
    let mut text = titled("Sites that answers cite", &rows);
    for page in result.pages.iter().take(MOST_PAGES) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "Your page {} is cited in {} ({})",
            cut(&clean(&page.url), 60),
            crate::figure::plural(page.answers.into(), "answer", "answers"),
            page.intents.join(", ")
        );
    }
    text
}

pub(crate) fn intents(result: &ScanResult) -> String {
    if result.intents.len() < 2 {
        return String::new();
    }
    let mut rows = table(
        &[
            "intent",
            "answers",
            "score",
            "cited",
            "likely range",
            "competitors there",
        ],
        &[1, 2, 3, 4],
    );
    for row in &result.intents {
        rows.add_row([
            clean(&row.intent),
            row.answers.to_string(),
            or_dash(row.score),
            or_dash(row.cited_rate.map(percent)),
            or_dash(row.cited_rate_interval.as_ref().map(percent_interval)),
            cut(&clean(&row.top_competitors.join(", ")), 48),
        ]);
    }
    titled("By intent of the question", &rows)
}
