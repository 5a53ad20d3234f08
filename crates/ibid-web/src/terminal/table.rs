//! Tables of a terminal.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Facts shown below a move.
pub(super) const FACTS: usize = 3;
/// Characters of a cell: eight columns then fit into a wide terminal.
pub(super) const CELL: usize = 44;

/// Returns an empty table without borders. The columns in `right` are aligned to the right.
pub(super) fn table(header: &[&str], right: &[usize]) -> Table {
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
pub(super) fn titled(title: &str, table: &Table) -> String {
    let mut text = format!("{title}\n");
    for line in table.to_string().lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
