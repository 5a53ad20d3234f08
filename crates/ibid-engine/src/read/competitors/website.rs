//! The website that an answer gives for a name.

use super::names::merge_key;
use crate::read::candidates::{Candidate, Form};
use crate::read::host::{HIDING, kind_of_host, owner_label};
use crate::read::layout::Form as LinkForm;
use crate::read::layout::Span;
use crate::read::page::{Page, Resolved};
use crate::read::text::{is_word, key, plain};
use crate::read::words::{List, list};
use aho_corasick::AhoCorasick;
use ibid_model::result::CompetitorKind;
use std::sync::LazyLock;

/// The link that leads to a candidate's own website.
pub(super) fn website<'p>(page: &'p Page<'_>, candidate: &Candidate) -> Option<&'p Resolved> {
    let reach = match candidate.form {
        Form::Item => candidate.unit.clone(),
        Form::Column | Form::Prose | Form::Mention => candidate.name.start..nearby(page, &candidate.name),
    };
    let links = page.links_in(&reach);
    links
        .iter()
        .filter(|link| link.address.host != HIDING)
        .find(|link| is_website(page, candidate, link, links.len()))
}

/// How far after a name in prose its website may follow.
fn nearby(page: &Page<'_>, name: &Span) -> usize {
    let rest = page.layout.text.get(name.end..).unwrap_or_default();
    let lead = rest.len() - rest.trim_start_matches([' ', '(', '[', ':', '–', '—', '-']).len();
    name.end + lead + 1
}

fn is_website(page: &Page<'_>, candidate: &Candidate, link: &Resolved, all: usize) -> bool {
    let (name, at) = (&candidate.name, &link.span);
    // The name is the link, or holds it.
    if at.start < name.end && at.end > name.start {
        return true;
    }
    let label = owner_label(&link.address.host);
    if resembles(page.text(name), label) {
        return true;
    }
    if kind_of_host(&link.address.host) != CompetitorKind::Rival {
        return false;
    }
    if candidate.form != Form::Item {
        return page.is_address_of(name, at);
    }
    let between = page.layout.text.get(name.end..at.start).unwrap_or_default();
    // `Name (host)`, `Name – host`, and cells of one row.
    if between.len() <= 12 && !between.contains(is_word) && !link.chip {
        return true;
    }
    if link.chip {
        return false;
    }
    // `Website: host` on a separate line.
    let line = page.layout.block(at.start);
    let start = line.map_or(at.start, |line| line.span.start);
    let before = plain(page.layout.text.get(start..at.start).unwrap_or_default());
    let labelled = LABELS.as_ref().is_some_and(|labels| labels.is_match(&*before));
    if labelled && before.chars().count() <= 40 {
        return true;
    }
    let row = line.is_some_and(|line| matches!(line.kind, crate::read::layout::Kind::Row));
    // No other address is in its row, or in its item without further text.
    all == 1
        && (row
            || link.form != LinkForm::Markdown
                && before.trim_matches(|c: char| !is_word(c)).len() <= page.text(name).len() + 4)
}

/// Labels of an address.
static LABELS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    static ROW: List = list("website.labels");
    AhoCorasick::new(ROW.all()).ok()
});

/// Whether a host's label looks like a name: they share a start, or one holds the other.
fn resembles(name: &str, label: &str) -> bool {
    let (name, label) = (merge_key(name), key(label));
    let shared = name
        .chars()
        .zip(label.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let (short, long) = if name.len() < label.len() {
        (&name, &label)
    } else {
        (&label, &name)
    };
    shared >= 5 || shared >= 4 && short.len() <= 6 || short.len() >= 4 && long.contains(&**short)
}
