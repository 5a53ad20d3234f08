//! Reports that need no server: one HTML file, or Markdown.

use crate::assets::File;
use crate::error::RenderError;
use crate::frame::Frame;
use crate::pages::{ReportPage, Viewer, report};
use ibid_model::result::{Competitor, CompetitorKind};
use ibid_model::{ScanId, ScanResult};
use std::fmt::Write as _;

/// Renders the report of a scan as a page without external files. It contains the style sheet, and has no scripts,
/// links of the site or navigation.
///
/// # Errors
/// See [`RenderError`].
pub fn html(result: &ScanResult) -> Result<String, RenderError> {
    let page = ReportPage {
        id: ScanId::random(),
        result,
        evidence: None,
        brand: None,
        viewer: Viewer::Public {
            path: "",
            open: false,
        },
    };
    let frame = Frame {
        sandbox: result.sandbox,
        ..Frame::default()
    };
    let page = report(&frame, &page)?;
    let style = format!("<link rel=\"stylesheet\" href=\"{}\">", File::Style.path());
    let inline = format!("<style>{}</style>", File::Style.text());
    let page = page.replace(&style, &inline);
    let page = without(&page, "<header class=\"site-head\">", "</header>");
    let page = without(&page, "<footer class=\"site-foot\">", "</footer>");
    let page = without(&page, "<script", "</script>");
    Ok(without(&page, "<link rel=\"icon\"", ">"))
}

/// Removes every part of a page from `start` to the next `end`.
fn without(page: &str, start: &str, end: &str) -> String {
    let mut kept = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(start) {
        let Some((_, after)) = after.split_once(end) else {
            break;
        };
        kept.push_str(before);
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// Renders the numbers of a scan as Markdown, for issues, wikis and chats.
#[must_use]
pub fn markdown(result: &ScanResult) -> String {
    let mut text = format!(
        "# {}: {}\n\n",
        cell(&result.domain.to_unicode()),
        cell(result.keyword.as_str())
    );
    // Writing to a String cannot fail.
    let _ = write!(text, "Score **{} of 100**", result.overall_score);
    if let Some(range) = &result.interval {
        let _ = write!(text, " (likely range {:.0} to {:.0})", range.low, range.high);
    }
    let _ = writeln!(text, ", measured {}.", result.finished_at.strftime("%Y-%m-%d"));
    if result.sandbox {
        text.push_str("\n**Sandbox: these answers are invented.**\n");
    }
    if let Some(sentence) = result.retrieval.sentence() {
        let _ = writeln!(text, "\n{}", cell(&sentence));
    }
    moves(&mut text, result);
    models(&mut text, result);
    rings(&mut text, result);
    competitors(&mut text, result);
    if !result.warnings.is_empty() {
        text.push_str("\n## Notes\n\n");
    }
    for warning in &result.warnings {
        let _ = writeln!(text, "- {}", cell(&warning.message));
    }
    text
}

fn moves(text: &mut String, result: &ScanResult) {
    if !result.moves.is_empty() {
        text.push_str("\n## What to do next\n\n");
    }
    for (number, found) in (1..).zip(&result.moves) {
        let _ = writeln!(text, "{number}. **{}**: {}", cell(&found.title), cell(&found.why));
    }
}

fn models(text: &mut String, result: &ScanResult) {
    text.push_str("\n## Models\n\n| Model | Score | Cited in | Usually |\n|---|--:|--:|---|\n");
    for model in &result.models {
        let (score, cited) = if model.is_unanswered() {
            ("no answer".to_owned(), "-".to_owned())
        } else {
            (model.score.to_string(), percent(model.cited_rate))
        };
        let _ = writeln!(
            text,
            "| {} | {score} | {cited} | {} |",
            cell(&model.model_label),
            crate::pages::class_label(model.prominence.as_str())
        );
    }
}

fn rings(text: &mut String, result: &ScanResult) {
    if result.radius.rings.is_empty() {
        return;
    }
    text.push_str("\n## Rings\n\n| Ring | km | Answers | Score | Cited in |\n|--:|---|--:|--:|--:|\n");
    for ring in &result.radius.rings {
        let score = ring
            .score
            .map_or_else(|| "-".to_owned(), |score| score.to_string());
        let _ = writeln!(
            text,
            "| {} | {}–{} | {} | {score} | {} |",
            ring.ring.get(),
            ring.from_km,
            ring.to_km,
            ring.answers,
            ring.cited_rate.map_or_else(|| "-".to_owned(), percent)
        );
    }
}

fn competitors(text: &mut String, result: &ScanResult) {
    let is_shown = |row: &&Competitor| row.is_self || row.kind == CompetitorKind::Rival;
    let mut rows = result
        .radius
        .top_competitors
        .iter()
        .filter(is_shown)
        .take(10)
        .peekable();
    if rows.peek().is_none() {
        return;
    }
    text.push_str("\n## Competitors\n\n| Rank | Name | Website | Named in |\n|--:|---|---|--:|\n");
    for row in rows {
        let name = cell(&row.name);
        let name = if row.is_self { format!("**{name}**") } else { name };
        let domain = row.domain.as_ref().map(ibid_model::Domain::to_unicode);
        let _ = writeln!(
            text,
            "| {} | {name} | {} | {} |",
            row.rank,
            cell(&domain.unwrap_or_default()),
            percent(row.appearance_rate)
        );
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A text of a model or a caller in a cell: without lines, markup and control characters.
fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '#' | '!' => {
                cell.push('\\');
                cell.push(character);
            }
            character if character.is_control() => cell.push(' '),
            character => cell.push(character),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_leave_its_cell() {
        assert_eq!(cell("a|b\n<b>*x*"), "a\\|b \\<b\\>\\*x\\*");
    }

    #[test]
    fn parts_of_a_page_are_removed() {
        assert_eq!(without("a<x>b</x>c<x>d</x>e<x>f", "<x>", "</x>"), "ace<x>f");
    }
}
