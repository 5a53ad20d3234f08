//! Names out of a domain's label.

use super::name::Proof;
use crate::read::text::{is_word, key, plain};
use crate::read::words::{List, Meaning, affixes, list, meaning};
use ibid_model::Domain;

/// Labels below a domain that do not identify an owner.
static GENERIC_BELOW: List = list("label.generic-below");

/// Suffixes that are not words of names.
static PLAIN_SUFFIXES: List = list("label.plain-suffixes");

/// The names a domain's label yields, most certain first.
pub(super) fn names(domain: &Domain) -> Vec<(String, Proof)> {
    let Some(registrable) = psl::domain_str(domain.as_str()) else {
        return Vec::new();
    };
    let suffix = registrable.split_once('.').map_or("", |(_, suffix)| suffix);
    let unicode = domain.to_unicode();
    let labels: Vec<&str> = unicode.split('.').collect();
    // The registrable part has as many labels in Unicode as in ASCII.
    let Some(at) = labels.len().checked_sub(registrable.split('.').count()) else {
        return Vec::new();
    };
    let Some(label) = labels.get(at) else {
        return Vec::new();
    };
    let below = labels.get(..at).unwrap_or_default();
    match below.last() {
        None => of_label(label, suffix),
        Some(below) if GENERIC_BELOW.has(below) => {
            vec![(format!("{} {}", title(label), title(below)), Proof::Plain)]
        }
        Some(below) => vec![
            (format!("{} {}", title(label), title(below)), Proof::Plain),
            (format!("{} {}", title(below), title(label)), Proof::Plain),
        ],
    }
}

fn of_label(label: &str, suffix: &str) -> Vec<(String, Proof)> {
    let mut names = vec![(spelled(label), Proof::of_given(&spelled_words(label)))];
    let mut add = |name: &str, proof: Proof| {
        let name = name.trim_matches('-');
        if key(name).chars().count() >= 4 {
            let proof = if ordinary(name) {
                proof.max(Proof::Head)
            } else {
                proof
            };
            names.push((spelled(name), proof));
        }
    };
    let (before, after) = affixes();
    for affix in before {
        if let Some(rest) = label.strip_prefix(affix) {
            // A hyphen or a verb separates the affix; two letters may be part of the word.
            let clear = rest.starts_with('-')
                || affix.len() >= 3 && !matches!(affix, "les" | "los" | "die" | "der" | "das");
            add(rest, if clear { Proof::Written } else { Proof::Head });
        }
    }
    for affix in after {
        if let Some(rest) = label.strip_suffix(affix) {
            let clear = rest.ends_with('-') || affix.len() >= 4;
            add(rest, if clear { Proof::Written } else { Proof::Head });
        }
    }
    if let Some((rest, last)) = label.rsplit_once('-') {
        add(
            rest,
            if meaning(&plain(last)).is(Meaning::TRADE) {
                Proof::Written
            } else {
                Proof::Head
            },
        );
    }
    if let Some((first, rest)) = label.split_once('-')
        && meaning(&plain(first)).is_ordinary()
    {
        add(rest, Proof::Head);
    }
    if let Some(rest) = without_trade(label) {
        add(rest, Proof::Head);
    }
    // `kettlebrook.coffee` is Kettlebrook Coffee.
    if suffix.len() >= 3 && !suffix.contains('.') && !PLAIN_SUFFIXES.has(suffix) {
        names.push((format!("{} {}", spelled(label), title(suffix)), Proof::Plain));
    }
    names
}

/// A label without the trade it ends or starts with.
fn without_trade(label: &str) -> Option<&str> {
    let cuts = (4..label.len().saturating_sub(2)).filter(|at| label.is_char_boundary(*at));
    cuts.clone()
        .find(|at| meaning(&plain(&label[*at..])).is(Meaning::TRADE))
        .map(|at| &label[..at])
        .or_else(|| {
            let mut starts = cuts.filter(|at| label.len() - at >= 4);
            starts
                .find(|at| meaning(&plain(&label[..*at])).is(Meaning::TRADE))
                .map(|at| &label[at..])
        })
}

fn ordinary(name: &str) -> bool {
    plain(name)
        .split(|c: char| !is_word(c))
        .all(|word| meaning(word).is_ordinary())
}

/// The label as a person would write it.
fn spelled(label: &str) -> String {
    title(&spelled_words(label))
}

/// Splits a label into words: at hyphens, or where the tables have all parts.
fn spelled_words(label: &str) -> String {
    if label.contains('-') {
        return label.replace('-', " ");
    }
    split(label).unwrap_or_else(|| label.to_owned())
}

/// Longest label that is split, and longest word in one.
const LONGEST_LABEL: usize = 40;
const LONGEST_WORD: usize = 14;

/// Splits a label into known words, as few as possible.
/// Returns `None` if a part remains, or if the label is one word.
fn split(label: &str) -> Option<String> {
    if !label.is_ascii() || label.len() > LONGEST_LABEL || meaning(label).is_ordinary() {
        return None;
    }
    // `best[n]`: fewest words in the first n letters, and where the last of them starts.
    let mut best: Vec<Option<(u32, usize)>> = vec![None; label.len() + 1];
    best[0] = Some((0, 0));
    for end in 1..=label.len() {
        for start in end.saturating_sub(LONGEST_WORD)..end {
            let Some((count, _)) = best[start] else {
                continue;
            };
            let word = &label[start..end];
            let known = word.bytes().all(|byte| byte.is_ascii_digit())
                || word.len() >= 3 && meaning(word).is_ordinary()
                || matches!(
                    word,
                    "of" | "on" | "in" | "at" | "to" | "my" | "up" | "go" | "we" | "by"
                );
            if known && best[end].is_none_or(|(fewest, _)| count + 1 < fewest) {
                best[end] = Some((count + 1, start));
            }
        }
    }
    let mut words = Vec::new();
    let mut end = label.len();
    while end > 0 {
        let (_, start) = best[end]?;
        words.push(&label[start..end]);
        end = start;
    }
    words.reverse();
    (words.len() >= 2).then(|| words.join(" "))
}

/// Every word with a capital.
fn title(text: &str) -> String {
    let mut titled = String::with_capacity(text.len());
    let mut fresh = true;
    for c in text.chars() {
        if fresh {
            titled.extend(c.to_uppercase());
        } else {
            titled.push(c);
        }
        fresh = c == ' ' || c == '-';
    }
    titled
}
