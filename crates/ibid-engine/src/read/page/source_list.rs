//! The blocks that only list sources.

use crate::read::layout::{Kind, Layout};
use crate::read::text::key;
use crate::read::words::{List, list};

/// Whether a folded line is the title of a list of sources.
fn is_sources_title(line: &str) -> bool {
    static TITLES: List = list("page.source-titles");
    // Few lines start like one.
    let first = line.as_bytes().first().copied().unwrap_or_default();
    let may = !first.is_ascii() || b"bcdfiklpqrsz".contains(&first);
    may && TITLES.has(line)
}

/// The blocks below the title of a list of sources.
pub(super) fn blocks(layout: &Layout) -> Vec<bool> {
    let mut found = Vec::with_capacity(layout.blocks.len());
    let mut inside = false;
    for block in &layout.blocks {
        let text = layout.at(&block.span);
        let title = text.len() <= 40 && is_sources_title(&key(text));
        let ends = matches!(block.kind, Kind::Heading(_))
            || block.all_bold
            || matches!(block.kind, Kind::Line)
                && block.after_blank
                && layout.links_in(&block.span).is_empty();
        inside = title || inside && !ends;
        found.push(inside);
    }
    found
}
