//! A scan result as text for the terminal.
//!
//! [`report`] turns a [`ScanResult`] into the text that `ibid scan` and the server's demonstration scan print.
//! It takes every number from the result.
//! Texts from models and callers are hostile, so control characters are removed.

mod comparison;
mod competitors;
mod insights;
mod models;
mod quotes;
mod rings;
mod text;

pub use comparison::comparison;
pub(crate) use insights::sentence as sentence_of;

use ibid_model::ScanResult;
use ibid_model::result::LocationReport;
use std::fmt::Write;
use text::{clean, interval, percent};

/// Returns the report of a scan, without colours and at most about 100 columns wide.
#[must_use]
pub fn report(result: &ScanResult) -> String {
    let mut report = head(result);
    let parts = [
        insights::moves(result),
        models::render(result),
        insights::intents(result),
        rings::render(&result.radius),
        competitors::render(&result.radius.top_competitors),
        insights::sources(result),
        quotes::render(result),
        foot(result),
    ];
    for part in parts.iter().filter(|part| !part.is_empty()) {
        report.push('\n');
        report.push_str(part);
    }
    report
}

fn head(result: &ScanResult) -> String {
    let mut head = format!(
        "{}  \"{}\"",
        result.domain.to_unicode(),
        clean(result.keyword.as_str())
    );
    if let Some(location) = &result.location {
        // Writing to a String cannot fail.
        let _ = write!(head, "  {}", place(location));
    }
    if result.sandbox {
        head.push_str("\nSANDBOX: these answers are invented.");
    }
    let _ = write!(head, "\n\nOverall score  {} of 100", result.overall_score);
    match &result.interval {
        Some(range) => {
            let _ = write!(head, "   likely range {}", interval(range));
            if range.low_precision {
                head.push_str("   (few questions: use the range, not the number)");
            }
        }
        None => head.push_str("   (no core question was answered)"),
    }
    let valid = result.headline_answers().count();
    let cited = result
        .headline_answers()
        .filter(|(_, answer)| {
            answer
                .class
                .is_some_and(|class| class != ibid_model::Prominence::None)
        })
        .count();
    let _ = writeln!(head, "\nCited in       {cited} of {valid} core answers");
    if let Some(sentence) = result.retrieval.sentence() {
        let _ = writeln!(head, "Web search     {sentence}");
    }
    head
}

/// The place of a scan, how it was found and how sure that is, in one line.
#[must_use]
pub fn place(location: &LocationReport) -> String {
    let resolved = &location.resolved;
    let mut place = resolved.name.clone();
    for part in resolved.admin.iter().chain([&resolved.country]) {
        if *part != resolved.name {
            place.push_str(", ");
            place.push_str(part);
        }
    }
    clean(&format!("{place} ({})", crate::figure::how_found(location)))
}

fn foot(result: &ScanResult) -> String {
    let mut foot = String::new();
    for warning in &result.warnings {
        let _ = writeln!(foot, "Note: {}", clean(&warning.message));
    }
    let usage = &result.usage;
    // The blank of pages keeps number and noun together; terminals search for a plain one.
    let questions =
        crate::figure::plural(usage.questions.into(), "question", "questions").replace('\u{a0}', " ");
    let _ = write!(foot, "{questions}, {} answered", usage.answered);
    if usage.failed > 0 {
        let share = f64::from(usage.failed) / f64::from(usage.questions.max(1));
        let _ = write!(foot, ", {} failed ({})", usage.failed, percent(share));
    }
    if let Some(cost) = usage.cost_usd {
        let _ = match result.sandbox {
            true => write!(foot, ", would cost about {cost}"),
            false => write!(foot, ", {cost} at the provider"),
        };
    }
    if let Some(estimate) = usage.estimated_cost_usd {
        let _ = write!(foot, " (estimated {estimate})");
    }
    let _ = writeln!(foot, ". Method {}.", clean(&result.method.version));
    foot
}

#[cfg(test)]
mod tests;
