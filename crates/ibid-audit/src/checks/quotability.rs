//! G: does the page name its sources?

use super::finding::Finding;
use crate::facts::Facts;
use crate::numbers;
use crate::quote::quote_to;
use crate::reading::{BlockKind, PARAGRAPH_WORDS, words};

/// G2: sources.
pub(super) fn sources(facts: &Facts<'_>) -> Finding {
    let hosts = crate::sources::find(facts);
    let shown: Vec<_> = hosts.iter().take(5).map(|host| quote_to(host, 40)).collect();
    let finding = match hosts.len() {
        0 => Finding::fail("the text links to no other site"),
        1 => Finding::warn(format!("one other site: {}", shown.join(", "))),
        count => return Finding::pass(format!("{count} other sites: {}", shown.join(", "))),
    };
    match claim(facts) {
        Some((claim, line)) => finding
            .advise(format!(
                "Link the source of “{}” (line {line}), if it is not your own.",
                quote_to(claim, 160)
            ))
            .line(line),
        None => Finding::na("no figure whose source could be linked"),
    }
}

/// The sentence without a link that has the most figures, and its line.
pub(super) fn claim<'f>(facts: &'f Facts<'_>) -> Option<(&'f str, u32)> {
    let blocks = facts
        .reading
        .paragraphs()
        // Ratings, counters and prices of widgets are figures, too, but stand in no sentence.
        .filter(|block| block.kind == BlockKind::Paragraph && block.words >= PARAGRAPH_WORDS as usize)
        .filter(|block| block.link_words == 0 && !block.in_byline);
    let sentences = blocks.flat_map(|block| {
        let text = facts.reading.block_text(block);
        text.split_inclusive(SENTENCE_ENDS)
            .map(move |sentence| (sentence.trim(), block.line))
    });
    let claims = sentences.filter(|(text, _)| words::count(text) > 5 && text.ends_with(SENTENCE_ENDS));
    // The first of equals.
    let best = claims
        .map(|claim| (numbers::facts(claim.0), claim))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(figures, _)| *figures > 0).map(|(_, claim)| claim)
}

const SENTENCE_ENDS: [char; 4] = ['.', '!', '?', '。'];
