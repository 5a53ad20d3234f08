//! Resolves the target's names by where they stand: at an item's head, in bold, or inside another party's name.

use super::brand::Hit;
use super::host::{kind_of_host, owner_label};
use super::layout::{Form, Kind};
use super::page::Page;
use super::text::key;
use ibid_model::result::CompetitorKind;

/// Makes names sure that stand where a name does, and removes those that are part of another party's name.
pub(super) fn settle(page: &mut Page<'_>) {
    let mut hits = std::mem::take(&mut page.hits);
    hits.retain(|hit| !(hit.known && hit.longer && is_other_party(page, hit)));
    for hit in hits.iter_mut().filter(|hit| hit.known && !hit.sure) {
        hit.sure = is_in_place_of_name(page, hit);
    }
    page.hits = hits;
}

/// Whether the text before a name is only a number and marks.
fn is_lead(before: &str) -> bool {
    before.len() <= 12 && !before.contains(char::is_alphabetic)
}

/// Whether a longer name is another party's: the answer gives its own website.
fn is_other_party(page: &Page<'_>, hit: &Hit) -> bool {
    let short = key(page.text(&hit.span));
    let end = page.layout.text.len().min(hit.span.end + 80);
    let reach = hit.span.start..page.layout.text.get(..end).map_or(hit.span.end, str::len);
    page.links_in(&reach).iter().any(|link| {
        let over = link.span.start <= hit.span.start + 1;
        let address = link.form != Form::Markdown && {
            let between = page.text(&(hit.span.end..link.span.start));
            between.len() <= 40 && between.contains('(') && !between.contains(['.', ',', ';'])
        };
        let label = key(owner_label(&link.address.host));
        !link.own
            && (over || address)
            && kind_of_host(&link.address.host) == CompetitorKind::Rival
            && label.starts_with(&*short)
            && label.len() > short.len()
    })
}

/// Whether a name stands where names do: at the start of an item, a cell, a bold passage or a link's
/// text.
fn is_in_place_of_name(page: &Page<'_>, hit: &Hit) -> bool {
    let Some(block) = page.layout.block(hit.span.start) else {
        return false;
    };
    let start = block.span.start;
    let bold = page
        .layout
        .bolds_in(&(start..hit.span.start + 1))
        .last()
        .filter(|bold| bold.end >= hit.span.end);
    let cell = page
        .layout
        .cells
        .get(block.cells.clone())
        .unwrap_or_default()
        .iter()
        .find(|cell| cell.start <= hit.span.start && hit.span.end <= cell.end);
    let link = page
        .layout
        .links_in(&(start..hit.span.start + 1))
        .last()
        .filter(|link| link.form == Form::Markdown && !link.chip && link.span.end >= hit.span.end);
    let item = matches!(block.kind, Kind::Ordered | Kind::Bullet | Kind::Heading(_)) || block.symbol;
    let passages = [
        bold.cloned(),
        cell.cloned(),
        link.map(|link| link.span.clone()),
        item.then(|| block.span.clone()),
    ];
    passages
        .into_iter()
        .flatten()
        .any(|passage| is_lead(page.text(&(passage.start..hit.span.start))))
}
