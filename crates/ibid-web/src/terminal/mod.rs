//! A scan result as text for the terminal.
//!
//! [`report`] turns a [`ScanResult`] into the text that `ibid scan` and the server's demonstration scan print.
//! It takes every number from the result.
//! Texts from models and callers are hostile, so control characters are removed.

mod comparison;
mod quotes;
mod table;

pub use comparison::comparison;

use crate::escape::{cut, line};
use crate::figure;
use crate::report_view::{ReportView, Sheet};
use ibid_model::ScanResult;
use ibid_model::result::LocationReport;
use std::fmt::Write;

/// Returns the report of a scan, without colours and at most about 120 columns wide.
pub fn report(result: &ScanResult) -> String {
    let view = ReportView::of(result, None);
    let mut parts = vec![head(&view), moves(&view)];
    parts.extend(view.sheets().iter().map(sheet));
    parts.extend([quotes::render(result), foot(result)]);
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn head(view: &ReportView<'_>) -> String {
    let result = view.result;
    let mut head = format!(
        "{}  \"{}\"",
        result.domain.to_unicode(),
        line(result.keyword.as_str())
    );
    if let Some(location) = &result.location {
        // Writing to a String cannot fail.
        let _ = write!(head, "  {}", place(location));
    }
    if result.sandbox {
        head.push_str("\nSANDBOX: these answers are invented.");
    }
    head.push_str("\n\n");
    for sentence in view.lead() {
        let _ = writeln!(head, "{}", line(&sentence));
    }
    head
}

fn moves(view: &ReportView<'_>) -> String {
    let mut text = String::new();
    for (number, found) in (1..).zip(&view.insights.moves) {
        let head = if number == 1 { "What to do next\n" } else { "" };
        let _ = writeln!(
            text,
            "{head} {number}. {}\n    {}",
            line(&found.title),
            line(&found.why)
        );
        for fact in found.facts.iter().take(table::FACTS) {
            let _ = writeln!(
                text,
                "    - {}",
                cut(&line(&format!("{} {}", fact.link, fact.text)), 110)
            );
        }
    }
    text
}

fn sheet(sheet: &Sheet) -> String {
    let heads: Vec<&str> = sheet.columns.iter().map(|(head, _)| *head).collect();
    let numbers = sheet.columns.iter().map(|(_, is_number)| *is_number);
    let right: Vec<usize> = numbers
        .enumerate()
        .filter_map(|(at, is_number)| is_number.then_some(at))
        .collect();
    let mut rows = table::table(&heads, &right);
    for row in &sheet.rows {
        rows.add_row(row.iter().map(|cell| cut(&line(cell), table::CELL).into_owned()));
    }
    let mut text = table::titled(sheet.title, &rows);
    for below in &sheet.below {
        let _ = writeln!(text, "{}", cut(&line(below), 120));
    }
    text
}

/// Says where a scan asked, how the place was found and how sure that is, in one line.
pub fn place(location: &LocationReport) -> String {
    line(&format!("{} ({})", location.label(), figure::how_found(location)))
}

fn foot(result: &ScanResult) -> String {
    let mut foot = String::new();
    for warning in &result.warnings {
        let _ = writeln!(foot, "Note: {}", line(&warning.message));
    }
    let usage = &result.usage;
    // Pages keep number and noun together with a blank of their own; who searches a terminal types a plain one.
    let questions = line(&figure::plural(usage.questions.into(), "question", "questions"));
    let _ = write!(foot, "{questions}, {} answered", usage.answered);
    if usage.failed > 0 {
        let share = f64::from(usage.failed) / f64::from(usage.questions.max(1));
        let _ = write!(
            foot,
            ", {} failed ({})",
            usage.failed,
            line(&figure::percent(share))
        );
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
    let _ = writeln!(foot, ". Method {}.", line(&result.method.version));
    foot
}

#[cfg(test)]
mod tests;
