//! D: can a passage be lifted out?

use super::finding::{Finding, many};
use crate::facts::Facts;
use crate::quote::quote_to;
use crate::reading::{BlockKind, Heading, MainKind};

/// D1: one h1.
pub(super) fn h1(facts: &Facts<'_>) -> Finding {
    let of = |in_furniture: bool| -> Vec<&Heading> {
        let all = facts.reading.headings.iter();
        all.filter(|heading| heading.level == 1 && (in_furniture || !heading.in_furniture))
            .collect()
    };
    // A logo in the banner is often an h1, too.
    let all = Some(of(false))
        .filter(|own| !own.is_empty())
        .unwrap_or_else(|| of(true));
    match all.as_slice() {
        [] => Finding::fail("there is no h1 with text"),
        [only] => Finding::pass(format!("“{}”", only.text)).line(only.line),
        [first, ..] => Finding::warn(format!("{} h1 elements", all.len())).line(first.line),
    }
}

/// Words a section may have before a heading is missed.
const SECTION_WORDS: usize = 400;

/// D2: heading levels and density.
pub(super) fn headings(facts: &Facts<'_>) -> Finding {
    let all: Vec<&Heading> = facts
        .reading
        .headings
        .iter()
        .filter(|heading| !heading.in_furniture)
        .collect();
    if all.is_empty() {
        return if facts.words() > SECTION_WORDS {
            Finding::warn(format!("no heading in {}", many(facts.words(), "word")))
        } else {
            Finding::na("a short page without headings")
        };
    }
    // A page begins at level 1: a first heading of level 3 or deeper skips, too.
    let above = std::iter::once(1).chain(all.iter().map(|heading| heading.level));
    let skips: Vec<_> = above
        .zip(all.iter().copied())
        .filter(|(above, heading)| heading.level > above + 1)
        .map(|(_, heading)| heading)
        .collect();
    let density = facts.words() / all.len();
    match skips.as_slice() {
        [] if density <= SECTION_WORDS => {
            Finding::pass(format!("{}, no level skipped", many(all.len(), "heading")))
        }
        [] => Finding::warn(format!("one heading to {density} words")),
        [only] => Finding::warn(format!(
            "level skipped before h{}: “{}”",
            only.level,
            quote_to(&only.text, 80)
        ))
        .line(only.line),
        [first, ..] => Finding::warn(format!(
            "{} level skips, the first before h{}: “{}”",
            skips.len(),
            first.level,
            quote_to(&first.text, 80)
        ))
        .line(first.line),
    }
}

/// D3: the text is marked as the main part.
pub(super) fn main_element(facts: &Facts<'_>) -> Finding {
    let main = &facts.reading.main;
    let share = (main.words_in_main * 100)
        .checked_div(facts.reading.page_words)
        .unwrap_or(0);
    match (main.mains, main.kind) {
        (1, _) if share >= 50 => Finding::pass(format!("one main element with {share} % of the words")),
        (1, _) => Finding::warn(format!("the main element holds only {share} % of the words")),
        (0, MainKind::Article) => Finding::warn("no main element, but an article"),
        (0, _) => Finding::fail("neither a main element nor an article"),
        (count, _) => Finding::warn(format!("{count} main elements")),
    }
}

/// D4: a list or a table.
pub(super) fn lists(facts: &Facts<'_>) -> Finding {
    if facts.words() < 250 {
        return Finding::na("the page is short");
    }
    let features = &facts.reading.features;
    if features.lists + features.header_cells + features.definition_lists == 0 {
        return Finding::warn("no list of three items, no table with headers");
    }
    Finding::pass(format!(
        "{}, {}, {}",
        many(features.lists, "list"),
        many(features.header_cells, "table header"),
        many(features.definition_lists, "definition list")
    ))
}

/// D5: the first paragraph answers.
pub(super) fn lead(facts: &Facts<'_>) -> Finding {
    let Some(block) = facts
        .reading
        .lead
        .and_then(|index| facts.reading.blocks.get(index))
    else {
        return Finding::fail("no paragraph of eight words or more");
    };
    let found = format!(
        "{}: “{}”",
        many(block.words, "word"),
        quote_to(facts.reading.block_text(block), 120)
    );
    let finding = match block.words {
        15..=80 => Finding::pass(found),
        8..=14 | 81..=120 => Finding::warn(found),
        _ => Finding::fail(found),
    };
    finding.line(block.line)
}

/// D6: sections begin with something that can be lifted out.
pub(super) fn sections(facts: &Facts<'_>) -> Finding {
    let blocks = &facts.reading.blocks;
    let mut total = 0_usize;
    let mut good = 0_usize;
    for (at, block) in blocks.iter().enumerate() {
        if !matches!(block.kind, BlockKind::Heading(2 | 3)) {
            continue;
        }
        total += 1;
        let fits = blocks
            .get(at + 1)
            .is_some_and(|next| next.in_list || (next.is_paragraph() && (10..=80).contains(&next.words)));
        good += usize::from(fits);
    }
    if total == 0 {
        return if facts.words() > SECTION_WORDS {
            Finding::fail("a long text without h2 or h3")
        } else {
            Finding::na("a short text without sections")
        };
    }
    let found = format!(
        "{good} of {} begin with a short paragraph, a list or a table",
        many(total, "section")
    );
    if good * 2 >= total {
        Finding::pass(found)
    } else if good * 4 >= total {
        Finding::warn(found)
    } else {
        Finding::fail(found)
    }
}

/// D7: alternative texts.
pub(super) fn alt_texts(facts: &Facts<'_>) -> Finding {
    let features = &facts.reading.features;
    if features.images == 0 {
        return Finding::na("no images in the main part");
    }
    let share = features.images_with_alt * 100 / features.images;
    let found = format!(
        "{} of {} have an alt attribute",
        features.images_with_alt,
        many(features.images, "image")
    );
    let finding = match share {
        90.. => return Finding::pass(found),
        60..90 => Finding::warn(found),
        _ => Finding::fail(found),
    };
    match features.image_without_alt {
        Some(line) => finding.line(line),
        None => finding,
    }
}
