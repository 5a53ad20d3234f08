//! What is written like a name and is no party: for example services, laws, certificates, lines with prices.

use super::head::Named;
use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::text::{plain, words};
use crate::read::words::{List, list, meaning};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Whether a text names a law, a standard or a certificate: `Consumer Rights Act 2015`, `ISO 27001`.
pub(super) fn is_rule(text: &str) -> bool {
    static WHOLE: List = list("kinds.rules");
    static BODIES: List = list("kinds.standards");
    static ENDINGS: List = list("kinds.rule-endings");
    static PARTS: List = list("kinds.rule-parts");
    static STARTS: List = list("kinds.rule-starts");
    let folded = plain(text);
    let numbered = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let mut all: Vec<&str> = words(&folded).collect();
    while all.len() > 1 && all.last().is_some_and(|last| numbered(last)) {
        all.pop();
    }
    let first = all.first().copied().unwrap_or_default();
    let body = first.trim_end_matches(|c: char| c.is_ascii_digit());
    let numbers = folded.contains(|c: char| c.is_ascii_digit());
    let ends =
        |last: &&str| all.len() > 1 && ENDINGS.has(last) || PARTS.iter().any(|part| last.ends_with(part));
    let starts = all.len() > 1 && STARTS.has(first);
    WHOLE.has(&folded) || starts || numbers && BODIES.has(body) || all.last().is_some_and(ends)
}

/// Whether a sentence names a party only as the one that certifies another: `TrustMark approved`, `certified by Acme`.
pub(super) fn vouches(page: &Page<'_>, name: &Span) -> bool {
    static BEFORE: List = list("kinds.vouched-by");
    static BEHIND: List = list("kinds.vouched");
    let own = page.hits_in(name).iter().any(|hit| hit.sure);
    let behind = page.layout.text.get(name.end..).unwrap_or_default();
    let behind = behind
        .strip_prefix([' ', '-'])
        .and_then(|rest| words(rest).next());
    let before = page.before(name.start).to_lowercase();
    let before = before.trim_end_matches([' ', '*', '"']);
    let before = before.strip_suffix(" the").unwrap_or(before);
    !own && (behind.is_some_and(|word| BEHIND.has(&plain(word)))
        || BEFORE.iter().any(|phrase| before.ends_with(phrase)))
}

/// Whether a head names a kind of service: it has only ordinary words, and one for what is done: `Drain Cleaning`.
/// So does a plural with its short form: `Health Reimbursement Arrangements (HRAs)`.
pub(super) fn is_kind(page: &Page<'_>, named: &Named, small: &OnceCell<BTreeSet<String>>) -> bool {
    static DONE: List = list("kinds.done");
    static THINGS: List = list("kinds.things");
    let behind = page.text(&(named.name.end..named.rest.end.max(named.name.end)));
    let short = behind.trim_start_matches([' ', '*']).strip_prefix('(');
    let short = short
        .and_then(|rest| rest.split_once("s)"))
        .map(|(short, _)| short);
    if short.is_some_and(|short| short.len() >= 2 && short.bytes().all(|byte| byte.is_ascii_uppercase())) {
        return true;
    }
    let folded = plain(page.text(&named.name));
    let all: Vec<&str> = words(&folded).collect();
    // In languages with compounds it is the end of a word: `Rohrreinigung`.
    let ends = |word: &str| {
        let mut whole = DONE.iter().filter_map(|done| word.strip_suffix(done));
        whole.any(|before| before.is_empty() || before.len() >= 4)
    };
    let is_done = |word: &&str| ends(word) || word.strip_suffix('s').is_some_and(ends);
    let Some(done) = [all.len().wrapping_sub(1), 0]
        .into_iter()
        .find(|at| all.get(*at).is_some_and(is_done))
    else {
        return false;
    };
    let plainly = |word: &str| {
        let meaning = meaning(word);
        let one = word.strip_suffix('s').unwrap_or(word);
        meaning.is_ordinary()
            || THINGS.has(one)
            || page.question.holds(word)
            || small.get_or_init(|| small_words(page)).contains(one)
    };
    all.iter()
        .enumerate()
        .all(|(at, word)| at == done || plainly(word))
}

/// The words that the answer writes in small letters, without the sign of a plural.
fn small_words(page: &Page<'_>) -> BTreeSet<String> {
    let all = page
        .words
        .iter()
        .map(|word| page.text(&(word.place.start as usize..word.place.end as usize)));
    let small = all.filter(|word| word.starts_with(char::is_lowercase)).map(plain);
    small
        .map(|word| word.strip_suffix('s').unwrap_or(&word).to_owned())
        .collect()
}

/// Whether a text begins with a price: `from £80`, `150 €`.
pub(super) fn is_price(text: &str) -> bool {
    let signs = ['$', '€', '£', '¥', '₹', '₽', '₩', '₺'];
    let marks = |c: char| !c.is_alphanumeric() && !signs.contains(&c);
    let mut parts = text.trim_start_matches(marks).split_whitespace().take(3);
    let numbered = |part: &str| part.contains(|c: char| c.is_ascii_digit());
    let number = parts.by_ref().take(2).find(|part| numbered(part));
    number
        .is_some_and(|number| number.contains(signs) || parts.next().is_some_and(|next| next.contains(signs)))
}

/// Whether a short title announces prices rather than parties: `Typical prices:`.
pub(super) fn announces(title: &str) -> bool {
    static TITLES: List = list("kinds.titles");
    words(title).nth(4).is_none() && words(&plain(title)).any(|word| TITLES.has(word))
}
