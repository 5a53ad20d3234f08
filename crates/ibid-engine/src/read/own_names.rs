//! Resolves the target's names by their place: at the head of an item, in bold, or inside the name of another party.

use super::brand::Hit;
use super::host::{kind_of_host, owner_label};
use super::layout::{Form, Kind, Span};
use super::page::Page;
use super::text::{is_word, key, words};
use super::words::{Meaning, meaning_as_written};
use ibid_model::result::CompetitorKind;
use std::collections::BTreeMap;

/// Makes names in the place of a name sure, and removes those that are part of another party's name.
pub(super) fn settle(page: &mut Page<'_>) {
    let mut hits = std::mem::take(&mut page.hits);
    hits.retain(|hit| !(hit.known && hit.longer && is_other_party(page, hit)));
    for hit in hits.iter_mut().filter(|hit| hit.known && !hit.sure) {
        hit.sure = is_in_place_of_name(page, hit);
    }
    drop_common_nouns(page, &mut hits);
    page.hits = hits;
}

/// Drops names that come only from the domain if the answer also writes them in small letters.
/// In `Barrit Mejeri`, `mejeri` is the trade of the business.
fn drop_common_nouns(page: &Page<'_>, hits: &mut Vec<Hit>) {
    let only_label = |hit: &Hit| !hit.known && page.text(&hit.span).starts_with(char::is_uppercase);
    let mut labels: BTreeMap<String, bool> = hits
        .iter()
        .filter(|hit| only_label(hit))
        .map(|hit| (page.text(&hit.span).to_lowercase(), false))
        .collect();
    if labels.is_empty() {
        return;
    }
    let text = page.layout.text.as_str();
    for word in &page.words {
        let place = word.place.start as usize..word.place.end as usize;
        let before = text.get(..place.start).unwrap_or_default();
        let behind = text.get(place.end..).unwrap_or_default();
        let address = before.ends_with(['/', '.', '@', '-', '_']) || behind.starts_with(['/', '@', '-', '_']);
        let host = behind
            .strip_prefix('.')
            .is_some_and(|rest| rest.starts_with(is_word));
        if let Some(common) = labels.get_mut(page.text(&place)) {
            *common |= !address && !host;
        }
    }
    hits.retain(|hit| !(only_label(hit) && labels.get(&page.text(&hit.span).to_lowercase()) == Some(&true)));
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

/// Whether a name is in the place of a name: at the start of an item, a cell, a bold passage or a link's
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
    passages.into_iter().flatten().any(|passage| {
        let before = page.text(&(passage.start..hit.span.start));
        is_lead(before) && is_named_by(page, hit, &passage)
    })
}

/// Whether the rest of the passage allows the name to be a name.
/// An ordinary word needs a mark, the end, or the name of a product after it.
fn is_named_by(page: &Page<'_>, hit: &Hit, passage: &Span) -> bool {
    let behind = page.text(&(hit.span.end..passage.end));
    let rest = behind.trim_start_matches(' ');
    if !hit.ordinary || rest.is_empty() || !rest.starts_with(is_word) {
        return true;
    }
    let word = words(rest).next().unwrap_or_default();
    let meaning = meaning_as_written(word);
    let plain = meaning.is(Meaning::CRITERION | Meaning::LABEL | Meaning::ADVICE | Meaning::TRADE);
    word.starts_with(char::is_uppercase) && !plain
}
