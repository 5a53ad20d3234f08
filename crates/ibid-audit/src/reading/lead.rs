//! Finds a page's main heading, and the first paragraph in its text.

use super::blocks::CAPTION_WORDS;
use super::content::{PARAGRAPH_WORDS, RUN_WORDS};
use super::{Block, BlockKind, Heading, PageReading};
use crate::dates;
use crate::names::is_generic;
use crate::quote::key;
use crate::vocabulary::Words;

/// Returns the main heading.
///
/// It is an `h1` outside furniture that agrees with the title of the head,
/// else the first `h1` outside furniture, else a heading that agrees with the title.
/// A heading that `names_site`, or that fits any page, is taken where there is no other.
pub(super) fn title(
    headings: &[Heading],
    head: Option<&str>,
    names_site: impl Fn(&str) -> bool,
) -> Option<usize> {
    let head = head.map(key).unwrap_or_default();
    let agrees = |heading: &Heading| {
        let text = key(&heading.text);
        text.len() > 5 && (head.contains(&text) || (head.len() > 5 && text.contains(&head)))
    };
    let is_own = |heading: &Heading| !names_site(&heading.text) && !is_generic(&heading.text);
    let find = |fits: &dyn Fn(&Heading) -> bool| headings.iter().position(fits);
    // The head's title begins with the page's, and ends with the site's.
    let own = headings.iter().enumerate();
    let own = own.filter(|(_, heading)| {
        heading.level == 1 && !heading.in_furniture && agrees(heading) && is_own(heading)
    });
    own.min_by_key(|(_, heading)| head.find(&key(&heading.text)).unwrap_or(usize::MAX))
        .map(|(index, _)| index)
        .or_else(|| find(&|heading| heading.level == 1 && !heading.in_furniture && is_own(heading)))
        .or_else(|| find(&|heading| agrees(heading) && is_own(heading)))
        .or_else(|| find(&|heading| heading.level == 1 && is_own(heading)))
        .or_else(|| find(&|heading| heading.level == 1 && names_site(&heading.text)))
}

/// Returns the first block of the text.
///
/// It is the first paragraph below the title that is not small print.
pub(super) fn find(reading: &PageReading) -> Option<usize> {
    let title = reading
        .title
        .and_then(|index| reading.headings.get(index))
        .map(|heading| key(&heading.text));
    let start = reading
        .blocks
        .iter()
        .position(|block| {
            matches!(block.kind, BlockKind::Heading(_))
                && title
                    .as_ref()
                    .is_some_and(|title| *title == key(reading.block_text(block)))
        })
        .map_or(0, |at| at + 1);
    let is_prose = |block: &Block| {
        block.words >= RUN_WORDS as usize
            && block.link_words * 2 <= block.words
            && !is_small_print(reading, block)
    };
    let opens = |at: &usize| reading.blocks[*at].is_paragraph() && is_prose(&reading.blocks[*at]);
    let all = || start..reading.blocks.len();
    // Pages that are laid out as tables or cards have their text there, or above the heading that names them.
    let laid_out = |at: &usize| {
        let block = &reading.blocks[*at];
        !matches!(block.kind, BlockKind::Heading(_)) && !block.in_code && is_prose(block)
    };
    let elsewhere = || {
        (0..start)
            .find(opens)
            .or_else(|| (0..reading.blocks.len()).find(laid_out))
    };
    let Some(first) = all().find(opens) else {
        return elsewhere();
    };
    // Loose text counts only where no paragraph is near: captions and bars are often loose.
    if reading.blocks[first].kind == BlockKind::Paragraph || reading.blocks[first].words >= 20 {
        return Some(first);
    }
    let near = (first..reading.blocks.len().min(first + 6))
        .filter(opens)
        .find(|at| reading.blocks[*at].kind == BlockKind::Paragraph);
    Some(near.unwrap_or(first))
}

/// Whether a block is about the text: its author, its date, its earnings.
fn is_small_print(reading: &PageReading, block: &Block) -> bool {
    if block.in_byline && block.words < CAPTION_WORDS as usize {
        return true;
    }
    let text = reading.block_text(block);
    let lower = crate::html::cut(text, 200).to_lowercase();
    if DISCLOSURES.is_in(&lower) || is_caption(text, &lower, block) {
        return true;
    }
    let is_note = text.starts_with('[') && text.ends_with(']');
    let is_dated = block.words < 40 && dates::visible(text).is_some() && !ends_sentence(text);
    if is_note || is_dated {
        return true;
    }
    if block.words >= PARAGRAPH_WORDS as usize {
        return false;
    }
    OPENINGS.opens(&lower) || (block.words < 12 && BY.iter().any(|start| lower.starts_with(start)))
}

/// Whether a block describes a picture: it names its source at the end, or a file of an agency.
fn is_caption(text: &str, lower: &str, block: &Block) -> bool {
    let ends = lower.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_credited = !ends_sentence(text) && SOURCES.iter().any(|source| ends.ends_with(source));
    let is_file = ["file photo", "archivfoto", "archivbild", "(photo"]
        .iter()
        .any(|part| lower.contains(part));
    let is_owned = text.starts_with('©') && !ends_sentence(text);
    block.words < CAPTION_WORDS as usize && (is_credited || is_file || is_owned)
}

/// Agencies and picture collections, at a caption's end.
static SOURCES: Words = Words::new(include_str!("../words/lead_sources.txt"));

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(['”', '"', '»', ')', '’', '\''])
        .ends_with(['.', '!', '?', '…', '。', '！', '？'])
}

/// What paragraphs about a page's funding, rights or technology contain.
static DISCLOSURES: Words = Words::new(include_str!("../words/lead_disclosures.txt"));

/// Openings of bylines, which also open sentences.
const BY: &[&str] = &["by ", "von ", "par ", "por "];

/// Openings of datelines, credits and pointers to other pages.
static OPENINGS: Words = Words::new(include_str!("../words/lead_openings.txt"));
