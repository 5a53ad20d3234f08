//! Resolves well-known brands by their place: inside a longer name, or as an ordinary word.

use crate::read::brand::counts;
use crate::read::layout::{Kind, Layout};
use crate::read::text::is_word;
use crate::read::words::{BrandMention, Meaning, meaning_as_written};

/// Drops brands at the end of a longer name, and resolves those whose names are ordinary words.
pub(super) fn settle(layout: &Layout, brands: &mut Vec<BrandMention>) {
    let inside: Vec<bool> = brands
        .iter()
        .map(|brand| ends_longer_name(layout, brand, brands))
        .collect();
    let mut inside = inside.into_iter();
    brands.retain(|_| !inside.next().unwrap_or_default());
    settle_ordinary(layout, brands);
}

/// Whether a word with a capital directly before a brand makes another name of it: `Zuhair Murad`.
fn ends_longer_name(layout: &Layout, brand: &BrandMention, all: &[BrandMention]) -> bool {
    let before = layout.text.get(..brand.span.start).unwrap_or_default();
    let Some(before) = before.strip_suffix(' ') else {
        return false;
    };
    let start = before.rfind(|c: char| !is_word(c) && c != '\'').map_or(0, |at| {
        at + before
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8)
    });
    let word = before.get(start..).unwrap_or_default();
    let opens = {
        let lead = before
            .get(..start)
            .unwrap_or_default()
            .trim_end_matches([' ', '"', '(']);
        lead.is_empty() || lead.ends_with(['.', '!', '?', ':', '\n'])
    };
    let bold = !layout
        .bolds_in(&(brand.span.start..brand.span.start + 1))
        .is_empty();
    let at = all.partition_point(|other| other.span.start < start);
    let after_brand = all
        .get(at.saturating_sub(1)..=at)
        .unwrap_or_default()
        .iter()
        .any(|other| other.span.end == before.len() && other.span.start < brand.span.start);
    let meaning = meaning_as_written(word);
    let everyday = meaning.is(Meaning::FUNCTION
        | Meaning::OPENER
        | Meaning::LABEL
        | Meaning::ADVICE
        | Meaning::CRITERION);
    let lead = opens && (meaning.is_ordinary() || word.ends_with("ing"));
    word.starts_with(char::is_uppercase) && !lead && !bold && !everyday && (brand.ordinary || !after_brand)
}

/// Well-known brands that an answer names before it is about brands.
pub(in crate::read) const MANY_BRANDS: usize = 3;

pub(super) fn is_about_brands(brands: &[BrandMention]) -> bool {
    brands
        .iter()
        .filter(|brand| !brand.ordinary)
        .take(MANY_BRANDS)
        .count()
        == MANY_BRANDS
}

/// In an answer about brands, an ordinary word with a capital is a brand where the capital is no accident:
/// inside a sentence, in bold, or at the head of an item.
fn settle_ordinary(layout: &Layout, brands: &mut [BrandMention]) {
    if !is_about_brands(brands) {
        return;
    }
    for brand in brands.iter_mut().filter(|brand| brand.ordinary) {
        let text = &layout.text;
        let before = text.get(..brand.span.start).unwrap_or_default();
        let inside = before
            .trim_end_matches([' ', '"', '\'', '('])
            .ends_with(|c: char| is_word(c) || matches!(c, ',' | ';' | '&' | '/'));
        let bold = layout
            .bolds_in(&(brand.span.start.saturating_sub(2)..brand.span.start + 1))
            .iter()
            .any(|bold| bold.end >= brand.span.end);
        let head = layout.block(brand.span.start).is_some_and(|block| {
            matches!(
                block.kind,
                Kind::Ordered | Kind::Bullet | Kind::Heading(_) | Kind::Row
            ) && text
                .get(block.span.start..brand.span.start)
                .is_some_and(|lead| !lead.contains(char::is_alphabetic))
        });
        let behind = text.get(brand.span.end..).unwrap_or_default();
        let next = behind
            .trim_start_matches([' ', '*'])
            .split(|c: char| !is_word(c))
            .next()
            .unwrap_or_default();
        let phrase = meaning_as_written(next).is_ordinary()
            && behind.starts_with(' ')
            && !meaning_as_written(next).is(Meaning::FUNCTION);
        let subject = meaning_as_written(next).is(Meaning::FUNCTION) || next.len() > 2 && next.ends_with('s');
        let subject = subject && !counts(text.get(brand.span.clone()).unwrap_or_default(), next);
        let small = next.starts_with(char::is_lowercase);
        let sure =
            inside && !(small && phrase && !bold) || (bold || head) && (small || !phrase) || subject && small;
        // `The Silk Slip` is what it is made of.
        let article = ["the", "a", "an", "The", "A", "An"].iter().any(|article| {
            let lead = before.trim_end().strip_suffix(article);
            lead.is_some_and(|lead| lead.is_empty() || lead.ends_with([' ', '\n']))
        });
        let material = article && next.starts_with(char::is_uppercase);
        brand.ordinary = !sure || material;
    }
}
