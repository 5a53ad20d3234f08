//! Competitors: names put forward become providers with their websites.
//! One of them may be the target.

mod names;
mod website;

use names::merge_folded;
use website::website;

use super::candidates::{Candidate, Candidates, Form};
use super::host::{kind_of_host, kind_of_name};
use super::layout::Span;
use super::page::{Page, Resolved};
use super::text::{is_word, plain, words};
use super::words::{List, Meaning, list, meaning, meaning_as_written};
use ibid_model::result::CompetitorKind;
use std::collections::BTreeMap;

/// A provider that an answer puts forward.
#[derive(Clone, Debug)]
pub(super) struct FoundCompetitor {
    pub(super) name: String,
    /// Names of its products, as written.
    pub(super) products: Vec<String>,
    folded: String,
    /// The first place where it is put forward, and all others.
    pub(super) places: Vec<Candidate>,
    /// Which host its website is on.
    pub(super) host: Option<String>,
    pub(super) kind: CompetitorKind,
    pub(super) is_self: bool,
}

/// Turns candidates into competitors, in order.
/// Spellings of one name in one answer are one competitor.
pub(super) fn of(page: &Page<'_>, candidates: &Candidates) -> Vec<FoundCompetitor> {
    let mut found: Vec<FoundCompetitor> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut target: Option<usize> = None;
    for candidate in &candidates.found {
        let text = shown(page, &candidate.name);
        let folded = plain(&text);
        let merge = String::from(merge_folded(&folded));
        if merge.is_empty() {
            continue;
        }
        let link = website(page, candidate);
        let is_self = is_target(page, candidate, link);
        let host = link.map(|link| link.address.host.clone());
        // There is one target under all of its names.
        let same = target
            .filter(|_| is_self)
            .or_else(|| known.get(&merge).copied())
            .or_else(|| leading_run(&found, &folded).filter(|_| !page.target.is_excluded(&text)))
            .or_else(|| initials_of(&found, &text));
        let at = same.unwrap_or(found.len());
        if is_self {
            target = target.or(Some(at));
        }
        known.entry(merge).or_insert(at);
        let product = candidate.product.as_ref().map(|span| shown(page, span));
        match found.get_mut(at) {
            Some(same) => {
                let new = product.filter(|product| !same.products.contains(product));
                same.products.extend(new);
                same.is_self |= is_self;
                same.host = same.host.take().or(host);
                same.places.push(candidate.clone());
            }
            None => {
                let kind = kind(&text, host.as_deref());
                let folded = folded.into();
                found.push(FoundCompetitor {
                    name: text,
                    products: product.into_iter().collect(),
                    folded,
                    places: vec![candidate.clone()],
                    host,
                    kind,
                    is_self,
                });
            }
        }
    }
    // Names that no rule puts forward come where the answer first has them.
    if !candidates.reversed {
        found.sort_by_cached_key(|competitor| {
            let places = competitor.places.iter();
            let mut forward = places.filter(|place| place.form != Form::Mention);
            let first = forward.next().or(competitor.places.first());
            first.map_or(0, |place| place.name.start)
        });
    }
    found
}

/// Tells what kind of competitor a name with its website is.
pub(super) fn kind(name: &str, host: Option<&str>) -> CompetitorKind {
    match kind_of_name(name) {
        CompetitorKind::Rival => host.map_or(CompetitorKind::Rival, kind_of_host),
        kind @ (CompetitorKind::Directory | CompetitorKind::Media) => kind,
    }
}

/// A name without symbols and quotes around it.
fn shown(page: &Page<'_>, span: &Span) -> String {
    let text = page.text(span);
    let trimmed = text.trim_matches(|c: char| !is_word(c) && !matches!(c, ')' | '!' | '+' | '.' | '?'));
    let trimmed = if trimmed.contains('(') {
        trimmed
    } else {
        trimmed.trim_end_matches(')')
    };
    // A short form's possessive: `ATFA's`.
    let stem = trimmed
        .strip_suffix("'s")
        .or_else(|| trimmed.strip_suffix("’s"))
        .filter(|stem| stem.len() >= 3 && stem.bytes().all(|byte| byte.is_ascii_uppercase()));
    let trimmed = stem.unwrap_or(trimmed);
    let mut shown = String::with_capacity(trimmed.len());
    for word in trimmed.split_whitespace() {
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(word);
    }
    shown
}

/// An earlier competitor whose name starts or continues this one word by word:
/// `Thise` and `Thise Mejeri`.
fn leading_run(found: &[FoundCompetitor], one: &str) -> Option<usize> {
    const NEAR: usize = 24;
    let is_run = |short: &str, long: &str| {
        long.strip_prefix(short)
            .is_some_and(|rest| rest.starts_with([' ', '-', '(']))
    };
    let mut fits = found.iter().enumerate().rev().take(NEAR).filter(|(_, other)| {
        let other = other.folded.as_str();
        other.as_bytes().first() == one.as_bytes().first()
            && (other.len() >= 4 && is_run(other, one) || one.len() >= 4 && is_run(one, other))
    });
    let first = fits.next()?.0;
    // A third name with this start makes it ambiguous.
    fits.next().is_none().then_some(first)
}

/// An earlier competitor for whose words this name has the initials, or the reverse:
/// `Acme Tools For All` and `ATFA`.
fn initials_of(found: &[FoundCompetitor], text: &str) -> Option<usize> {
    const NEAR: usize = 24;
    let short =
        |text: &str| (3..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase());
    let initials = |text: &str| -> String {
        let several = words(text).nth(2).is_some();
        let first = words(text).filter_map(|word| word.chars().next());
        if several { first.collect() } else { String::new() }
    };
    let is_short = short(text);
    let own = if is_short { String::new() } else { initials(text) };
    let fits = |other: &FoundCompetitor| {
        if is_short {
            initials(&other.name).eq_ignore_ascii_case(text)
        } else {
            short(&other.name) && own.eq_ignore_ascii_case(&other.name)
        }
    };
    let near = found.iter().enumerate().rev().take(NEAR);
    near.filter(|(_, other)| fits(other)).map(|(at, _)| at).next()
}

/// Whether a candidate is the target: by its website, or by its name without another one around it.
fn is_target(page: &Page<'_>, candidate: &Candidate, website: Option<&Resolved>) -> bool {
    if website.is_some_and(|link| link.own) {
        return true;
    }
    let name = &candidate.name;
    page.hits_in(name).iter().any(|hit| {
        if hit.span.end > name.end {
            return false;
        }
        let before = page.text(&(name.start..hit.span.start));
        let behind = page.text(&(hit.span.end..name.end));
        // An ordinary word between two others is a word of their name: `Hotel Grand Palace`.
        let between = !hit.distinct && holds_trade(before) && holds_trade(behind);
        if between {
            return false;
        }
        // A known name at the head counts: the words after it name a product.
        if hit.sure && hit.known && is_padding(page, before) {
            return true;
        }
        let alone = is_padding(page, before) && is_padding(page, behind);
        // A distinct name may be part of a longer one; an ordinary one must be the whole text.
        alone || hit.sure && (hit.distinct || is_padding(page, before))
    })
}

/// Whether the text around a name is only articles, trades, legal forms and places of the question.
fn is_padding(page: &Page<'_>, text: &str) -> bool {
    words(text).all(|word| {
        let folded = plain(word);
        let meaning = meaning(&folded);
        meaning.is(Meaning::FUNCTION | Meaning::TRADE | Meaning::LEGAL)
            || page.question.asked.contains(&*folded)
            || word.chars().all(|c| c.is_ascii_digit())
            || &*folded == "s"
            || PLACES.has(&folded)
    })
}

/// Whether a text holds more than articles and legal forms.
fn holds_trade(text: &str) -> bool {
    words(text).any(|word| {
        let meaning = meaning_as_written(word);
        !(meaning.is(Meaning::FUNCTION | Meaning::LEGAL))
    })
}

/// Countries and regions in names of branches.
static PLACES: List = list("competitors.places");
