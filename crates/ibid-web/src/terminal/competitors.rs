//! The table of competitors.

use super::text::{clean, cut, or_dash, percent, table, titled};
use ibid_model::result::{Competitor, CompetitorKind};

/// Maximum number of competitors in the table.
const MOST: usize = 10;

pub(crate) fn render(competitors: &[Competitor]) -> String {
    if competitors.is_empty() {
        return String::new();
    }
    let mut rows = table(
        &[
            "",
            "rank",
            "(range)",
            "name",
            "website",
            "visibility",
            "share",
            "named in",
        ],
        &[1, 2, 5, 6, 7],
    );
    let shown = competitors
        .iter()
        .filter(|row| row.kind == CompetitorKind::Rival || row.is_self);
    for (index, row) in shown.enumerate() {
        if index >= MOST && !row.is_self {
            continue;
        }
        rows.add_row([
            if row.is_self { "▶" } else { "" }.to_owned(),
            row.rank.to_string(),
            row.rank_interval
                .map_or_else(String::new, |range| format!("{}–{}", range.low, range.high)),
            cut(&clean(&row.name), 32),
            cut(
                &or_dash(row.domain.as_ref().map(ibid_model::Domain::to_unicode)),
                28,
            ),
            format!("{:.1}", row.score),
            percent(row.share),
            percent(row.appearance_rate),
        ]);
    }
    let mut text = titled("Competitors (▶ is the scanned domain)", &rows);
    let others: Vec<_> = competitors
        .iter()
        .filter(|row| row.kind != CompetitorKind::Rival && !row.is_self)
        .take(8)
        .map(|row| cut(&clean(&row.name), 24))
        .collect();
    if !others.is_empty() {
        text.push_str(&format!("Directories and media: {}\n", others.join(", ")));
    }
    text
}
