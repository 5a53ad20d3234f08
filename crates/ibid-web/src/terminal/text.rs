//! Formats numbers and hostile texts for a terminal.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use ibid_model::Interval;

/// Returns the text on one line, without control characters and bidirectional overrides.
pub(crate) fn clean(text: &str) -> String {
    let harmless = |c: char| {
        !c.is_control()
            && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
    };
    let mut clean = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !clean.is_empty() {
            clean.push(' ');
        }
        clean.extend(word.chars().filter(|c| harmless(*c)));
    }
    clean
}

/// Cuts a text to at most `most` characters, and marks a cut with an ellipsis.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Formats an interval as "15.9–48.4".
pub(crate) fn interval(interval: &Interval) -> String {
    format!("{:.1}–{:.1}", interval.low, interval.high)
}

/// Formats an interval of rates as "16–48 %".
pub(crate) fn percent_interval(interval: &Interval) -> String {
    format!("{:.0}–{:.0} %", interval.low * 100.0, interval.high * 100.0)
}

/// Formats a rate as "32 %".
pub(crate) fn percent(rate: f64) -> String {
    format!("{:.0} %", rate * 100.0)
}

/// Formats a value, or a dash for `None`.
pub(crate) fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| value.to_string())
}

/// Returns an empty table without borders. The columns in `right` are aligned to the right.
pub(crate) fn table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().copied());
    for index in right {
        if let Some(column) = table.column_mut(*index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Formats a table below its title, without blanks at line ends.
pub(crate) fn titled(title: &str, table: &Table) -> String {
    let mut text = format!("{title}\n");
    for line in table.to_string().lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_removed() {
        assert_eq!(clean("a\u{1b}[31mb\r\n c\u{202e}d\u{7}"), "a[31mb cd");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("äöü", 3), "äöü");
    }
}
