//! Well-known brands, and their places in a text.

use super::lexicon::meaning;
use super::list::{List, list};
use super::word::Word;
use crate::read::text::{Folded, is_word, key, plain, words};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::LazyLock;

/// A well-known brand in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::read) struct BrandMention {
    pub(in crate::read) span: Range<usize>,
    /// Its name is also an ordinary word: a capital alone is no proof.
    pub(in crate::read) ordinary: bool,
}

struct Brand {
    /// Folded letters and digits.
    key: Box<str>,
    text: &'static str,
    ordinary: bool,
}

/// Brands by their folded first word, the longest first.
static BRANDS: LazyLock<FxHashMap<Box<str>, Vec<Brand>>> = LazyLock::new(|| {
    let mut brands: FxHashMap<Box<str>, Vec<Brand>> = FxHashMap::default();
    let lines = include_str!("brands.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let names = lines
        .filter_map(|line| line.split_once(": "))
        .flat_map(|(_, names)| names.split(" | "));
    for text in names {
        let folded = plain(text);
        let Some(first) = words(&folded).next() else {
            continue;
        };
        let brand = Brand {
            key: Box::from(&*key(text)),
            text,
            ordinary: words(&folded).all(|word| meaning(word).is_ordinary() || EVERYDAY.has(word)),
        };
        brands.entry(first.into()).or_default().push(brand);
    }
    for brands in brands.values_mut() {
        brands.sort_by_key(|brand| std::cmp::Reverse(brand.key.len()));
    }
    brands
});

/// First words of brands that their owners write with a small letter.
static SMALL: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    let brands = BRANDS.values().flatten().map(|brand| brand.text);
    brands
        .filter(|text| text.starts_with(char::is_lowercase))
        .filter_map(|text| words(text).next())
        .collect()
});

/// Words in brands' names that the tables of ordinary words lack.
static EVERYDAY: List = list("brands.everyday");

/// The well-known brands in a text, in order; the longest of those with the same start.
pub(in crate::read) fn find_brands(text: &str, folded: &Folded, all: &[Word]) -> Vec<BrandMention> {
    let mut found: Vec<BrandMention> = Vec::new();
    for word in all {
        let (start, end) = (word.place.start as usize, word.place.end as usize);
        if found.last().is_some_and(|last| last.span.end > start) {
            continue;
        }
        let Some(written) = text.get(start..end) else {
            continue;
        };
        if written.starts_with(char::is_lowercase) && !SMALL.contains(written) {
            continue;
        }
        let Some(brands) = BRANDS.get(folded.word(&word.place)) else {
            continue;
        };
        let fits = brands.iter().find_map(|brand| {
            let end = end_of(text, start, brand)?;
            Some(BrandMention {
                span: start..end,
                ordinary: brand.ordinary,
            })
        });
        found.extend(fits);
    }
    found
}

/// Where a brand ends that starts at `start`, written with its own capitals or in capitals.
fn end_of(text: &str, start: usize, brand: &Brand) -> Option<usize> {
    let rest = text.get(start..)?;
    let first = rest.chars().next()?;
    let small = brand.text.starts_with(char::is_lowercase);
    if first.is_lowercase() && !small || first.is_uppercase() && small && brand.key.len() < 3 {
        return None;
    }
    let mut left = &*brand.key;
    let mut end = 0;
    let mut gap = 0;
    for (at, c) in rest.char_indices() {
        if left.is_empty() {
            break;
        }
        if !is_word(c) {
            gap += 1;
            let mark = matches!(c, ' ' | '-' | '\'' | '&' | '.' | '+' | ',' | '!' | '/');
            if !mark || gap > 3 || c == ',' && !brand.text.contains(',') {
                return None;
            }
            continue;
        }
        gap = 0;
        let mut buffer = [0; 4];
        let folded = key(c.encode_utf8(&mut buffer));
        left = left.strip_prefix(&*folded)?;
        end = at + c.len_utf8();
    }
    if !left.is_empty() {
        return None;
    }
    let behind = rest.get(end..)?;
    if behind.starts_with(is_word) {
        return None;
    }
    let written = rest.get(..end)?;
    // Short names and names in capitals are known by their spelling.
    let capitals = || written.chars().all(|c| !c.is_lowercase());
    let exact = brand.key.len() <= 3 && written != brand.text && (brand.ordinary || !capitals())
        || written
            .split(' ')
            .skip(1)
            .any(|word| word.starts_with(char::is_lowercase))
            && !brand
                .text
                .split(' ')
                .skip(1)
                .any(|word| word.starts_with(char::is_lowercase));
    if exact {
        return None;
    }
    // Signs that end a name belong to it: `Supergoop!`, `Dr. Jart+`.
    let tail = brand.text.chars().next_back().filter(|c| !is_word(*c));
    let tail = tail.filter(|c| behind.starts_with(*c)).map_or(0, char::len_utf8);
    Some(start + end + tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::words::look_up;

    fn check(text: &str, expected: &[&str]) {
        let folded = Folded::of(text);
        let found = find_brands(text, &folded, &look_up(&folded));
        let found: Vec<&str> = found.into_iter().map(|brand| &text[brand.span]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn brands_end_where_their_products_begin() {
        check("Sony WH-9 and Tom Ford's Oud", &["Sony", "Tom Ford"]);
        check(
            "Dr. Martens 1460, e.l.f. Cosmetics glow",
            &["Dr. Martens", "e.l.f. Cosmetics"],
        );
        check("LANCÔME or lancome", &["LANCÔME"]);
        check("Sonys, Fordham and the fresh air on target", &[]);
    }
}
