//! D: can a passage be lifted out?

use super::discovery::subject;
use super::finding::{Finding, many};
use crate::facts::Facts;
use crate::kind::is_guide;
use crate::limits::LONG_TEXT;
use crate::names::is_generic;
use crate::quote::{key, quote_to, sentences};
use crate::reading::{Heading, MainKind, words};
use ibid_model::result::PageKind;

/// Elements of h1 from which they are a style, and none is known to name the page.
const MOST_H1: usize = 5;

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
        [] => {
            let finding = Finding::fail("there is no h1 with text");
            // A title ends with the name of the site, and may be no more than that.
            let host = key(facts.host());
            let first = |title| subject(title).split(" | ").next().unwrap_or_default();
            let own = facts.title().map(|(title, line)| (first(title), line));
            let is_name =
                |title: &str| !title.contains("://") && title.len() <= 120 && !host.contains(&key(title));
            let own = own.filter(|own| is_name(own.0) && !own.0.split(" - ").any(is_generic));
            match facts.heading().or(own) {
                Some((text, line)) => finding
                    .advise(format!(
                        "Make “{}” (line {line}) the h1 of the page.",
                        quote_to(text, 120)
                    ))
                    .change(None, format!("<h1>{}</h1>", quote_to(text, 120))),
                None => finding,
            }
        }
        [only] => Finding::pass(format!("“{}”", only.text)).line(only.line),
        [first, second, ..] => {
            // The heading that agrees with the title stays.
            let kept = facts.heading().map_or(first.text.as_str(), |(text, _)| text);
            let other = if first.text == kept { second } else { first };
            let (name, title) = (key(kept), key(facts.title().map_or("", |(title, _)| title)));
            let agrees = title.contains(&name) || !title.is_empty() && name.contains(&title);
            if all.len() > MOST_H1 || facts.kind == PageKind::List || !agrees {
                // With so many, or without the words of the title, none is known to name the page.
                return Finding::warn(format!("{} h1 elements", all.len())).line(first.line);
            }
            Finding::warn(format!("{} h1 elements", all.len()))
                .line(first.line)
                .advise(format!(
                    "Keep “{}” as the h1; make “{}” (line {}) and any others h2.",
                    quote_to(kept, 80),
                    quote_to(&other.text, 80),
                    other.line
                ))
                .change(
                    format!("<h1>{}</h1>", quote_to(&other.text, 120)).as_str(),
                    format!("<h2>{}</h2>", quote_to(&other.text, 120)),
                )
        }
    }
}

/// D3: the text is marked as the main part.
pub(super) fn main_element(facts: &Facts<'_>) -> Finding {
    let (main, words) = (&facts.reading.main, facts.words());
    let finding = match (main.mains, main.kind) {
        (1, _) if main.words_in_main >= words => Finding::pass("one main element with the text"),
        (1, _) => Finding::warn(format!(
            "the main element holds {} of the {}",
            main.words_in_main,
            many(words, "word")
        )),
        (0, MainKind::Article) if facts.kind == PageKind::Article => {
            Finding::pass("an article element with the text")
        }
        (0, MainKind::Article) => Finding::warn("no main element, but an article"),
        (0, _) => Finding::fail("neither a main element nor an article with the text"),
        (count, _) => Finding::warn(format!("{count} main elements")),
    };
    let last = facts
        .reading
        .paragraphs()
        .filter(|block| block.words >= LEAD_LEAST)
        .last();
    match (facts.heading(), last) {
        (Some((heading, line)), Some(last)) if last.line > line => finding.advise(format!(
            "Put one <main> around the text from “{}” (line {line}) to “{}” (line {}), without menus and comments.",
            quote_to(heading, 80),
            quote_to(facts.reading.block_text(last), 60),
            last.line
        )),
        _ => finding,
    }
}

/// D4: a list or a table.
pub(super) fn lists(facts: &Facts<'_>) -> Finding {
    if facts.words() < LONG_TEXT {
        return Finding::na("the page is short");
    }
    if facts.structured.has_type(&["QAPage"]) || facts.kind == PageKind::Article && !is_guide(facts) {
        return Finding::na("a report or a thread has no steps and no comparison");
    }
    let features = &facts.reading.features;
    if features.lists + features.header_cells + features.definition_lists == 0 {
        let finding = Finding::warn("no list of three items, no table with headers");
        // The paragraph with the most commas comes nearest to a list.
        let commas = |text: &str| text.matches([',', '、', ';']).count();
        let paragraphs = facts.reading.paragraphs();
        return match paragraphs.max_by_key(|block| commas(facts.reading.block_text(block))) {
            Some(block) => finding.line(block.line).advise(format!(
                "Put the steps into an ordered list, or the comparison into a table with header cells, for example those of “{}” (line {}).",
                quote_to(facts.reading.block_text(block), 100),
                block.line
            )),
            None => finding,
        };
    }
    Finding::pass(format!(
        "{}, {}, {}",
        many(features.lists, "list"),
        many(features.header_cells, "table header"),
        many(features.definition_lists, "definition list")
    ))
}

/// Words of a first paragraph that can be quoted whole.
///
/// At half, the least is no sentence and the most no answer; at twice, answers cut it.
const LEAD_LEAST: usize = 15;
const LEAD_MOST: usize = 80;

/// D5: the first paragraph answers.
pub(super) fn lead(facts: &Facts<'_>) -> Finding {
    let Some(block) = facts.reading.lead_block() else {
        let advice = facts.heading().map(|(heading, line)| {
            let heading = quote_to(heading, 120);
            format!("Put a paragraph of 15 to 80 words below “{heading}” (line {line}) that answers it.")
        });
        return Finding::fail("no paragraph of eight words or more").advise(advice);
    };
    // A slogan, an address or a greeting may stand before the paragraph that answers.
    let after = facts.reading.lead.map_or(0, |lead| lead + 1);
    let mut next = facts.reading.blocks.iter().skip(after).take(6);
    let next = next.find(|next| next.is_paragraph() && next.words >= LEAD_LEAST);
    let block = next.filter(|_| block.words < LEAD_LEAST).unwrap_or(block);
    let found = format!(
        "{}: “{}”",
        many(block.words, "word"),
        quote_to(facts.reading.block_text(block), 120)
    );
    let finding = match block.words {
        LEAD_LEAST..=LEAD_MOST => return Finding::pass(found).line(block.line),
        ..=120 => Finding::warn(found),
        _ => Finding::fail(found),
    };
    let finding = finding.line(block.line);
    let text = facts.reading.block_text(block);
    // The paragraph can end where a sentence does.
    let cut = sentences(text, |part| {
        (LEAD_LEAST..=LEAD_MOST).contains(&words::count(part))
    });
    match (cut, block.words < LEAD_LEAST) {
        (_, true) => finding.advise("Add who, what, where or how much, so that the paragraph has 15 to 80 words and answers the title alone.".to_owned()),
        (Some(cut), false) => {
            let start = cut.floor_char_boundary(cut.len().saturating_sub(60));
            finding
                .advise(format!("End the paragraph after “…{}” and begin another one there.", cut[start..].trim()))
                .change(text, cut)
        }
        (None, false) => finding,
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
    match &features.image_without_alt {
        Some((line, file)) => finding.line(*line).advise(format!(
            "Describe “{file}” (line {line}) and the others in their alt attributes; leave it empty for decoration."
        )),
        None => finding,
    }
}
