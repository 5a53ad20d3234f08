//! Cuts a product's name to the brand at its start.

use super::asides::is_joint;
use super::{Candidate, Candidates, Form};
use crate::read::layout::{Kind, Span};
use crate::read::page::{MANY_BRANDS, Page};
use crate::read::text::{is_word, plain, words};
use crate::read::words::{BrandMention, List, Meaning, list, meaning_as_written};
use std::collections::{BTreeMap, BTreeSet};

/// Words that tell variants of a product apart.
static VARIANTS: List = list("owners.variants");

/// Cuts the names of products to their brands, and drops products whose brand is put forward anyway.
pub(super) fn settle(page: &Page<'_>, candidates: &mut Candidates) {
    let starts = Starts::of(page, candidates.found.iter());
    split_joint(page, candidates, &starts);
    let many = page.many_brands;
    let mut last: Option<Span> = None;
    let mut known = 0;
    let mut groups: BTreeMap<GroupKey, bool> = BTreeMap::new();
    candidates.found.retain_mut(|candidate| {
        let keeps = if is_own(page, &candidate.name) {
            true
        } else if let Some(owner) = owner(page, candidate, &starts, many) {
            let whole = std::mem::replace(&mut candidate.name, owner);
            candidate.product = Some(whole).filter(|whole| *whole != candidate.name);
            true
        } else {
            !(many && candidate.form == Form::Prose) || is_presented(page, candidate, last.as_ref())
        };
        if keeps {
            let sure = is_own(page, &candidate.name)
                || page.is_linked(&candidate.name)
                || page
                    .brands_in(&candidate.name)
                    .iter()
                    .any(|brand| brand.span.end <= candidate.name.end);
            known += usize::from(sure);
            if candidate.form == Form::Item {
                *groups.entry(group_of(page, candidate)).or_default() |= sure;
            }
            last = Some(candidate.name.clone());
        }
        keeps
    });
    // Among well-known brands, a list without one holds criteria or advice.
    if known >= MANY_BRANDS {
        candidates.found.retain(|candidate| {
            candidate.form != Form::Item || groups.get(&group_of(page, candidate)) != Some(&false)
        });
    }
}

/// Cuts the names of products among names that no rule puts forward.
pub(super) fn cut(page: &Page<'_>, others: &mut [Candidate], candidates: &Candidates) {
    let starts = Starts::of(page, candidates.found.iter().chain(&*others));
    for candidate in others {
        if !is_own(page, &candidate.name)
            && let Some(owner) = owner(page, candidate, &starts, page.many_brands)
        {
            let whole = std::mem::replace(&mut candidate.name, owner);
            candidate.product = Some(whole).filter(|whole| *whole != candidate.name);
        }
    }
}

/// Identifies the list that an item is in: its parent, and the kind of its block.
type GroupKey = (Option<usize>, bool);

fn group_of(page: &Page<'_>, candidate: &Candidate) -> GroupKey {
    let block = page.layout.block(candidate.unit.start);
    block.map_or((None, false), |block| {
        let headed = matches!(block.kind, Kind::Ordered | Kind::Heading(_));
        (block.parent, headed)
    })
}

/// Turns heads of several names into one candidate each: `Acme & Beta`, `Acme og Beta`.
fn split_joint(page: &Page<'_>, candidates: &mut Candidates, starts: &Starts) {
    let mut found = Vec::with_capacity(candidates.found.len());
    for candidate in candidates.found.drain(..) {
        match parts(page, &candidate.name, starts) {
            Some(parts) => found.extend(parts.into_iter().map(|name| Candidate {
                name,
                ..candidate.clone()
            })),
            None => found.push(candidate),
        }
    }
    candidates.found = found;
}

/// Splits names that a head joins, if one is known or a name by itself, and each starts with a capital.
fn parts(page: &Page<'_>, name: &Span, starts: &Starts) -> Option<Vec<Span>> {
    static JOINTS: List = list("owners.joints");
    let text = page.text(name);
    let joint = JOINTS.iter().find(|joint| text.contains(*joint))?;
    let mut parts = Vec::new();
    let mut at = name.start;
    for part in text.split(joint) {
        // `typically Acme/Beta` starts with Acme.
        let small = if parts.is_empty() {
            part.find(|c: char| c.is_uppercase() || c.is_ascii_digit())
                .unwrap_or(0)
        } else {
            0
        };
        let lead = small.max(part.len() - part.trim_start().len());
        let span = at + lead..at + part.trim_end().len();
        at += part.len() + joint.len();
        let rest = part.get(lead..).unwrap_or_default();
        if !rest.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()) {
            return None;
        }
        parts.push(span);
    }
    let whole = |span: &Span| {
        let brand = page.brands_in(span).first();
        let hit = page.hits_in(span).iter().find(|hit| hit.sure);
        brand.is_some_and(|brand| brand.span.start == span.start && brand.span.end <= span.end)
            || hit.is_some_and(|hit| hit.span.start == span.start && hit.span.end <= span.end)
            || starts.whole.contains(&*plain(page.text(span)))
    };
    // A name that contains the joint is one: `Marks & Spencer`.
    let joined = |span: &Span| page.text(span).contains(joint);
    let one = page.brands_in(name).iter().any(|brand| joined(&brand.span))
        || page.hits_in(name).iter().any(|hit| joined(&hit.span));
    // `Acme Business / Enterprise` names one and the plans of it.
    let several = if *joint == "/" {
        parts.iter().all(whole)
    } else {
        parts.iter().any(whole)
    };
    (!one && several).then_some(parts)
}

/// Whether an unknown name among well-known brands is put forward like them:
/// enumerated with one, or bold in a sentence that names no brand before it.
fn is_presented(page: &Page<'_>, candidate: &Candidate, last: Option<&Span>) -> bool {
    let name = &candidate.name;
    let joint = last
        .filter(|last| candidate.unit.start <= last.start && last.end <= name.start)
        .map(|last| page.text(&(last.end..name.start)));
    if joint.is_some_and(is_joint) {
        return true;
    }
    let bold = page
        .layout
        .bolds_in(&(name.start.saturating_sub(2)..name.start + 1));
    let bold = bold
        .iter()
        .any(|bold| bold.end >= name.end && bold.end <= name.end + 3);
    let first = page.brands_in(&(candidate.unit.start..name.start)).is_empty();
    bold && first
}

fn is_own(page: &Page<'_>, name: &Span) -> bool {
    let own = |hit: &crate::read::brand::Hit| hit.sure && hit.span.start == name.start;
    page.hits_in(name).iter().any(own)
}

/// The brand at the start or end of a candidate's name, or the one that the text names as its maker.
fn owner(page: &Page<'_>, candidate: &Candidate, starts: &Starts, many: bool) -> Option<Span> {
    let name = &candidate.name;
    let brands = page.brands_in(name);
    let sure = |brand: &&BrandMention| {
        let behind = page.text(&(brand.span.end..name.end.max(brand.span.end)));
        !brand.ordinary || brand.span.end >= name.end || brand.span.start == name.start && has_model(behind)
    };
    if let Some(brand) = brands.iter().find(sure) {
        let before = name.start..brand.span.start;
        let behind = page.text(&(brand.span.end..name.end.max(brand.span.end)));
        if is_lead(page, &before) {
            // If an answer names few brands, a longer name may be that of another party: `Lotus Retreat`.
            let several = page.text(&brand.span).contains(' ');
            let cuts = many || several || has_model(behind) || !behind.contains(is_word);
            return cuts
                .then(|| brand.span.clone())
                .or_else(|| starts.start_of(page, name));
        }
        // `Nuggets by Acme`, `Bleu de Acme`.
        let joined = [" by ", " from ", " de ", " av ", " von ", "("];
        if many && joined.iter().any(|joint| page.text(&before).ends_with(joint)) {
            return Some(brand.span.clone());
        }
    }
    starts.start_of(page, name)
}

/// Whether a word with a digit names a model: `X5 Pro`.
fn has_model(rest: &str) -> bool {
    let several = words(rest).nth(1).is_some();
    words(rest).any(|word| {
        word.chars().any(|c| c.is_ascii_digit()) && (several || word.chars().any(char::is_alphabetic))
    })
}

/// Whether the text before a brand is only articles and labels.
fn is_lead(page: &Page<'_>, before: &Span) -> bool {
    words(page.text(before)).all(|word| {
        let meaning = meaning_as_written(word);
        meaning.is(Meaning::FUNCTION | Meaning::LABEL | Meaning::CRITERION)
            || word.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// First words of names that an answer also uses alone, or in several names.
struct Starts {
    /// For every folded first word, the names that start with it, and whether it is a name alone.
    counts: BTreeMap<String, Start>,
    /// All names, folded.
    whole: BTreeSet<String>,
    /// Several names have a word for a variant: `Acme Business`, `Beta Business`.
    variants: bool,
}

#[derive(Default)]
struct Start {
    names: Vec<String>,
    /// It is a name of its own.
    alone: bool,
    /// It is also written without the rest of the name: `Acme is known for …`.
    used: bool,
}

impl Starts {
    fn of<'c>(page: &Page<'_>, candidates: impl Iterator<Item = &'c Candidate>) -> Self {
        let mut counts: BTreeMap<String, Start> = BTreeMap::new();
        let (mut whole, mut varied) = (BTreeSet::new(), BTreeSet::new());
        for candidate in candidates {
            let text = page.text(&candidate.name);
            let folded = String::from(plain(text));
            let mut parts = words(&folded);
            let Some(first) = parts.next() else {
                continue;
            };
            if variant_in(page, text).is_some() {
                varied.insert(first.to_owned());
            }
            whole.insert(folded.clone());
            let start = counts.entry(first.to_owned()).or_default();
            if parts.next().is_none() {
                start.alone = true;
            } else if start.names.len() < 8 && !start.names.contains(&folded) {
                start.names.push(folded.clone());
            }
        }
        for word in &page.words {
            let end = word.place.end as usize;
            let written = page.text(&(word.place.start as usize..end));
            if !written.starts_with(char::is_uppercase) {
                continue;
            }
            let behind = page.layout.text.get(end..).unwrap_or_default();
            let next = behind
                .strip_prefix([' ', '-', '\'', '&', '.'])
                .unwrap_or_default();
            let goes_on =
                next.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '&' | 's'));
            if !goes_on && let Some(start) = counts.get_mut(&*plain(written)) {
                start.used = true;
            }
        }
        Self {
            counts,
            whole,
            variants: varied.len() > 1,
        }
    }

    /// Takes a name's first word, if the rest is a product's name.
    fn start_of(&self, page: &Page<'_>, name: &Span) -> Option<Span> {
        let text = page.text(name);
        let first = words(text).next()?;
        let rest = text.strip_prefix(first)?;
        let tail = rest.trim_start_matches(['\'', '’']);
        let possessive = rest.len() != tail.len() && tail.starts_with("s ");
        if !(rest.starts_with(' ') || possessive)
            || meaning_as_written(first).is_ordinary()
            || VARIANTS.has(&plain(first))
        {
            return None;
        }
        let known = self.counts.get(&*plain(first));
        let variant = variant_in(page, text);
        // `Acme Business`, `Acme Vault Business`: what is behind the maker tells the variants apart.
        if self.variants
            && let Some(at) = variant
            && words(&text[..at]).count() <= 2
        {
            return Some(name.start..name.start + text[..at].trim_end().len());
        }
        let alone = known.is_some_and(|start| start.alone);
        let several = known.is_some_and(|start| start.names.len() > 1);
        let used = several || known.is_some_and(|start| start.used);
        let model = has_model(rest);
        // A coined word at the start of several names is their family: `AcmePods Pro`, `AcmePods Max`.
        let family =
            several && first.chars().any(char::is_lowercase) && first.chars().skip(1).any(char::is_uppercase);
        let end = name.start + first.len();
        let product = model || family || alone || used && variant.is_some();
        (product
            && page
                .layout
                .text
                .get(end..)
                .is_some_and(|rest| !rest.starts_with(is_word)))
        .then_some(name.start..end)
    }
}

/// Where the first word stands, behind the first one, that tells a product's variants apart.
/// A word of the question is what the names are about: `Smith Business Law`.
fn variant_in(page: &Page<'_>, name: &str) -> Option<usize> {
    let mut at = 0;
    for (place, word) in words(name).enumerate() {
        at += name[at..].find(word)?;
        if place > 0 && VARIANTS.has(&plain(word)) && !page.question.holds(word) {
            return Some(at);
        }
        at += word.len();
    }
    None
}
