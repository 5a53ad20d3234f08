//! Reports that need no server: one HTML file, or Markdown.

use crate::assets::File;
use crate::error::RenderError;
use crate::escape::line;
use crate::figure;
use crate::frame::Frame;
use crate::pages::{ReportPage, Viewer, report};
use crate::report_view::{ReportView, Sheet};
use ibid_model::{ScanId, ScanResult};
use std::fmt::Write as _;

/// Renders the report of a scan as a page without external files. It contains the style sheet, and has no scripts,
/// links of the site or navigation.
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

/// Renders the words and figures of a scan as Markdown, for issues, wikis and chats.
pub fn markdown(result: &ScanResult) -> String {
    let view = ReportView::of(result, None);
    let mut text = format!(
        "# {}: {}\n",
        cell(&result.domain.to_unicode()),
        cell(result.keyword.as_str())
    );
    if result.sandbox {
        text.push_str("\n**Sandbox: these answers are invented.**\n");
    }
    let measured = format!("Measured {}.", figure::date(result.finished_at));
    for sentence in view.lead().iter().chain([&measured]) {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n{}\n", cell(sentence));
    }
    if !view.insights.moves.is_empty() {
        text.push_str("\n## What to do next\n\n");
    }
    for (number, found) in (1..).zip(&view.insights.moves) {
        let _ = writeln!(text, "{number}. **{}**: {}", cell(&found.title), cell(&found.why));
    }
    for sheet in view.sheets() {
        table(&mut text, &sheet);
    }
    if !result.warnings.is_empty() {
        text.push_str("\n## Notes\n\n");
    }
    for warning in &result.warnings {
        let _ = writeln!(text, "- {}", cell(&warning.message));
    }
    text
}

fn table(text: &mut String, sheet: &Sheet) {
    let _ = write!(text, "\n## {}\n\n", cell(sheet.title));
    let mut row = |cells: Vec<String>| {
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    };
    let heads = sheet.columns.iter().map(|(head, _)| cell(head));
    row(heads.collect());
    let rule = |is_number: bool| if is_number { "--:" } else { "---" }.to_owned();
    row(sheet
        .columns
        .iter()
        .map(|(_, is_number)| rule(*is_number))
        .collect());
    for cells in &sheet.rows {
        let empty = std::iter::repeat_n(String::new(), sheet.columns.len() - cells.len());
        row(cells.iter().map(|text| cell(text)).chain(empty).collect());
    }
    for below in &sheet.below {
        let _ = write!(text, "\n{}\n", cell(below));
    }
}

/// A text of a model or a caller in a cell: without lines, markup and control characters.
fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for character in line(text).chars() {
        match character {
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '#' | '!' => {
                cell.push('\\');
                cell.push(character);
            }
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
