//! The blocks that only list sources.

use crate::read::layout::{Kind, Layout};
use crate::read::text::key;
use crate::read::words::{List, list};

/// The blocks below the title of a list of sources.
pub(super) fn blocks(layout: &Layout) -> Vec<bool> {
    static TITLES: List = list("page.source-titles");
    let mut found = Vec::with_capacity(layout.blocks.len());
    let mut inside = false;
    for block in &layout.blocks {
        let text = layout.at(&block.span);
        let title = text.len() <= 40 && TITLES.has(&key(text));
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
