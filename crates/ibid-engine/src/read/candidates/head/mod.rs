//! Reads an item's head: its name, if it has one.

mod marks;
mod name;
mod vocabulary;

pub(super) use name::is_name;
pub(super) use vocabulary::meaning_of;

use super::asides::EXAMPLE;
use marks::{mark, skip, trim};
use vocabulary::{is_for, is_label};

use crate::read::layout::{Form, Span};
use crate::read::page::Page;
use crate::read::words::{List, list};

/// What an item's head says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// A name.
    Name(Named),
    /// A criterion, advice, a category: no name.
    Generic,
    /// A sentence, or a text that is too long for a head.
    Sentence,
}

/// A name at the head of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// Where the name stands.
    pub(super) name: Span,
    /// The text after it in the same block.
    pub(super) rest: Span,
    /// The certainty that this is a name.
    pub(super) strength: Strength,
    /// It is marked: bold, linked, or with a description after a mark.
    pub(super) set_off: bool,
    /// The label before it: `Best overall:`.
    pub(super) label: Option<Span>,
}

/// The certainty that a text is a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    Weak,
    Strong,
}

/// Longest head in words and in characters.
const MOST_WORDS: usize = 7;

const MOST_CHARS: usize = 60;

/// Labels inside labels that are looked through.
const DEEPEST: u32 = 2;

/// Reads the head that a block, or a part of it, begins with.
pub(super) fn read(page: &Page<'_>, block: &Span) -> Head {
    read_part(page, block, DEEPEST)
}

fn read_part(page: &Page<'_>, block: &Span, depth: u32) -> Head {
    let Some(cut) = cut(page, block) else {
        return Head::Sentence;
    };
    let cut = Cut {
        name: behind_invitation(page, &cut.name),
        ..cut
    };
    let named = |strength| {
        Head::Name(Named {
            name: cut.name.clone(),
            rest: cut.rest.clone(),
            strength,
            set_off: cut.set_off,
            label: None,
        })
    };
    // `Best for: commuters` names an audience, not a provider.
    if cut.colon && ends_with_for(page.text(&cut.name)) {
        return Head::Generic;
    }
    // The name follows a label and a colon.
    if depth > 0 && cut.colon && (is_label(page, &cut.name) || labels_known_name(page, &cut)) {
        let behind = behind_example(page, &cut.rest)..cut.rest.end;
        return match read_part(page, &behind, depth - 1) {
            Head::Name(inner) => {
                let label = Some(cut.name.start..inner.label.map_or(cut.name.end, |label| label.end));
                Head::Name(Named {
                    label,
                    set_off: true,
                    ..inner
                })
            }
            Head::Generic | Head::Sentence => match is_name(page, &cut.name, cut.set_off) {
                // `Best Western: …` starts like a label.
                Some(Strength::Strong) => named(Strength::Weak),
                Some(_) | None => Head::Generic,
            },
        };
    }
    match is_name(page, &cut.name, cut.set_off) {
        Some(strength) => named(strength),
        None if is_long(page.text(&cut.name)) => Head::Sentence,
        None => Head::Generic,
    }
}

/// A head without the words that invite to it: `Visit the Acme Museum`.
fn behind_invitation(page: &Page<'_>, name: &Span) -> Span {
    static INVITATIONS: List = list("head.invitations");
    let text = page.text(name);
    let behind = INVITATIONS.iter().find_map(|words| text.strip_prefix(words));
    let named = behind.filter(|rest| rest.starts_with(char::is_uppercase));
    named.map_or(name.start, |rest| name.end - rest.len())..name.end
}

/// Whether a phrase before a colon has a known name directly after it: `Cheapest every day: Acme`.
fn labels_known_name(page: &Page<'_>, cut: &Cut) -> bool {
    let start = behind_example(page, &cut.rest);
    let behind = start..(start + 3).min(cut.rest.end);
    let known = page.has_brand(&behind) || page.hits_in(&behind).iter().any(|hit| hit.sure);
    let named = !page.brands_in(&cut.name).is_empty()
        || !page.hits_in(&cut.name).is_empty()
        || !page.links_in(&cut.name).is_empty();
    let phrase = page
        .text(&cut.name)
        .split(' ')
        .skip(1)
        .any(|word| word.starts_with(char::is_lowercase));
    let example = start > cut.rest.start && page.text(&(start..cut.rest.end)).starts_with(char::is_uppercase);
    !named && (known && phrase || example)
}

/// The position after a word for an example at the start of a text: `such as Acme`.
fn behind_example(page: &Page<'_>, rest: &Span) -> usize {
    let text = page.text(rest);
    let lead = text.len() - text.trim_start_matches([' ', '*']).len();
    let inner = &text[lead..];
    let example = EXAMPLE.iter().find(|example| {
        inner
            .get(..example.len())
            .is_some_and(|start| start.to_lowercase() == **example)
            && inner
                .get(example.len()..)
                .is_some_and(|next| next.starts_with(' '))
    });
    example.map_or(rest.start, |example| {
        let behind = &inner[example.len()..];
        rest.start + lead + example.len() + behind.len() - behind.trim_start_matches([' ', '*']).len()
    })
}

fn ends_with_for(label: &str) -> bool {
    let last = label.rsplit(' ').next().unwrap_or_default();
    label.contains(' ') && is_for(last)
}

/// Takes a block's text before its first mark.
pub(super) fn text(page: &Page<'_>, block: &Span) -> Option<Span> {
    cut(page, block).map(|cut| cut.name)
}

/// A head cut off from its rest.
struct Cut {
    name: Span,
    rest: Span,
    set_off: bool,
    /// A colon is between them.
    colon: bool,
}

/// Cuts the head off: the bold, linked or quoted text at the start, or the text before the first mark.
fn cut(page: &Page<'_>, block: &Span) -> Option<Cut> {
    let span = trim(page, block);
    let text = page.text(&span);
    if text.is_empty() {
        return None;
    }
    let near = span.start + 3;
    if let Some(bold) = page
        .layout
        .bolds_in(&(block.start..span.end))
        .first()
        .filter(|bold| bold.start <= near && bold.end > span.start)
    {
        let bold = bold.start.max(span.start)..bold.end.min(span.end);
        let rest = bold.end..span.end;
        let inner = trim(page, &bold);
        let raw = page.text(&bold).trim_end();
        let after = page.text(&rest).trim_start();
        // Bold text at the start of a sentence continues in it: `**Acme Plumbing** in Leeds is …` still names.
        let colon = raw.ends_with(':') || after.starts_with(':');
        if let Some(mark) = mark(page.text(&inner)) {
            let name = trim(page, &(inner.start..inner.start + mark.at));
            let rest = inner.start + mark.behind..span.end;
            return Some(Cut {
                name,
                rest,
                set_off: true,
                colon: mark.colon,
            });
        }
        return Some(Cut {
            name: inner,
            rest: skip(page, rest),
            set_off: true,
            colon,
        });
    }
    if let Some(link) = page
        .links_in(&(span.start..near.min(span.end)))
        .first()
        .filter(|link| !link.chip && !link.span.is_empty())
    {
        let rest = link.span.end..span.end.max(link.span.end);
        let anchor = trim(page, &link.span);
        let whole = match link.form {
            Form::Markdown => page.text(&anchor).len() > 1,
            Form::Url | Form::Host => true,
        };
        if whole {
            let mark = (link.form == Form::Markdown)
                .then(|| mark(page.text(&anchor)))
                .flatten();
            let name = mark.map_or(anchor.clone(), |mark| {
                trim(page, &(anchor.start..anchor.start + mark.at))
            });
            let colon = page.text(&rest).trim_start().starts_with(':');
            return Some(Cut {
                name,
                rest: skip(page, rest),
                set_off: true,
                colon,
            });
        }
    }
    match mark(text) {
        Some(mark) => Some(Cut {
            name: trim(page, &(span.start..span.start + mark.at)),
            rest: skip(page, span.start + mark.behind..span.end),
            set_off: mark.sets_off,
            colon: mark.colon,
        }),
        None => Some(Cut {
            name: span.clone(),
            rest: span.end..span.end,
            set_off: false,
            colon: false,
        }),
    }
}

fn is_long(text: &str) -> bool {
    // A character has at most four bytes.
    text.len() > 4 * MOST_CHARS
        || text.chars().count() > MOST_CHARS
        || text.split_ascii_whitespace().count() > MOST_WORDS
}
