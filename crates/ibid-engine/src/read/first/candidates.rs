//! Who an answer puts forward, in document order.

use super::blocks::{Block, BlockKind};
use super::cues::{self, RECOMMEND, TOP};
use super::fold::{Folded, squash};
use super::links::{Link, registrable};
use super::{Names, hosts};
use crate::read::LinkKind;
use ibid_model::result::CompetitorKind;
use std::ops::Range;

/// Somebody put forward.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) name: String,
    pub(crate) key: String,
    /// Registrable domain of a link that goes with the name.
    pub(crate) host: Option<String>,
    pub(crate) kind: CompetitorKind,
    pub(crate) is_self: bool,
    /// Blocks that speak of it.
    pub(crate) blocks: Vec<usize>,
}

/// What candidates are looked for in.
pub(crate) struct Page<'a> {
    pub(crate) text: &'a str,
    pub(crate) blocks: &'a [Block],
    pub(crate) links: &'a [Link],
    pub(crate) target: &'a Names<'a>,
    /// The question, squashed: its own words name nobody.
    pub(crate) question: &'a str,
}

/// Most candidates of one answer.
const MOST: usize = 60;

/// The candidate sequence: each entity once, in order.
pub(crate) fn candidates(page: &Page<'_>) -> Vec<Candidate> {
    let mut sequence: Vec<Candidate> = Vec::new();
    for (index, block) in page.blocks.iter().enumerate() {
        for name in names(page, block) {
            if sequence.len() < MOST {
                add(page, &mut sequence, index, name);
            }
        }
    }
    let numbers: Vec<u32> = page
        .blocks
        .iter()
        .filter_map(|block| number_of(block.kind))
        .collect();
    let counts_down =
        numbers.len() >= 3 && numbers.last() == Some(&1) && numbers.windows(2).all(|pair| pair[0] > pair[1]);
    if counts_down {
        sequence.reverse();
    }
    sequence
}

fn number_of(kind: BlockKind) -> Option<u32> {
    match kind {
        BlockKind::Item(number) => number,
        BlockKind::Heading | BlockKind::Row { .. } | BlockKind::Prose => None,
    }
}

/// A name found in a block: its text, and where the search for its link starts.
struct Named {
    name: String,
    /// Link that carries the name itself, when there is one.
    host: Option<String>,
}

fn add(page: &Page<'_>, sequence: &mut Vec<Candidate>, index: usize, named: Named) {
    let Some(block) = page.blocks.get(index) else {
        return;
    };
    let key = key_of(&named.name);
    let host = named.host.or_else(|| match block.kind {
        // The first link of an item or row that leads to no directory belongs to its name.
        BlockKind::Item(_) | BlockKind::Row { .. } | BlockKind::Heading => links_in(page, &block.span)
            .map(|link| registrable(&link.host).to_owned())
            .find(|host| hosts::kind_of(host) == CompetitorKind::Rival),
        BlockKind::Prose => None,
    });
    let own_link = host
        .as_deref()
        .is_some_and(|host| page.target.domain().covers(host) || own_host(page, &block.span, host));
    let is_self = own_link || page.target.is_named_in(&named.name);
    let known = sequence.iter_mut().find(|known| {
        (is_self && known.is_self) || known.key == key || (host.is_some() && known.host == host)
    });
    if let Some(known) = known {
        known.blocks.push(index);
        known.host = known.host.take().or(host);
        return;
    }
    let kind = match &host {
        Some(host) => hosts::kind_of(host),
        None => hosts::kind_of_name(&key),
    };
    let kind = if is_self { CompetitorKind::Rival } else { kind };
    sequence.push(Candidate {
        name: named.name,
        key,
        host,
        kind,
        is_self,
        blocks: vec![index],
    });
}

/// Whether the link behind `host` in this block leads to the target, which may itself be a subdomain.
fn own_host(page: &Page<'_>, span: &Range<usize>, host: &str) -> bool {
    links_in(page, span)
        .any(|link| page.target.domain().covers(&link.host) && registrable(&link.host) == host)
}

fn links_in<'p>(page: &'p Page<'_>, span: &Range<usize>) -> impl Iterator<Item = &'p Link> {
    let span = span.clone();
    page.links
        .iter()
        .filter(move |link| span.contains(&link.span.start))
}

/// The squashed name without legal forms.
fn key_of(name: &str) -> String {
    const FORMS: [&str; 16] = [
        "gmbh", "ag", "kg", "ltd", "limited", "llc", "inc", "co", "corp", "pvt", "sl", "sa", "sas", "srl",
        "bv", "aps",
    ];
    let words: Vec<&str> = name.split_whitespace().collect();
    let kept = words
        .iter()
        .rposition(|word| !FORMS.contains(&squash(word).as_str()))
        .map_or(0, |last| last + 1);
    let stem = squash(&words.get(..kept).unwrap_or(&words).join(" "));
    if stem.is_empty() { squash(name) } else { stem }
}

fn names(page: &Page<'_>, block: &Block) -> Vec<Named> {
    match block.kind {
        BlockKind::Item(_) => from_head(page, &block.head, true).into_iter().collect(),
        BlockKind::Heading => {
            let deep = page
                .text
                .get(..block.head.start)
                .is_some_and(|before| before.trim_end().ends_with("##"));
            from_head(page, &block.head, true)
                .filter(|_| deep)
                .into_iter()
                .collect()
        }
        BlockKind::Row { header: false } => from_row(page, block).into_iter().collect(),
        BlockKind::Row { header: true } => Vec::new(),
        BlockKind::Prose => from_prose(page, block),
    }
}

fn from_row(page: &Page<'_>, block: &Block) -> Option<Named> {
    let row = page.text.get(block.span.clone())?;
    let mut at = block.span.start;
    for cell in row.split('|') {
        let range = at..at + cell.len();
        at += cell.len() + 1;
        let numeric = !cell.chars().any(char::is_alphabetic);
        if !numeric {
            let start = range.start + (cell.len() - cell.trim_start().len());
            return from_head(page, &(start..start + cell.trim().len()), false);
        }
    }
    None
}

/// The name at the head of an item: its bold text, its link, or what stands before a separator.
fn from_head(page: &Page<'_>, head: &Range<usize>, labels: bool) -> Option<Named> {
    let text = page.text.get(head.clone())?;
    // "### 2. Rival": the number of a heading is no part of the name.
    let unnumbered = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '#' | ' '));
    let numbered = unnumbered.len() < text.len() && unnumbered.starts_with(['.', ')']);
    let skipped = if numbered {
        text.len() - unnumbered.len() + 1
    } else {
        0
    };
    let named = text.get(skipped..)?;
    let first = named.find(|c: char| c.is_alphanumeric() || matches!(c, '*' | '[' | '_' | '"' | '“'))?;
    let start = head.start + skipped + first;
    let text = page.text.get(start..head.end)?;
    if let Some(link) = page
        .links
        .iter()
        .find(|link| link.span.start >= start && link.span.start <= start + 4)
    {
        let name = match &link.anchor {
            Some(anchor) => page.text.get(anchor.clone())?,
            None => link.host.as_str(),
        };
        return accept(page, name, Some(registrable(&link.host).to_owned()));
    }
    let bold = text.strip_prefix("**").or_else(|| text.strip_prefix("__"));
    let (name, rest) =
        match bold.and_then(|bold| bold.split_once(if text.starts_with("**") { "**" } else { "__" })) {
            Some((name, rest)) => (cut(name), rest),
            None => {
                let name = cut(text);
                (name, text.get(name.len()..).unwrap_or_default())
            }
        };
    let behind = rest.trim_start_matches([':', '：', '*', ' ', '–', '—', '-']);
    let praised = cues::is_praise_label(name);
    if labels && (praised || cues::is_generic_head(name)) {
        // "Best overall: Rival" and "**Top pick:** Rival" put the name behind the label.
        let from = head.end.checked_sub(behind.len())?;
        return if praised {
            from_head(page, &(from..head.end), false)
        } else {
            None
        };
    }
    let full = if bold.is_none() && name.len() == text.len() {
        text
    } else {
        name
    };
    accept(page, full, None)
}

/// What stands before the first separator of a head.
fn cut(head: &str) -> &str {
    const SEPARATORS: [&str; 12] = [
        " – ", " — ", " - ", " (", "（", ": ", "：", " | ", "**", " [", " → ", "、",
    ];
    let end = SEPARATORS
        .iter()
        .filter_map(|separator| head.find(separator))
        .min()
        .unwrap_or(head.len());
    head.get(..end).unwrap_or(head).trim_end_matches([':', ' '])
}

/// Lets through what can be a name.
fn accept(page: &Page<'_>, name: &str, host: Option<String>) -> Option<Named> {
    let name = name.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '*' | '_' | '"' | '“' | '”' | '.' | ',' | ':' | '`' | '[')
    });
    let (characters, words) = (name.chars().count(), name.split_whitespace().count());
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    if !(1..=6).contains(&words) || characters > 60 || letters < 2 || cues::is_generic_head(name) {
        return None;
    }
    let named = host.is_some() || page.target.is_named_in(name);
    let squashed = squash(name);
    let proper = name.split_whitespace().any(|word| {
        word.chars()
            .find(|c| c.is_alphanumeric())
            .is_some_and(|c| !c.is_lowercase())
    });
    let in_question = !named && !page.question.is_empty() && page.question.contains(&squashed);
    if in_question || !(named || proper) || name.ends_with(['?', '？']) {
        return None;
    }
    Some(Named {
        name: name.to_owned(),
        host,
    })
}

/// Names in a sentence that recommends: bold text, links, hosts, capitalised sequences.
fn from_prose(page: &Page<'_>, block: &Block) -> Vec<Named> {
    let Some(text) = page.text.get(block.span.clone()) else {
        return Vec::new();
    };
    let lower = text.to_lowercase();
    let recommends = RECOMMEND.in_clause(&lower) || TOP.in_clause(&lower);
    let mut found: Vec<(usize, Named)> = Vec::new();
    for link in links_in(page, &block.span) {
        let name = link
            .anchor
            .clone()
            .and_then(|anchor| page.text.get(anchor))
            .unwrap_or(&link.host);
        if recommends || link.kind == LinkKind::Markdown {
            found.extend(
                accept(page, name, Some(registrable(&link.host).to_owned()))
                    .map(|named| (link.span.start, named)),
            );
        }
    }
    for (at, name) in bold_spans(text) {
        let at = block.span.start + at;
        let inside_link = links_in(page, &block.span).any(|link| link.span.contains(&at));
        if !inside_link {
            found.extend(accept(page, cut(name), None).map(|named| (at, named)));
        }
    }
    if found.is_empty() && recommends {
        found.extend(
            capitalised(text)
                .into_iter()
                .filter_map(|(at, name)| accept(page, name, None).map(|named| (at, named))),
        );
        let folded = Folded::new(text, |_| false);
        if !found
            .iter()
            .any(|(_, named)| page.target.is_named_in(&named.name))
        {
            for alias in page.target.squashed() {
                let at = folded.find(alias).first().map(|(first, _)| *first);
                found.extend(at.map(|at| {
                    (
                        at,
                        Named {
                            name: target_name(page.target),
                            host: None,
                        },
                    )
                }));
            }
        }
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, named)| named).collect()
}

fn target_name(target: &Names<'_>) -> String {
    target.display()
}

fn bold_spans(text: &str) -> Vec<(usize, &str)> {
    let (mut spans, mut from) = (Vec::new(), 0);
    while let Some(open) = text
        .get(from..)
        .and_then(|rest| rest.find("**"))
        .map(|at| from + at + 2)
    {
        let Some(close) = text
            .get(open..)
            .and_then(|rest| rest.find("**"))
            .map(|at| open + at)
        else {
            break;
        };
        spans.extend(
            text.get(open..close)
                .filter(|inner| !inner.is_empty())
                .map(|inner| (open, inner)),
        );
        from = close + 2;
    }
    spans
}

/// Runs of capitalised words; one alone counts only inside the sentence.
fn capitalised(text: &str) -> Vec<(usize, &str)> {
    const NOT_NAMES: [&str; 24] = [
        "i", "the", "a", "an", "in", "for", "if", "you", "your", "it", "they", "there", "here", "some",
        "many", "both", "also", "another", "other", "each", "my", "este", "der", "die",
    ];
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let start = at;
        at += word.len();
        let bare = word.trim_end().trim_start_matches(['"', '“', '(', '\'']);
        let first = start + (word.trim_end().len() - bare.len());
        let name = bare.trim_end_matches([',', '.', ';', ':', '!', '?', ')', '"', '”']);
        let capital =
            name.chars().next().is_some_and(char::is_uppercase) || (name == "&" && !runs.is_empty());
        if !capital || (NOT_NAMES.contains(&name.to_lowercase().as_str())) {
            continue;
        }
        let end = first + name.len();
        let joined = runs
            .last_mut()
            .filter(|(_, last, _)| text.get(*last..first).is_some_and(|gap| gap == " "));
        match joined {
            Some(run) => {
                run.1 = end;
                run.2 += 1;
            }
            None => runs.push((first, end, 1)),
        }
    }
    runs.into_iter()
        .filter(|(start, _, words)| *start > 0 || *words > 1)
        .filter_map(|(start, end, _)| {
            text.get(start..end)
                .map(|name| (start, name.trim_end_matches([' ', '&'])))
        })
        .collect()
}
